// The contract suite: what the contract says of a deployment, and the README's decisions, checked over HTTP, from outside.
import { AssertionError } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';
import { authenticationSection, decidedAuthenticationSection } from './authentication.js';
import { bodySection, errorSection, headerSection, routeSection } from './errors.js';
import { isNotApplicable, NotApplicableError } from './expect.js';
import { callbackSection, configSection, linkSection, requestSection } from './link.js';
import { listingSection, memberOrderSection, sessionSection } from './listing.js';
import { forgedSection, pageSection, usedSection } from './pages.js';
import { orderSection } from './paging.js';
import { onceSection, submissionSection } from './submission.js';
import { type ContractTarget, resolveTarget } from './target.js';
import { tokenSection } from './token.js';
import { type ContractSection, createContractWorld } from './world.js';

type Redact = (text: string) => string;

/** One rule of the contract and its proof. */
export interface ContractCase extends ConformanceCase {
  /** Where the rule comes from: a part of the contract, or of the README's decisions where that one is silent. */
  section: string;
  /**
   * Resolves when the deployment keeps the rule. Rejects with an AssertionError that says what was seen and what the
   * contract says (also as its `actual` and `expected`), or with a `NotApplicableError` when the rule says nothing
   * about this deployment. No message has the API key, a token or a session's data in it.
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
 * The rules that every deployment keeps, in order of their sections. Each may run alone, in any order, and at the same
 * time as others; they share links and sessions. Safe on a sandbox: they make links and submit claims for the target's
 * user (and for random numbers, see `ContractTarget`), and change nothing else.
 *
 * ```ts
 * for (const { name, run } of contractSuite({ baseUrl, clientId, apiKey })) {
 *   test(name, async (t) => {
 *     try {
 *       await run();
 *     } catch (error) {
 *       if (!isNotApplicable(error)) throw error;
 *       t.skip(error.message); // or whatever the runner calls it
 *     }
 *   });
 * }
 * ```
 *
 * @throws `options_invalid` with every problem of the target.
 */
export function contractSuite(target: ContractTarget): ContractCase[] {
  const world = createContractWorld(resolveTarget(target));
  return SECTIONS.flatMap(({ section, rules }) =>
    rules.map(({ name, check }) => ({
      name,
      section,
      run: () =>
        check(world).catch((error: unknown) => {
          throw withoutSecrets(error, world.redact);
        }),
    })),
  );
}

/** What a deployment answers may hold anything, and some of it is shown: the key and tokens go here, in one place. */
function withoutSecrets(error: unknown, redact: Redact): unknown {
  if (isNotApplicable(error)) return new NotApplicableError(redact(error.message));
  if (!(error instanceof AssertionError)) return error;
  const { message, actual, expected, operator } = error;
  const text = (value: unknown) => redact(String(value));
  return new AssertionError({
    message: redact(message),
    actual: text(actual),
    expected: text(expected),
    operator,
  });
}
