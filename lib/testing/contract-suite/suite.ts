// The contract suite: checks a deployment over HTTP against the contract and the decisions in docs/contract.md.

import { AssertionError } from 'node:assert/strict';
import type { ConformanceCase } from '../storage-suite/conformance-case.js';
import { authenticationSection, decidedAuthenticationSection } from './authentication.js';
import { createDeployment, type Deployment } from './deployment.js';
import { bodySection, errorSection, routeSection } from './errors.js';
import { isNotApplicable, NotApplicableError, RuleError, SEARCHED_LENGTH } from './expect.js';
import { headerSection } from './headers.js';
import { callbackSection, configSection, idempotencySection, linkSection, requestSection } from './link.js';
import { listingSection, memberOrderSection, sessionSection, successSection } from './listing.js';
import { forgedSection, pageSection, usedSection } from './pages.js';
import { orderSection } from './paging.js';
import { photoSection } from './photos.js';
import type { ContractSection } from './rule.js';
import { onceSection, submissionSection } from './submission.js';
import { type ContractTarget, resolveTarget } from './target.js';
import { tokenSection } from './token.js';

/** One rule of the contract and its check. */
export interface ContractCase extends ConformanceCase {
  /** Whether the contract states the rule, or claimlink decided it where the contract is silent. */
  kind: 'contract' | 'decision';
  /** Where the rule comes from: `Contract: ` and its part, or `Decision: ` and its subject in docs/contract.md. */
  section: string;
  /** Advice for a failed rule. */
  advice: string;
  /**
   * A response that passes, as HTTP/1.1 writes it, or the part of its body that the rule is about. Absent if words are
   * enough.
   */
  sample?: string;
  /**
   * Resolves if the deployment follows the rule. Rejects with a `RuleFailure` whose message says what was seen, what was
   * expected and what to do. Rejects with a `NotApplicableError` if the rule does not apply to this deployment. No message
   * contains the API key, a token or the data of a session.
   */
  run(): Promise<void>;
}

/** The exchange that a rule failed on, without secrets. The body of the response may contain session data. */
export interface FailedExchange {
  method: string;
  url: string;
  /** Without `x-api-key` if it was the key of the target. */
  headers: Readonly<Record<string, string>>;
  /** true: sent with the key of the target. */
  hasApiKey: boolean;
  /** Absent if there is none, or if it is too long or not text. */
  body?: string;
  /** Absent if there was no response. */
  response?: { status: number; bodyStart: string };
}

/** The error of a rule that the deployment does not follow. */
export interface RuleFailure extends AssertionError {
  /** The request, or the place in its response. */
  where: string;
  /** What the response was. */
  actual: string;
  expected: string;
  /**
   * true: a limit of the run was reached, such as the size of a response or a rate limit of the host. Every later rule
   * that sends a request fails with the same failure, and sends nothing.
   */
  endsRun: boolean;
  /** Absent if the failure is not about one request. */
  exchange?: FailedExchange;
}

/**
 * Returns whether a case rejected because the deployment does not follow its rule. Any other error is a defect of the suite,
 * whose message may contain secrets. Works across copies of the package.
 */
export function isRuleFailure(error: unknown): error is RuleFailure {
  return error instanceof AssertionError && 'where' in error;
}

/** Maximum size of a request body in a `FailedExchange`. */
const MAX_REQUEST_BODY = 4096;
/** Characters of a response body in a `FailedExchange`. */
const BODY_START_LENGTH = 300;
/** Maximum length of what was seen or expected in a message. */
const MAX_TEXT_LENGTH = 500;

const CONTRACT_SECTIONS: readonly ContractSection[] = [
  listingSection,
  sessionSection,
  linkSection,
  configSection,
  authenticationSection,
];

const DECISION_SECTIONS: readonly ContractSection[] = [
  successSection,
  memberOrderSection,
  orderSection,
  decidedAuthenticationSection,
  routeSection,
  bodySection,
  requestSection,
  errorSection,
  headerSection,
  tokenSection,
  callbackSection,
  idempotencySection,
  pageSection,
  submissionSection,
  onceSection,
  usedSection,
  forgedSection,
  photoSection,
];

/**
 * Returns the rules that every deployment must follow, in the order of their sections. Each rule may run alone, in any
 * order, and concurrently with others; they share links and sessions. The suite is safe on a sandbox: it only creates
 * links and submits claims for the user of the target, and for random numeric users. It sends requests to the origin
 * of `baseUrl` and to `linkOrigin` only. The cases of one call are one run, with limits of bytes and time. A request that is
 * answered 429 is sent again after `Retry-After`.
 *
 * ```ts
 * for (const { name, run } of contractSuite({ baseUrl, clientId, apiKey })) {
 *   test(name, async (t) => {
 *     try {
 *       await run();
 *     } catch (error) {
 *       if (!isNotApplicable(error)) throw error;
 *       t.skip(error.message); // or the name of this method in your runner
 *     }
 *   });
 * }
 * ```
 *
 * @throws `options_invalid` with every problem of the target.
 */
export function contractSuite(target: ContractTarget): ContractCase[] {
  const deployment = createDeployment(resolveTarget(target));
  const toCases = (kind: ContractCase['kind'], sections: readonly ContractSection[]) =>
    sections.flatMap(({ section, advice: sectionAdvice, rules }) =>
      rules.map(
        ({ name, sample, advice = sectionAdvice, check }): ContractCase => ({
          name,
          kind,
          section,
          advice,
          ...(sample !== undefined && { sample }),
          run: () =>
            check(deployment).catch((error: unknown) => {
              // A rule may have caught the failure that ended the run.
              throw toReport(deployment.endedBy() ?? error, advice, deployment);
            }),
        }),
      ),
    );
  return [...toCases('contract', CONTRACT_SECTIONS), ...toCases('decision', DECISION_SECTIONS)];
}

/** Adds the advice to a failure, and removes secrets: a message may quote any response. */
function toReport(error: unknown, advice: string, { redact, target }: Deployment): unknown {
  if (isNotApplicable(error)) return new NotApplicableError(redact(error.message));
  if (!(error instanceof RuleError)) return error;
  const shown = (text: string) => redact(text.slice(0, SEARCHED_LENGTH)).slice(0, MAX_TEXT_LENGTH);
  const [where, actual, expected] = [error.where, error.actual, error.expected].map(shown);
  const { endsRun } = error;
  const next = endsRun ? 'The run ends here: no later rule sends a request.' : advice;
  const report = new AssertionError({
    message: `${where}: saw ${actual}; expected ${expected}. ${next}`,
    actual,
    expected,
    operator: 'contract',
  });
  const exchange = toExchange(error, target.apiKey, redact);
  return Object.assign(report, { where, endsRun, ...(exchange && { exchange }) });
}

function toExchange(
  { request, response }: RuleError,
  apiKey: string,
  redact: (text: string) => string,
): FailedExchange | undefined {
  if (request === undefined) return undefined;
  const { 'x-api-key': sentKey, ...headers } = request.headers;
  const hasApiKey = sentKey === apiKey;
  const { body } = request;
  const isShown = typeof body === 'string' && body.length <= MAX_REQUEST_BODY;
  return {
    method: request.method,
    url: redact(request.url),
    headers: { ...(sentKey !== undefined && !hasApiKey && { 'x-api-key': sentKey }), ...headers },
    hasApiKey,
    ...(isShown && { body: redact(body) }),
    ...(response && {
      response: {
        status: response.status,
        bodyStart: redact(response.bodyStart).slice(0, BODY_START_LENGTH),
      },
    }),
  };
}
