// The report of claimlink check: the rules by section, then the failures by their first cause.

import { createPaint, type Paint } from '../terminal.js';
import type { CheckedRule, CheckResult, Counts } from './check-run.js';

/** How the list shows an outcome: the text and its style. */
const SHOWN = {
  passed: ['pass', 'green'],
  failed: ['FAIL', 'red'],
  not_applicable: ['n/a ', 'dim'],
} as const;

export interface ReportOptions {
  isColored: boolean;
  /** Leaves out the list of rules. */
  failuresOnly: boolean;
}

export function checkReport(result: CheckResult, { isColored, failuresOnly }: ReportOptions): string {
  const styled = createPaint(isColored);
  const { baseUrl, clientId, userId, rules } = result;
  const lines = [styled('bold', `claimlink check ${baseUrl}`), `client ${clientId}, user ${userId}`];
  if (!failuresOnly) lines.push(...ruleList(rules, styled));
  const failed = rules.filter(({ outcome }) => outcome === 'failed');
  for (const rule of failed.filter(({ name, cause }) => name === cause)) {
    const followers = failed.filter(({ name, cause }) => cause === rule.name && name !== cause);
    lines.push('', ...failureLines(rule, followers, styled));
  }
  lines.push('', ...summaryLines(result, styled));
  return lines.join('\n');
}

function ruleList(rules: readonly CheckedRule[], styled: Paint): string[] {
  const lines: string[] = [];
  for (const section of new Set(rules.map((rule) => rule.section))) {
    lines.push('', styled('bold', section));
    for (const { name, outcome, reason } of rules.filter((rule) => rule.section === section)) {
      const [text, style] = SHOWN[outcome];
      lines.push(`  ${styled(style, text)}  ${name}`);
      if (reason !== undefined) lines.push(`        ${styled('dim', reason)}`);
    }
  }
  return lines;
}

/** Shows the first rule that failed for a cause, and the names of the others. */
function failureLines(rule: CheckedRule, followers: readonly CheckedRule[], styled: Paint): string[] {
  const { name, section, where, seen, says, advice, response, curl } = rule;
  const rows = {
    at: where,
    saw: seen,
    expected: says,
    status: response?.status,
    body: response?.bodyStart || undefined,
    'to do': advice,
    'cause of': followers.length > 0 ? `${followers.length} more failures:` : undefined,
  };
  const shownRows = Object.entries(rows).filter(([, text]) => text !== undefined);
  return [
    `${styled('red', 'FAIL')}  ${styled('bold', name)}`,
    `      ${styled('dim', section)}`,
    ...shownRows.map(([label, text]) => `      ${styled('dim', label.padEnd(8))} ${text}`),
    ...followers.map((follower) => `        ${follower.name} ${styled('dim', `(${follower.section})`)}`),
    ...(curl === undefined ? [] : curl.split('\n').map((line) => `      ${line}`)),
  ];
}

function summaryLines({ summary, rules }: CheckResult, styled: Paint): string[] {
  const { contract, decisions, durationMs, failed } = summary;
  const causes = rules.filter(({ name, cause }) => name === cause).length;
  const verdict =
    contract.failed > 0
      ? styled('red', 'The deployment differs from the contract.')
      : decisions.failed > 0
        ? styled('yellow', 'The deployment differs from decisions of claimlink.')
        : styled('green', 'The deployment keeps the contract.');
  return [
    ...(contract.rules > 0 ? [`contract   ${countsText(contract, styled)}`] : []),
    ...(decisions.rules > 0 ? [`decisions  ${countsText(decisions, styled)}`] : []),
    ...(failed > 0 ? [`${failed} failures, ${causes} ${causes === 1 ? 'cause' : 'causes'}`] : []),
    `${verdict} (${(durationMs / 1000).toFixed(1)} s)`,
  ];
}

function countsText({ rules, passed, failed, notApplicable }: Counts, styled: Paint): string {
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [styled('red', `${failed} failed`)] : []),
    ...(notApplicable > 0 ? [`${notApplicable} not applicable`] : []),
  ];
  return `${rules} rules: ${counts.join(', ')}`;
}
