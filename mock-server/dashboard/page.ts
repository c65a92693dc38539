// What all cards share: the mock, the client and the user on the page, and where results of actions are shown.
import { createContext } from 'preact';
import { type Inputs, useContext } from 'preact/hooks';
import type { MockControl, MockEvent, MockStateReport, Scope } from '../control.js';
import type { Live } from './live.js';
import { useLive } from './use-live.js';

/** A client as the state report describes it. */
export type ReportedClient = MockStateReport['clients'][number];

export interface Page {
  control: MockControl;
  live: Live;
  state: MockStateReport;
  client: ReportedClient;
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

/** Returns what `load` resolves to and keeps it up to date, see `useLive`. */
export function useLoaded<T>(
  load: () => Promise<T>,
  isAffected: (event: MockEvent) => boolean,
  inputs: Inputs,
): [T | undefined, () => void] {
  const { live, report } = usePage();
  return useLive(live, load, isAffected, inputs, report);
}

/** Returns a function that runs an action, then announces that it is done or shows why it failed. */
export function useRun(): (done: string, action: () => Promise<unknown>) => Promise<void> {
  const { announce, report } = usePage();
  return async (done, action) => {
    try {
      await action();
      announce(done);
    } catch (error) {
      report(error);
    }
  };
}

/** Names a scope: the id of its client, or `all clients`. */
export function nameOfScope({ clientId }: Scope): string {
  return clientId ?? 'all clients';
}
