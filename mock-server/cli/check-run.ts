// Runs the contract suite against a deployment, rule by rule, and keeps what came out of each.
import { type ContractTarget, contractSuite, isNotApplicable } from '../../lib/testing/index.js';

/** How one rule came out. */
export interface CheckedRule {
  /** Which part of the contract or the design it comes from. */
  section: string;
  name: string;
  outcome: 'passed' | 'failed' | 'not_applicable';
  durationMs: number;
  /** Of a failed rule: the request, or the place in its answer. */
  where?: string;
  /** Of a failed rule. */
  seen?: string;
  /** Of a failed rule: what the contract says. */
  says?: string;
  /** Of a rule that does not apply. */
  reason?: string;
}

/** What `check --json` prints; members are added, not renamed. */
export interface CheckResult {
  baseUrl: string;
  clientId: string;
  /** Whom links were made and claims submitted for. */
  userId: string;
  summary: { rules: number; passed: number; failed: number; notApplicable: number; durationMs: number };
  /** In the order of their sections. */
  rules: CheckedRule[];
}

/** What a check is of. */
export type CheckTarget = ContractTarget & Required<Pick<ContractTarget, 'userId'>>;

/** Sends nothing. @throws `options_invalid` for a bad target. */
export function assertCheckTarget(target: CheckTarget): void {
  contractSuite(target);
}

/**
 * Runs every rule, one after the other. `onRule` hears of each before it starts.
 * @throws `options_invalid` for a bad target.
 */
export async function runCheck(
  target: CheckTarget,
  onRule: (name: string, index: number, count: number) => void,
): Promise<CheckResult> {
  const cases = contractSuite(target);
  const startedAt = performance.now();
  const rules: CheckedRule[] = [];
  for (const [index, { section, name, run }] of cases.entries()) {
    onRule(name, index, cases.length);
    const ruleStartedAt = performance.now();
    const outcome = await run().then(
      () => ({ outcome: 'passed' as const }),
      (error: unknown) => outcomeOf(error),
    );
    rules.push({ section, name, durationMs: since(ruleStartedAt), ...outcome });
  }
  const count = (wanted: CheckedRule['outcome']) => rules.filter(({ outcome }) => outcome === wanted).length;
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

function outcomeOf(error: unknown): Pick<CheckedRule, 'outcome' | 'where' | 'seen' | 'says' | 'reason'> {
  if (isNotApplicable(error)) return { outcome: 'not_applicable', reason: error.message };
  const isTold = error instanceof Error && 'actual' in error && 'expected' in error;
  // A rule that breaks is a bug of ours; its message may quote anything.
  if (!isTold) {
    const seen = `${error instanceof Error ? error.name : 'something'} thrown`;
    return { outcome: 'failed', where: 'the rule itself', seen, says: 'an answer that the rule can read' };
  }
  const [seen, says] = [String(error.actual), String(error.expected)];
  return { outcome: 'failed', where: error.message.split(`: saw ${seen};`)[0] ?? '', seen, says };
}

function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
