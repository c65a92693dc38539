// Options of the contract suite, checked against a closed list.
import {
  mustBeFunction,
  mustBeNumber,
  type OptionCheck,
  type OptionChecks,
  optionProblems,
} from '../../core/assert-options.js';
import { invalidOptions } from '../../core/errors.js';
import { isRecord } from '../../core/plain-data.js';
import { MAX_USER_ID_LENGTH } from '../../core/schemas.js';
import type { ClaimSubmission } from '../../core/types.js';
import { baseUrlProblem, parseUrl } from '../../core/url.js';
import { idProblem } from '../../core/validators.js';

/** The deployment under test, and the client and user for it. Unknown and invalid members throw `options_invalid`. */
export interface ContractTarget {
  /** The contract's {base_url}: absolute http(s) URL with the mount prefix. A trailing slash is removed. */
  baseUrl: string;
  clientId: string;
  /** API key of the client. Sent to `baseUrl` only; no message contains it. */
  apiKey: string;
  /**
   * The user of the links and claims that the suite creates; at most 236 UTF-16 code units. Default:
   * `claimlink-check-<random>`. Rules about numeric user ids use random ids of 15 digits. Every claim has a policy
   * number `claimlink-check-<random>`.
   */
  userId?: string;
  /**
   * Callback URL of the links; never requested. The client's `callbackOrigins` must allow it.
   * Default: `https://example.com/claimlink-check?reference={SESSION_REFERENCE}&status={STATUS}`.
   */
  callbackUrl?: string;
  /** Id of another client of the deployment. Default: none; then the rules about another client do not apply. */
  otherClientId?: string;
  /**
   * Origin of links that lead to another origin than `baseUrl`, such as `https://claims.example.com`. The suite sends
   * requests to this origin and the origin of `baseUrl` only. Default: none.
   */
  linkOrigin?: string;
  /**
   * A claim that the deployment accepts, such as one of a policy that `validateClaim` of the host knows. The suite sends it
   * many times, with another `incident.description` each time. Default: claims of policies that do not exist.
   */
  claim?: ClaimSubmission;
  /** Sends the requests; `createFetchHandler(claimlink)` needs no port. Default: the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Time limit of a response in seconds, 0.1 to 300. Default 10. */
  timeoutSeconds?: number;
}

/** The target with all defaults. */
export type ResolvedTarget = Readonly<
  Required<Omit<ContractTarget, 'otherClientId' | 'linkOrigin' | 'claim'>> &
    Pick<ContractTarget, 'otherClientId' | 'linkOrigin' | 'claim'>
>;

const CHECKS: OptionChecks<ContractTarget> = {
  baseUrl: baseUrlProblem,
  clientId: isText(100),
  apiKey: (value) =>
    typeof value === 'string' && /^[\x21-\x7e]{1,1000}$/.test(value)
      ? undefined
      : 'must be printable ASCII characters without spaces',
  // The suite appends a suffix.
  userId: isText(MAX_USER_ID_LENGTH - 20),
  callbackUrl: (value) =>
    typeof value === 'string' && /^[\x21-\x7e]{1,2000}$/.test(value) && parseUrl(value) !== undefined
      ? undefined
      : 'must be an absolute URL in ASCII',
  otherClientId: isText(100),
  linkOrigin: (value) =>
    typeof value === 'string' && /^https?:/.test(value) && parseUrl(value)?.origin === value
      ? undefined
      : 'must be an http or https origin, such as https://claims.example.com',
  claim: (value) =>
    typeof memberOf(memberOf(value, 'policy'), 'number') === 'string'
      ? undefined
      : 'must be a claim, an object with policy.number',
  fetch: mustBeFunction,
  timeoutSeconds: mustBeNumber(0.1, 300),
};

/** @throws `options_invalid` with all problems; no problem contains a value. */
export function resolveTarget(target: ContractTarget): ResolvedTarget {
  const problems = optionProblems(target, CHECKS, { required: ['baseUrl', 'clientId', 'apiKey'] });
  if (target?.otherClientId !== undefined && target.otherClientId === target.clientId)
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
    ...(target.linkOrigin !== undefined && { linkOrigin: target.linkOrigin }),
    ...(target.claim !== undefined && { claim: structuredClone(target.claim) }),
    fetch: target.fetch ?? ((request) => fetch(request)),
    timeoutSeconds: target.timeoutSeconds ?? 10,
  });
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Returns eight random hexadecimal digits. */
export function randomName(): string {
  return crypto.randomUUID().slice(0, 8);
}

function isText(maxLength: number): OptionCheck {
  return (value) => {
    const isRight =
      typeof value === 'string' && value.length <= maxLength && idProblem(value, maxLength) === undefined;
    return isRight ? undefined : `must be 1 to ${maxLength} UTF-16 code units without control characters`;
  };
}
