// Loads the packages of other frameworks, which are installed apart from those of the repository.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { REPOSITORY } from '../repository.js';

const folderOf = (path: string) => fileURLToPath(new URL(path, REPOSITORY));

export const FOLDER = folderOf('examples/hosts/');
/** The frameworks that have no example. */
export const TEST_PACKAGES = folderOf('test/hosts/packages/');

/** Loads a package of examples/hosts. */
export const load = createRequire(`${FOLDER}package.json`);

/** Loads a package of test/hosts/packages. */
export const loadTestPackage = createRequire(`${TEST_PACKAGES}package.json`);
