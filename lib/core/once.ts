// Loads what only some services need, with the first use.

/** Returns a function that creates a value with its first call. A call after a failed one tries again. */
export function once<T>(create: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= create().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}
