// Which entries of the journal: filters checked, matched and put into words.

import { type JournalEntry, type JournalFilter, ROUTE_NAMES } from '../control.js';
import {
  assertMembers,
  checkClientId,
  checkInteger,
  checkOneOf,
  isIntegerBetween,
  type MemberCheck,
  type MemberChecks,
} from './check-members.js';

/** What to wait for: so many entries, for so long. */
export type WaitFilter = JournalFilter & { count?: number; timeoutMs?: number };

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'];

const checkMethod: MemberCheck = (value) =>
  typeof value === 'string' && /^[a-z-]{1,20}$/i.test(value) ? undefined : 'must be a method, such as POST';

const checkStatus: MemberCheck = (value) =>
  isIntegerBetween(value, 100, 599) || STATUS_CLASSES.some((entry) => entry === value)
    ? undefined
    : 'must be a status, 100 to 599, or a class of them, such as 4xx';

const FILTER_CHECKS = {
  clientId: checkClientId,
  route: checkOneOf(ROUTE_NAMES),
  method: checkMethod,
  status: checkStatus,
  after: checkInteger(0, Number.MAX_SAFE_INTEGER),
} satisfies Record<keyof JournalFilter, MemberCheck>;

/** @throws `request_invalid` with every problem. */
export function assertFilter(filter: JournalFilter): void {
  assertMembers(filter, FILTER_CHECKS, 'The filter of requests', 'a filter of requests');
}

/** @throws `request_invalid` with every problem. */
export function assertWaitFilter(filter: WaitFilter, maxCount: number, maxTimeoutMs: number): void {
  const checks: MemberChecks = {
    ...FILTER_CHECKS,
    count: checkInteger(1, maxCount),
    timeoutMs: checkInteger(1, maxTimeoutMs),
  };
  assertMembers(filter, checks, 'The filter of requests', 'a filter of requests to wait for');
}

/** Whether an entry is meant. Methods are compared without regard to case. */
export function isMatch(entry: JournalEntry, filter: JournalFilter): boolean {
  const { clientId, route, method, status, after } = filter;
  return (
    (clientId === undefined || entry.clientId === clientId) &&
    (route === undefined || entry.route === route) &&
    (method === undefined || entry.method.toUpperCase() === method.toUpperCase()) &&
    (status === undefined || isStatus(entry.status, status)) &&
    (after === undefined || entry.id > after)
  );
}

function isStatus(status: number | null, wanted: number | string): boolean {
  if (status === null) return false;
  return typeof wanted === 'number' ? status === wanted : `${Math.floor(status / 100)}xx` === wanted;
}

/** ` (route createLink, status 4xx)`, or nothing for a filter that lets all through. */
export function describeFilter({ route, method, status, clientId, after }: JournalFilter): string {
  const parts = Object.entries({ route, method, status, client: clientId, after })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`);
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}
