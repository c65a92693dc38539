// Type-level assertions: they fail where `tsc -p tsconfig.json` runs, not when the test runs.

/** Whether two types are identical, optional and readonly markers included. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only for `true`; the words say which regression the line pins. */
export function expectTrue<T extends true>(_pins: string): T | undefined {
  return undefined;
}
