// The contract suite: checks a deployment over HTTP against the contract and the decisions in docs/decisions.md.

import { AssertionError } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';
import { authenticationSection, decidedAuthenticationSection } from './authentication.js';
import { createDeployment } from './deployment.js';
import { bodySection, errorSection, routeSection } from './errors.js';
import { isNotApplicable, NotApplicableError } from './expect.js';
import { headerSection } from './headers.js';
import { callbackSection, configSection, linkSection, requestSection } from './link.js';
import { listingSection, memberOrderSection, sessionSection } from './listing.js';
import { forgedSection, pageSection, usedSection } from './pages.js';
import { orderSection } from './paging.js';
import type { ContractSection } from './rule.js';
import { onceSection, submissionSection } from './submission.js';
import { type ContractTarget, resolveTarget } from './target.js';
import { tokenSection } from './token.js';

/** One rule of the contract and its check. */
export interface ContractCase extends ConformanceCase {
  /** Where the rule comes from: `Contract: ` and its part, or `Decision: ` and its subject in docs/decisions.md. */
  section: string;
  /** What to do if the rule fails. */
  advice: string;
  /**
   * Resolves if the deployment follows the rule. Rejects with an AssertionError whose message says what was seen, what
   * was expected (also as `actual` and `expected`) and what to do. Rejects with a `NotApplicableError` if the rule
   * does not apply to this deployment. No message contains the API key, a token or the data of a session.
   */
  run(): Promise<void>;
}

const SECTIONS: readonly ContractSection[] = [
  listingSection,
  sessionSection,
  linkSection,
  configSection,
  authenticationSection,
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
  pageSection,
  submissionSection,
  onceSection,
  usedSection,
  forgedSection,
];

/**
 * Returns the rules that every deployment must follow, in the order of their sections. Each rule may run alone, in any
 * order, and concurrently with others; they share links and sessions. The suite is safe on a sandbox: it only creates
 * links and submits claims for the user of the target, and for random numeric users. It sends requests to the origin
 * of `baseUrl` and to `linkOrigin` only.
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
  return SECTIONS.flatMap(({ section, advice, rules }) =>
    rules.map(({ name, check }) => ({
      name,
      section,
      advice,
      run: () =>
        check(deployment).catch((error: unknown) => {
          throw toReport(error, advice, deployment.redact);
        }),
    })),
  );
}

/** Adds the advice to a failure, and removes secrets: a message may quote any response. */
function toReport(error: unknown, advice: string, redact: (text: string) => string): unknown {
  if (isNotApplicable(error)) return new NotApplicableError(redact(error.message));
  if (!(error instanceof AssertionError)) return error;
  return new AssertionError({
    message: `${redact(error.message)}. ${advice}`,
    actual: redact(String(error.actual)),
    expected: redact(String(error.expected)),
    operator: error.operator,
  });
}
