// Type-level assertions: they fail where `tsc -p tsconfig.json` runs, not when the test runs.

/** Whether two types are identical, optional and readonly markers included. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only if each member is `true`. The name of a member says which regression it pins. */
export function expectAll<T extends Record<keyof T, true>>(): T | undefined {
  return undefined;
}
