// Ends the pauses of the service at once, for tests in which a link is locked.

/** Lets `setTimeout` call back with the next turn of the loop. Adds the times to `pauses`. Returns what ends that. */
export function skipPauses(pauses: (number | undefined)[] = []): () => void {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = ((run: () => void, ms?: number) => {
    pauses.push(ms);
    return setTimeout(run);
  }) as typeof setTimeout;
  return () => {
    globalThis.setTimeout = setTimeout;
  };
}
