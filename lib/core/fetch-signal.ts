// The signal of a `fetch`. In Jest with jsdom, fetch is of Node and rejects the signals of jsdom (Node 24).

/** Returns the option `signal` for `fetch` and `Request`, or none if they reject it: then the caller must stop waiting itself. */
export function signalOption(signal: AbortSignal): { signal?: AbortSignal } {
  try {
    new Request('http://localhost', { signal });
    return { signal };
  } catch {
    return {};
  }
}
