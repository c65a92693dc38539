// Long suites have a short form: the same code with smaller numbers.

const SIZE = process.env['CLAIMLINK_TESTS'];

/** true in a part of `npm run ha` and in `npm run interleavings`, which are tests at their largest size. */
export const IS_DRILL = SIZE === 'drill';

/** true if the suites run at full size. `.ci/run` sets CLAIMLINK_TESTS=long. */
export const IS_LONG = SIZE === 'long' || IS_DRILL;

/** Returns the first value in a long run, and the second one in a short run. */
export function sized<T>(long: T, short: T): T {
  return IS_LONG ? long : short;
}
