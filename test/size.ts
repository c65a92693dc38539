// Long suites have a short form: the same code with smaller numbers.

/** true if the suites run at full size. `.ci/run` sets CLAIMLINK_TESTS=long. */
export const IS_LONG = process.env['CLAIMLINK_TESTS'] === 'long';

/** Returns the first value in a long run, and the second one in a short run. */
export function sized<T>(long: T, short: T): T {
  return IS_LONG ? long : short;
}
