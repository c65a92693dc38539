// The context of all cards: the mock, the client and the user on the page, values that stay up to date, and results of actions.
import { createContext } from 'preact';
import { type Inputs, useContext, useEffect, useState } from 'preact/hooks';
import type { MockControl, MockEvent, MockStateReport, Scope } from '../control.js';
import { type Live, statusOf } from './live.js';

export interface Page {
  control: MockControl;
  live: Live;
  state: MockStateReport;
  client: MockStateReport['clients'][number];
  /** User whose sessions are shown. */
  userId: string;
  showUser(userId: string): void;
  showClient(clientId: string): void;
  /** Name of the card that a narrow window shows. */
  section: string;
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
 * Returns what `load` resolves to. Loads at first, when an input changes, and after each event that `isAffected`
 * selects. While the mock does not respond, the value stays as it is.
 */
export function useLive<T>(
  live: Live,
  load: () => Promise<T>,
  isAffected: (event: MockEvent) => boolean,
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
    const stop = live.listen((events) => {
      if (events.some((event) => isEverything(event) || isAffected(event))) void reload();
    });
    return () => {
      isStopped = true;
      stop();
    };
  }, [live, ...inputs]);
  return value;
}

type Part = Extract<MockEvent, { type: 'changed' }>['part'];

/** Returns a function that returns whether an event says that one of these parts changed. */
export function changeOf(...parts: Part[]): (event: MockEvent) => boolean {
  return (event) => event.type === 'changed' && parts.includes(event.part);
}

const isEverything = changeOf('everything');

/** Returns what `load` resolves to and keeps it up to date, see `useLive`. */
export function useLoaded<T>(
  load: () => Promise<T>,
  isAffected: (event: MockEvent) => boolean,
  inputs: Inputs,
): T | undefined {
  const { live, report } = usePage();
  return useLive(live, load, isAffected, inputs, report);
}

/** Names a scope: the id of its client, or `all clients`. */
export function nameOfScope({ clientId }: Scope): string {
  return clientId ?? 'all clients';
}
