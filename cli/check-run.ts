// Runs the contract suite against a deployment and collects the results.

import { isError } from '../lib/core/plain-data.js';
import { NO_CLAIM } from '../lib/testing/contract-suite/deployment.js';
import {
  type ContractCase,
  type ContractTarget,
  contractSuite,
  type FailedExchange,
  isNotApplicable,
  isRuleFailure,
  type RuleFailure,
} from '../lib/testing/index.js';
import { curlLine } from '../mock-server/curl.js';

/** The result of one rule. */
export interface CheckedRule {
  /** The part of the contract, or the decision, that the rule comes from. */
  section: string;
  name: string;
  kind: ContractCase['kind'];
  outcome: 'passed' | 'failed' | 'not_applicable';
  durationMs: number;
  /** Of a failed rule: the request, or the place in its response. */
  where?: string;
  /** Of a failed rule: what the response was. */
  actual?: string;
  /** Of a failed rule: what was expected. */
  expected?: string;
  /** Of a failed rule: what to do. */
  advice?: string;
  /** Of a failed rule: a response that passes, or the part of its body that the rule is about. */
  sample?: string;
  /** Of a failed rule: status and start of the response, if there was one. The body may contain session data. */
  response?: { status: number; bodyStart: string };
  /** Of a failed rule: a command line that sends the request again, with the key in $CLAIMLINK_API_KEY. */
  curl?: string;
  /** Of a failed rule: the name of the first rule that failed for the same cause. */
  cause?: string;
  /** Of a rule that does not apply: why. */
  reason?: string;
}

/** Numbers of rules. */
export interface Counts {
  rules: number;
  passed: number;
  failed: number;
  notApplicable: number;
}

/** The output of `check --json`. Later versions may add members, but do not rename them. */
export interface CheckResult {
  baseUrl: string;
  clientId: string;
  /** The user of the links and claims that the check created. */
  userId: string;
  summary: Counts & { durationMs: number; contract: Counts; decisions: Counts };
  /** How often the deployment answered 429. The check waited, and sent these requests again. */
  rateLimited: number;
  /** Why the check ended before its last rule: the response that exceeded a limit. Absent if it did not. */
  ended?: string;
  /** false: a rule of the contract did not apply because no claim was accepted. */
  proven: boolean;
  /** In the order of their sections. Without the rules that did not run. */
  rules: CheckedRule[];
}

export type CheckTarget = ContractTarget & Required<Pick<ContractTarget, 'userId' | 'fetch'>>;

/**
 * Runs all rules, or those of one kind, in order. Calls `onProgress` before each rule, and before it waits after a 429.
 * @throws `options_invalid` for an invalid target.
 */
export async function runCheck(
  target: CheckTarget,
  onProgress: (text: string, index: number, count: number) => void,
  only: ContractCase['kind'] | undefined,
): Promise<CheckResult> {
  const startedAt = performance.now();
  const rules: CheckedRule[] = [];
  let rateLimited = 0;
  let ended: string | undefined;
  const onResponse = (response: Response) => {
    if (response.status !== 429) return;
    rateLimited++;
    onProgress('429: waits before the next request', rules.length, cases.length);
  };
  const cases = contractSuite({
    ...target,
    fetch: async (request) => {
      const response = await target.fetch(request);
      onResponse(response);
      return response;
    },
  }).filter(({ kind }) => only === undefined || kind === only);
  for (const rule of cases) {
    const { section, name, kind, run } = rule;
    onProgress(name, rules.length, cases.length);
    const ruleStartedAt = performance.now();
    const outcome = await run().then(
      () => ({ outcome: 'passed' as const }),
      (error: unknown) => {
        if (isRuleFailure(error) && error.endsRun) ended = endText(error);
        return outcomeOf(error, rule);
      },
    );
    if (ended !== undefined) break;
    rules.push({ section, name, kind, durationMs: since(ruleStartedAt), ...outcome });
  }
  nameCauses(rules);
  const summary = {
    ...countsOf(rules),
    durationMs: since(startedAt),
    contract: countsOf(rules.filter(({ kind }) => kind === 'contract')),
    decisions: countsOf(rules.filter(({ kind }) => kind === 'decision')),
  };
  const { baseUrl, clientId, userId } = target;
  const proven = !rules.some(({ kind, reason }) => kind === 'contract' && reason?.includes(NO_CLAIM));
  return {
    baseUrl,
    clientId,
    userId,
    summary,
    rateLimited,
    ...(ended !== undefined && { ended }),
    proven,
    rules,
  };
}

/** Says which response ended the check, and why. */
export function endText({
  where,
  actual,
  expected,
}: Pick<RuleFailure, 'where' | 'actual' | 'expected'>): string {
  return `The check ended: ${where}: saw ${actual}; expected ${expected}.`;
}

/** Counts rules by their outcome. */
function countsOf(rules: readonly CheckedRule[]): Counts {
  const count = (expected: CheckedRule['outcome']) =>
    rules.filter(({ outcome }) => outcome === expected).length;
  return {
    rules: rules.length,
    passed: count('passed'),
    failed: count('failed'),
    notApplicable: count('not_applicable'),
  };
}

/**
 * Names the cause of each failure: the first rule that saw the same at the same method and path. One endpoint that does
 * not respond as expected fails every rule that needs it.
 */
function nameCauses(rules: readonly CheckedRule[]): void {
  const firstRules = new Map<string, string>();
  for (const rule of rules) {
    if (rule.outcome !== 'failed') continue;
    // Rules use users and clients with random names, and their own queries.
    const place = (rule.where ?? '').replace(/[0-9a-f]{8,}/g, '*').replace(/\?\S*/, '');
    // A success where an error is expected needs a check of its own for each expectation.
    const isSuccess = rule.response !== undefined && rule.response.status < 300;
    const key = [place, rule.actual, isSuccess ? rule.expected : ''].join('\n');
    if (!firstRules.has(key)) firstRules.set(key, rule.name);
    rule.cause = firstRules.get(key) ?? rule.name;
  }
}

type RuleOutcome = Omit<CheckedRule, 'section' | 'name' | 'kind' | 'durationMs'>;

function outcomeOf(error: unknown, { advice, sample }: ContractCase): RuleOutcome {
  if (isNotApplicable(error)) return { outcome: 'not_applicable', reason: error.message };
  // Any other error is a defect of the suite. Its message is not shown, because it may contain secrets.
  if (!isRuleFailure(error)) {
    const actual = `${isError(error) ? error.name : 'a value'} thrown`;
    const expected = 'a response that the rule can read';
    return { outcome: 'failed', where: 'the rule itself', actual, expected, advice };
  }
  const { where, actual, expected, exchange } = error;
  return {
    outcome: 'failed',
    where,
    actual,
    expected,
    advice,
    ...(sample !== undefined && { sample }),
    ...(exchange?.response && { response: exchange.response }),
    ...(exchange && { curl: curlOf(exchange) }),
  };
}

function curlOf(exchange: FailedExchange): string {
  const key = exchange.hasApiKey ? { 'x-api-key': { variable: 'CLAIMLINK_API_KEY' } } : {};
  return curlLine({ ...exchange, headers: { ...key, ...exchange.headers } }, process.platform);
}

function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
