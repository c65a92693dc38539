// Runs the contract suite against a deployment and collects the results.
import {
  type ContractCase,
  type ContractTarget,
  contractSuite,
  type FailedExchange,
  isNotApplicable,
  isRuleFailure,
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
  /** In the order of their sections. */
  rules: CheckedRule[];
}

export type CheckTarget = ContractTarget & Required<Pick<ContractTarget, 'userId'>>;

/**
 * Runs all rules, or those of one kind, in order, and calls `onRule` before each.
 * @throws `options_invalid` for an invalid target.
 */
export async function runCheck(
  target: CheckTarget,
  onRule: (name: string, index: number, count: number) => void,
  only: ContractCase['kind'] | undefined,
): Promise<CheckResult> {
  const cases = contractSuite(target).filter(({ kind }) => only === undefined || kind === only);
  const startedAt = performance.now();
  const rules: CheckedRule[] = [];
  for (const [index, rule] of cases.entries()) {
    const { section, name, kind, run } = rule;
    onRule(name, index, cases.length);
    const ruleStartedAt = performance.now();
    const outcome = await run().then(
      () => ({ outcome: 'passed' as const }),
      (error: unknown) => outcomeOf(error, rule),
    );
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
  return { baseUrl, clientId, userId, summary, rules };
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
    const actual = `${error instanceof Error ? error.name : 'a value'} thrown`;
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
