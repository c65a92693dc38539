// What the contract suite is pointed at: its options, checked against a closed list.

import { type ErrorDetail, invalidOptions } from '../core/errors.js';
import { parseUrl } from '../core/url.js';

/** A deployment, and who to be there. An unknown or bad member throws `options_invalid`. */
export interface ContractTarget {
  /** The contract's {base_url}: absolute http(s) URL with any mount prefix; a trailing slash is dropped. */
  baseUrl: string;
  clientId: string;
  /** A key of this client. Sent to `baseUrl` only, and shown in no message. */
  apiKey: string;
  /**
   * The user that links are made and claims are submitted for; at most 80 characters. Default:
   * `claimlink-check-<random>`, so that what the suite creates is named. The rules about ids that are numbers take
   * random ones of 15 digits. Every claim has a policy number `claimlink-check-<random>`.
   */
  userId?: string;
  /**
   * Where links send users back to; never followed. Must be one that the client's `callbackOrigins` allow.
   * Default: `https://example.com/claimlink-check?reference={SESSION_REFERENCE}&status={STATUS}`.
   */
  callbackUrl?: string;
  /** Another client of the deployment, which `apiKey` is no key of. Default: none, and its rules do not apply. */
  otherClientId?: string;
  /** How requests are sent; `createFetchHandler(claimlink)` does without a port. Default: the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** How long an answer may take: 0.1 .. 300. Default 10. */
  timeoutSeconds?: number;
}

/** The target with every default filled in. */
export type ResolvedTarget = Readonly<
  Required<Omit<ContractTarget, 'otherClientId'>> & Pick<ContractTarget, 'otherClientId'>
>;

type Check = (value: unknown) => string | undefined;

const CHECKS: Record<keyof ContractTarget, Check> = {
  baseUrl: checkBaseUrl,
  clientId: isText(100),
  apiKey: (value) =>
    typeof value === 'string' && /^[\x21-\x7e]{1,1000}$/.test(value)
      ? undefined
      : 'must be printable ASCII characters without spaces',
  // Room for what the suite appends.
  userId: isText(80),
  callbackUrl: (value) =>
    typeof value === 'string' && /^[\x21-\x7e]{1,2000}$/.test(value) && parseUrl(value) !== undefined
      ? undefined
      : 'must be an absolute URL in ASCII',
  otherClientId: isText(100),
  fetch: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
  timeoutSeconds: (value) =>
    typeof value === 'number' && value >= 0.1 && value <= 300 ? undefined : 'must be a number, 0.1 to 300',
};

const REQUIRED = ['baseUrl', 'clientId', 'apiKey'] as const;

/** @throws `options_invalid` with all problems; none of them quotes a value. */
export function resolveTarget(target: ContractTarget): ResolvedTarget {
  if (typeof target !== 'object' || target === null)
    throw invalidOptions([{ pointer: '', rule: 'type', detail: 'must be an object' }]);
  const problems: ErrorDetail[] = [];
  for (const name of REQUIRED) {
    if (target[name] === undefined)
      problems.push({ pointer: `/${name}`, rule: 'required', detail: 'is required' });
  }
  for (const [name, value] of Object.entries(target)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof ContractTarget] : undefined;
    const detail = check ? check(value) : 'is not an option of the contract suite';
    if (detail !== undefined)
      problems.push({ pointer: `/${name}`, rule: check ? 'value' : 'unknown_option', detail });
  }
  if (target.otherClientId !== undefined && target.otherClientId === target.clientId)
    problems.push({ pointer: '/otherClientId', rule: 'value', detail: 'must be another client' });
  if (problems.length > 0) throw invalidOptions(problems);
  return Object.freeze({
    baseUrl: target.baseUrl.replace(/\/+$/, ''),
    clientId: target.clientId,
    apiKey: target.apiKey,
    userId: target.userId ?? `claimlink-check-${randomName()}`,
    callbackUrl:
      target.callbackUrl ??
      'https://example.com/claimlink-check?reference={SESSION_REFERENCE}&status={STATUS}',
    ...(target.otherClientId !== undefined && { otherClientId: target.otherClientId }),
    fetch: target.fetch ?? ((request) => fetch(request)),
    timeoutSeconds: target.timeoutSeconds ?? 10,
  });
}

/** Eight random hexadecimal digits. */
export function randomName(): string {
  return crypto.randomUUID().slice(0, 8);
}

function checkBaseUrl(value: unknown): string | undefined {
  const url = typeof value === 'string' ? parseUrl(value) : undefined;
  const isBase =
    url !== undefined &&
    /^https?:\/\/[!-~]+$/.test(String(value)) &&
    !/[?#\\<>"]/.test(String(value)) &&
    url.username === '' &&
    url.password === '';
  return isBase
    ? undefined
    : 'must be an absolute http or https URL in ASCII without user name, query and fragment';
}

function isText(maxLength: number): Check {
  return (value) => {
    const isRight =
      typeof value === 'string' &&
      value.length >= 1 &&
      value.length <= maxLength &&
      value.isWellFormed() &&
      // `.` and `..` are no path segments that a URL can carry.
      !/^\.{1,2}$/.test(value) &&
      !/\p{Cc}/u.test(value);
    return isRight ? undefined : `must be 1 to ${maxLength} characters without control characters`;
  };
}
