// The packages of examples/hosts, which are installed apart from those of the repository.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { IS_LONG } from '../size.js';

export const FOLDER = fileURLToPath(new URL('examples/hosts/', REPOSITORY));

/** Loads a package of examples/hosts. */
export const load = createRequire(`${FOLDER}package.json`);

/**
 * true if the tests of this folder can run. Otherwise this module reports one skipped test for all files of the folder,
 * or a failure where CI runs the long suites.
 */
export const HAS_PACKAGES = IS_LONG && existsSync(`${FOLDER}node_modules/.package-lock.json`);

if (!HAS_PACKAGES) {
  const message = 'they need npm ci --prefix examples/hosts, and CLAIMLINK_TESTS=long';
  if (process.env['CI'] && IS_LONG) t.fail(message);
  else t.test(`hosts are skipped: ${message}`, { skip: true }, () => {});
}
