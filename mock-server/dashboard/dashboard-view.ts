// What the parts of the dashboard are given to show, and the addresses they link to.
import type { Claimlink, ClaimlinkError, SelectedPolicy, SessionPage } from '../../lib/index.js';
import type { MockControl, MockLink, Scope } from '../control.js';
import type { MockClientOptions } from '../options.js';
import type { SnapshotShelf } from '../world/snapshot-shelf.js';
import type { World } from './world.js';

/** What the dashboard shows and drives. */
export interface DashboardDeps extends World {
  /** Each call runs at the time of its client's clock. */
  claimlink: Pick<Claimlink, 'listSessions' | 'createLink'>;
  control: MockControl;
  /** The world lives in a database: it can neither be reset nor restored. */
  isDurable: boolean;
  snapshots: SnapshotShelf;
  /** A client with its name and its callback origins; added ones, too. */
  findClient(clientId: string): MockClientOptions | undefined;
  /** false: added while the mock ran, so that it can be removed. */
  isConfigured(clientId: string): boolean;
}

/** A form that was sent and not accepted: it comes back with what was typed and what is wrong. */
export interface RefusedForm {
  action: string;
  fields: URLSearchParams;
  problem: ClaimlinkError;
}

/** What is on the dashboard. */
export interface DashboardView extends DashboardDeps {
  /** Path from this page to the dashboard's own. */
  root: './' | '../../';
  client: MockClientOptions;
  /** Users that the client begins with. */
  userIds: readonly string[];
  userId: string;
  cursor: string | undefined;
  /** Clock, faults, reset and snapshots are for all clients, or for this one. */
  isForAll: boolean;
  /** undefined when it could not be had; `problem` or `listingProblem` says why. */
  listing: SessionPage | undefined;
  /** The service cannot list this user's sessions, as it may be for a magic user. */
  listingProblem: string | undefined;
  /** The policy of the user's newest session. */
  policy: SelectedPolicy | undefined;
  /** The link that was made just now. */
  madeLink: MockLink | undefined;
  problem: ClaimlinkError | undefined;
  refused: RefusedForm | undefined;
}

/** What the clock and fault controls act on. */
export function scopeOf({ isForAll, client }: Pick<DashboardView, 'isForAll' | 'client'>): Scope {
  return isForAll ? {} : { clientId: client.clientId };
}

/** Which page of the dashboard. */
export interface PageState {
  client: string;
  user?: string;
  cursor?: string | undefined;
  isForAll?: boolean;
  /** Id of the link that was made just now. */
  made?: string | undefined;
}

/** The address of a page of the dashboard, below a path to it. */
export function pageHref(root: string, { client, user, cursor, isForAll, made }: PageState): string {
  const query = new URLSearchParams({ client });
  if (user) query.set('user', user);
  if (cursor !== undefined) query.set('cursor', cursor);
  if (isForAll) query.set('scope', 'all');
  if (made !== undefined) query.set('made', made);
  return `${root}?${query.toString()}`;
}

/** A moment as people read it: `2026-01-31 14:05:09`, UTC. */
export function toMinuteAndSecond(moment: Date): string {
  return moment.toISOString().slice(0, 19).replace('T', ' ');
}

/** A moment without its seconds: `2026-01-31 14:05`, UTC. */
export function toMinute(moment: Date): string {
  return moment.toISOString().slice(0, 16).replace('T', ' ');
}
