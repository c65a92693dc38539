// Ends an iteration when a signal aborts.

/** Iterates a body. Throws the reason of the signal when it aborts, also while the body waits for its next chunk. */
export async function* untilAborted<T>(
  body: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let abort = () => {};
  const onAbort = () => abort();
  const iterator = body[Symbol.asyncIterator]();
  // One listener and no Promise.race: each race would stay in memory until the signal aborts.
  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      else iterator.next().then(resolve, reject);
    });
  signal.addEventListener('abort', onAbort);
  let hasEnded = false;
  try {
    for (let result = await next(); !result.done; result = await next()) yield result.value;
    hasEnded = true;
  } finally {
    signal.removeEventListener('abort', onAbort);
    // A body that waits for a chunk would end only after it.
    if (!hasEnded) iterator.return?.().catch(() => {});
  }
}
