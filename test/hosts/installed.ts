// Whether the packages of other frameworks are installed.
import { existsSync } from 'node:fs';
import t from 'tap';
import { IS_LONG } from '../size.js';
import { FOLDER, TEST_PACKAGES } from './load.js';

/**
 * Returns whether the tests of a folder can run. Otherwise it reports one skipped test for all files of test/hosts, or a
 * failure where CI runs the long suites.
 */
function hasPackages(folder: string, path: string): boolean {
  if (IS_LONG && existsSync(`${folder}node_modules/.package-lock.json`)) return true;
  const message = `they need npm ci --prefix ${path}, and CLAIMLINK_TESTS=long`;
  if (process.env['CI'] && IS_LONG) t.fail(message);
  else t.test(`hosts are skipped: ${message}`, { skip: true }, () => {});
  return false;
}

export const HAS_PACKAGES = hasPackages(FOLDER, 'examples/hosts/');
export const HAS_TEST_PACKAGES = hasPackages(TEST_PACKAGES, 'test/hosts/packages/');
