// What a fault may say: every problem of one that is to be set, at once.
import type { ErrorDetail } from '../../lib/index.js';
import { FAULT_EFFECTS, type Fault, ROUTE_NAMES } from '../control.js';
import {
  checkClientId,
  checkInteger,
  checkMembers,
  checkOneOf,
  invalidMembers,
  isIntegerBetween,
  type MemberChecks,
} from './check-members.js';

/** The longest delay, in milliseconds. */
export const MAX_DELAY_MS = 60_000;

const FAULT_CHECKS = {
  clientId: checkClientId,
  route: checkOneOf(ROUTE_NAMES),
  status: checkInteger(400, 599),
  effect: checkOneOf(FAULT_EFFECTS),
  delayMs: checkDelay,
  times: checkInteger(1, 1_000_000),
  rate: checkRate,
} satisfies Record<keyof Fault, unknown> & MemberChecks;

/** @throws `request_invalid` with every problem. */
export function assertFault(fault: unknown): asserts fault is Fault {
  const problems = checkMembers(fault, FAULT_CHECKS, 'a fault');
  if (typeof fault === 'object' && fault !== null && !Array.isArray(fault)) {
    problems.push(...checkTogether(fault));
  }
  if (problems.length > 0) throw invalidMembers('The fault', problems);
}

function checkTogether({ status, effect, delayMs }: Fault): ErrorDetail[] {
  if (status !== undefined && effect !== undefined) {
    return [{ pointer: '/effect', rule: 'combination', detail: 'must not be given together with status' }];
  }
  if (status === undefined && effect === undefined && delayMs === undefined) {
    return [
      { pointer: '', rule: 'required', detail: 'must have at least one of status, effect and delayMs' },
    ];
  }
  return [];
}

function checkDelay(value: unknown): string | undefined {
  const [minimum, maximum, ...rest] = Array.isArray(value) ? value : [value, value];
  const isRange =
    isIntegerBetween(minimum, 0, MAX_DELAY_MS) &&
    isIntegerBetween(maximum, minimum, MAX_DELAY_MS) &&
    rest.length === 0;
  return isRange
    ? undefined
    : `must be whole milliseconds, 0 to ${MAX_DELAY_MS}, or a range of them, [least, most]`;
}

function checkRate(value: unknown): string | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number, 0 to 1';
}
