// The packages of other frameworks, which are installed apart from those of the repository.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { IS_LONG } from '../size.js';

const folderOf = (path: string) => fileURLToPath(new URL(path, REPOSITORY));

export const FOLDER = folderOf('examples/hosts/');
/** The frameworks that have no example. */
export const TEST_PACKAGES = folderOf('test/hosts/packages/');

/** Loads a package of examples/hosts. */
export const load = createRequire(`${FOLDER}package.json`);

/**
 * Returns whether the tests of a folder can run. Otherwise it reports one skipped test for all files of test/hosts, or a
 * failure where CI runs the long suites.
 */
function hasPackages(path: string): boolean {
  if (IS_LONG && existsSync(`${folderOf(path)}node_modules/.package-lock.json`)) return true;
  const message = `they need npm ci --prefix ${path}, and CLAIMLINK_TESTS=long`;
  if (process.env['CI'] && IS_LONG) t.fail(message);
  else t.test(`hosts are skipped: ${message}`, { skip: true }, () => {});
  return false;
}

export const HAS_PACKAGES = hasPackages('examples/hosts/');
export const HAS_TEST_PACKAGES = hasPackages('test/hosts/packages/');
