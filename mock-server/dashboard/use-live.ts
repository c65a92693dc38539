// Loads values for cards, and loads them again after events that change them.
import { type Inputs, useEffect, useState } from 'preact/hooks';
import type { MockEvent } from '../control.js';
import { type Live, statusOf } from './live.js';

/**
 * Returns what `load` resolves to, and a function that loads again. Loads at first, when an input changes, and after
 * each event that `isAffected` selects. While the mock does not respond, the value stays as it is.
 */
export function useLive<T>(
  live: Live,
  load: () => Promise<T>,
  isAffected: (event: MockEvent) => boolean,
  inputs: Inputs,
  onError: (error: unknown) => void,
): [T | undefined, () => void] {
  const [value, setValue] = useState<T>();
  const [reloads, setReloads] = useState(0);
  // The caller names the inputs of its functions.
  useEffect(() => {
    let isStopped = false;
    let isLoading = false;
    let isOutdated = false;
    async function reload(): Promise<void> {
      isOutdated = true;
      if (isLoading) return;
      isLoading = true;
      while (isOutdated && !isStopped) {
        isOutdated = false;
        try {
          const loaded = await load();
          if (!isStopped) setValue(() => loaded);
        } catch (error) {
          // Without a response the connection is gone, which the page shows. 404: the client was removed; the list of
          // clients is about to change.
          if (!isStopped && ![undefined, 404].includes(statusOf(error))) onError(error);
        }
      }
      isLoading = false;
    }
    void reload();
    const stop = live.listen((events) => {
      if (events.some((event) => isEverything(event) || isAffected(event))) void reload();
    });
    return () => {
      isStopped = true;
      stop();
    };
  }, [live, reloads, ...inputs]);
  return [value, () => setReloads((count) => count + 1)];
}

function isEverything(event: MockEvent): boolean {
  return event.type === 'changed' && event.part === 'everything';
}
