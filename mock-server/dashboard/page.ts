// The context of all cards: the mock, the client and the user on the page, values that stay up to date, and results of actions.
import { createContext } from 'preact';
import { type Inputs, useContext, useEffect, useState } from 'preact/hooks';
import type { MockControl } from '../control/methods.js';
import type { MockStateReport } from '../control/types.js';
import { type Live, statusOf } from './live.js';

export interface Page {
  control: MockControl;
  live: Live;
  state: MockStateReport;
  /** The client that the selector of the page names. Every card shows and changes this one. */
  client: MockStateReport['clients'][number];
  /** User whose sessions are shown. */
  userId: string;
  showUser(userId: string): void;
  /** Tells screen readers what happened. */
  announce(text: string): void;
  /** Shows why something failed. */
  report(error: unknown): void;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('a card must be inside the page');
  return page;
}

/**
 * Returns what `load` resolves to. Loads at first, when an input changes, and after each batch of events. While the mock
 * does not respond, the value stays unchanged.
 */
export function useLive<T>(
  live: Live,
  load: () => Promise<T>,
  inputs: Inputs,
  onError: (error: unknown) => void,
): T | undefined {
  const [value, setValue] = useState<T>();
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
    const stop = live(() => void reload());
    return () => {
      isStopped = true;
      stop();
    };
  }, [live, ...inputs]);
  return value;
}

/** Returns what `load` resolves to and keeps it up to date, see `useLive`. */
export function useLoaded<T>(load: () => Promise<T>, inputs: Inputs): T | undefined {
  const { live, report } = usePage();
  return useLive(live, load, inputs, report);
}
