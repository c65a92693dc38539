// Runs the contract suite against a deployment and collects the results.
import { type ContractTarget, contractSuite, isNotApplicable } from '../../lib/testing/index.js';

/** The result of one rule. */
export interface CheckedRule {
  /** The part of the contract, or the decision, that the rule comes from. */
  section: string;
  name: string;
  outcome: 'passed' | 'failed' | 'not_applicable';
  durationMs: number;
  /** Of a failed rule: the request, or the place in its response. */
  where?: string;
  /** Of a failed rule: what the response was. */
  seen?: string;
  /** Of a failed rule: what was expected. */
  says?: string;
  /** Of a failed rule: what to do. */
  advice?: string;
  /** Of a rule that does not apply: why. */
  reason?: string;
}

/** The output of `check --json`. Later versions may add members, but do not rename them. */
export interface CheckResult {
  baseUrl: string;
  clientId: string;
  /** The user of the links and claims that the check created. */
  userId: string;
  summary: { rules: number; passed: number; failed: number; notApplicable: number; durationMs: number };
  /** In the order of their sections. */
  rules: CheckedRule[];
}

/** The target of a check. */
export type CheckTarget = ContractTarget & Required<Pick<ContractTarget, 'userId'>>;

/** Checks the target without a request. @throws `options_invalid` for an invalid target. */
export function assertCheckTarget(target: CheckTarget): void {
  contractSuite(target);
}

/**
 * Runs all rules in order, and calls `onRule` before each.
 * @throws `options_invalid` for an invalid target.
 */
export async function runCheck(
  target: CheckTarget,
  onRule: (name: string, index: number, count: number) => void,
): Promise<CheckResult> {
  const cases = contractSuite(target);
  const startedAt = performance.now();
  const rules: CheckedRule[] = [];
  for (const [index, { section, name, advice, run }] of cases.entries()) {
    onRule(name, index, cases.length);
    const ruleStartedAt = performance.now();
    const outcome = await run().then(
      () => ({ outcome: 'passed' as const }),
      (error: unknown) => outcomeOf(error, advice),
    );
    rules.push({ section, name, durationMs: since(ruleStartedAt), ...outcome });
  }
  const count = (expected: CheckedRule['outcome']) =>
    rules.filter(({ outcome }) => outcome === expected).length;
  return {
    baseUrl: target.baseUrl,
    clientId: target.clientId,
    userId: target.userId,
    summary: {
      rules: rules.length,
      passed: count('passed'),
      failed: count('failed'),
      notApplicable: count('not_applicable'),
      durationMs: since(startedAt),
    },
    rules,
  };
}

function outcomeOf(error: unknown, advice: string): Omit<CheckedRule, 'section' | 'name' | 'durationMs'> {
  if (isNotApplicable(error)) return { outcome: 'not_applicable', reason: error.message };
  const isAssertion = error instanceof Error && 'actual' in error && 'expected' in error;
  // Any other error is a defect of the suite. Its message is not shown, because it may contain secrets.
  if (!isAssertion) {
    const seen = `${error instanceof Error ? error.name : 'a value'} thrown`;
    const says = 'a response that the rule can read';
    return { outcome: 'failed', where: 'the rule itself', seen, says, advice };
  }
  const [seen, says] = [String(error.actual), String(error.expected)];
  return { outcome: 'failed', where: error.message.split(`: saw ${seen};`)[0] ?? '', seen, says, advice };
}

function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
