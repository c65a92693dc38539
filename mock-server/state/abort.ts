// Joins signals. AbortSignal.any keeps 30 to 85 bytes of each call in a signal that lives long, such as that of a mock (Node 20).

/** Returns a controller that is aborted with the first of these signals. Abort it in the end: then the signals forget it. */
export function abortedWith(...signals: readonly AbortSignal[]): AbortController {
  const controller = new AbortController();
  for (const signal of signals) {
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { signal: controller.signal });
  }
  return controller;
}
