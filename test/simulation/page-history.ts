// The history of the pages of a link: what customers sent, what was stored, and what the pages told.
import type { LoggedHistory } from './kind.js';
import type { Browser, Tab } from './page-plan.js';

/** What a page tells its customer. */
export type Told =
  /** The claim with this text is stored. `answers` is the text that the page shows as stored. */
  | ({ kind: 'stored'; text: string; answers?: string } & Submitted)
  /** A claim is stored. The page does not say which one. */
  | ({ kind: 'submitted' } & Submitted)
  /** A claim is stored, and it is not the one with this text. */
  | ({ kind: 'changed'; text: string } & Submitted)
  /** The service did not take the claim. */
  | { kind: 'not sent'; reason: string }
  /** The link has no claim: it takes one, or it has ended without one. */
  | { kind: 'no claim'; reason: string }
  /** The claim may be stored or not. `status` is that of the response, if there is one. */
  | { kind: 'unknown'; status?: number };

/** The stored submission. A page may leave something out. */
export interface Submitted {
  reference?: string;
  /** YYYY-MM-DDTHH:MM in UTC. */
  date?: string;
}

export type PageEvent =
  /** A customer sends the text of the form. */
  | { kind: 'sent'; attempt: number; browser: Browser; text: string }
  /** The storage stores the claim of an attempt. */
  | { kind: 'stored'; attempt: number; text: string; reference: string; date: string }
  | {
      kind: 'told';
      tab: Tab;
      browser: Browser;
      told: Told;
      /** The attempt that it is about. Absent if the customer opened the page only. */
      attempt?: number;
      /** Number of events before the request. */
      since: number;
      /** Clock of the service when it responded. */
      clock: number;
      /** Whether a part of the request or of its calls could fail. */
      hasFaults: boolean;
    };

export interface PageHistory extends LoggedHistory {
  events: readonly PageEvent[];
  /** Number of requests that reached the service. */
  requests: number;
}
