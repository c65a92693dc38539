// Long suites have a short form: the same code with smaller numbers.

const SIZE = process.env['CLAIMLINK_TESTS'];

/** true in `npm run proof` and `npm run test:release`: tests at their largest size. */
export const IS_RELEASE = SIZE === 'release';

/** true if the suites run at full size. `.ci/run` sets CLAIMLINK_TESTS=long. */
export const IS_LONG = SIZE === 'long' || IS_RELEASE;

/** Returns the first value in a long run, the second one in a short run, and the third one at the largest size. */
export function sized<T>(long: T, short: T, largest = long): T {
  if (IS_RELEASE) return largest;
  return IS_LONG ? long : short;
}
