// The report of claimlink check: the rules by section, the failures by their first cause, decisions by their section.

import { createPaint, type Paint } from '../mock-server/http/terminal.js';
import type { CheckedRule, CheckResult, Counts } from './check-run.js';
import { counted } from './command-io.js';
import { wrapped } from './terminal-text.js';

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
  /** Shows each difference from decisions, not only their number in each section. */
  details: boolean;
}

export function checkReport(
  result: CheckResult,
  { isColored, failuresOnly, details }: ReportOptions,
): string {
  const styled = createPaint(isColored);
  const { baseUrl, clientId, userId, rules } = result;
  const lines = [styled('bold', `claimlink check ${baseUrl}`), `client ${clientId}, user ${userId}`];
  if (!failuresOnly) lines.push(...ruleList(rules, styled));
  lines.push(...failuresOf('contract', rules, styled, details));
  lines.push(...(details ? failuresOf('decision', rules, styled, details) : decisionSummary(rules, styled)));
  lines.push('', ...summaryLines(result, styled));
  return lines.join('\n');
}

/** What a failed rule of each kind means. */
const MEANINGS: Readonly<Record<CheckedRule['kind'], string>> = {
  contract: 'Failures of the contract: every server of this API must follow these rules.',
  decision:
    'Differences from decisions of claimlink: the contract leaves them open, so another server may differ.',
};

/** Shows the first failures of this kind, each with the other rules that failed for the same cause. */
function failuresOf(
  kind: CheckedRule['kind'],
  rules: readonly CheckedRule[],
  styled: Paint,
  details: boolean,
): string[] {
  const failed = rules.filter(({ outcome }) => outcome === 'failed');
  const first = failed.filter((rule) => rule.kind === kind && rule.name === rule.cause);
  if (first.length === 0) return [];
  const shownSamples = new Map<string, string>();
  const lines = ['', styled('bold', MEANINGS[kind])];
  for (const rule of first) {
    const followers = failed.filter(
      ({ name, cause, kind }) => cause === rule.name && name !== cause && (details || kind === 'contract'),
    );
    lines.push('', ...failureLines(rule, followers, shownSamples, styled));
  }
  return lines;
}

/** Shows how many rules of each section of decisions failed, and what to do: many servers differ in most of them. */
function decisionSummary(rules: readonly CheckedRule[], styled: Paint): string[] {
  const decisions = rules.filter(({ kind }) => kind === 'decision');
  const failed = decisions.filter(({ outcome }) => outcome === 'failed');
  if (failed.length === 0) return [];
  return [
    '',
    styled('bold', wrapped(`${MEANINGS.decision} --details shows each.`)),
    ...[...new Set(failed.map((rule) => rule.section))].map((section) => {
      const differing = failed.filter((rule) => rule.section === section);
      const all = decisions.filter((rule) => rule.section === section);
      const count = `${differing.length} of ${all.length}`.padEnd(8);
      const text = `${section.replace('Decision: ', '')}: ${differing[0]?.advice}`;
      return `  ${styled('yellow', count)}  ${wrapped(text, 12)}`;
    }),
  ];
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

/** Shows the first rule that failed for a cause, and the names of the others. `shownSamples` has rules by sample. */
function failureLines(
  rule: CheckedRule,
  followers: readonly CheckedRule[],
  shownSamples: Map<string, string>,
  styled: Paint,
): string[] {
  const { name, section, where, actual, expected, advice, sample = '', response, curl } = rule;
  const shownBy = shownSamples.get(sample);
  if (shownBy === undefined) shownSamples.set(sample, name);
  const rows = {
    at: where,
    saw: actual,
    expected,
    status: response?.status,
    body: response?.bodyStart || undefined,
    'to do': advice,
    sample: shownBy === undefined || sample === '' ? sample || undefined : `the one of "${shownBy}"`,
    also: followers.length > 0 ? `${counted(followers.length, 'other rule')} saw the same here:` : undefined,
  };
  const shownRows = Object.entries(rows).filter(([, text]) => text !== undefined);
  return [
    `${styled('red', 'FAIL')}  ${styled('bold', name)}`,
    `      ${styled('dim', section)}`,
    ...shownRows.map(
      ([label, text]) =>
        `      ${styled('dim', label.padEnd(8))} ${String(text).replaceAll(/\n(?!\n)/g, `\n${' '.repeat(15)}`)}`,
    ),
    ...followers.map((follower) => {
      const origin = follower.section === section ? '' : styled('dim', ` (${follower.section})`);
      return `        ${follower.name}${origin}`;
    }),
    ...(curl === undefined ? [] : curl.split('\n').map((line) => `      ${line}`)),
  ];
}

function summaryLines({ summary, rules, rateLimited, ended, proven }: CheckResult, styled: Paint): string[] {
  const { contract, decisions, durationMs, failed } = summary;
  const causes = rules.filter(({ name, cause }) => name === cause).length;
  const keeps = contract.rules > 0 ? 'keeps the contract, and ' : '';
  const verdict =
    contract.failed > 0
      ? styled('red', 'The deployment differs from the contract.')
      : ended !== undefined
        ? styled('yellow', 'Not all rules ran.')
        : !proven
          ? styled(
              'yellow',
              'The contract is not proven: no claim was accepted. --claim gives one that the deployment accepts.',
            )
          : decisions.failed > 0
            ? styled('yellow', `The deployment ${keeps}differs from decisions of claimlink.`)
            : styled('green', 'The deployment keeps the contract.');
  return [
    ...(contract.rules > 0 ? [`contract   ${countsText(contract, styled)}`] : []),
    ...(decisions.rules > 0 ? [`decisions  ${countsText(decisions, styled)}`] : []),
    ...(failed > 0 ? [`${counted(failed, 'failure')}, ${counted(causes, 'cause')}`] : []),
    ...(rateLimited > 0
      ? [`${counted(rateLimited, 'response')} with 429: the check waited, and sent the requests again.`]
      : []),
    ...(ended === undefined ? [] : [styled('red', ended)]),
    ...(contract.rules > 0 && contract.failed === 0 && ended === undefined ? limitsOfProof(rules) : []),
    `${verdict} (${(durationMs / 1000).toFixed(1)} s)`,
  ];
}

/** Says what a contract without failures does not prove. */
function limitsOfProof(rules: readonly CheckedRule[]): string[] {
  const skipped = rules.filter(({ kind, outcome }) => kind === 'contract' && outcome === 'not_applicable');
  return [
    ...(skipped.length > 0 ? ['Rules of the contract that did not apply:'] : []),
    ...skipped.map(({ name, reason }) => `  ${wrapped(`${name}: ${reason}`, 4)}`),
    wrapped('Behaviour over time is not proven: links that expire, sessions that stay and change, restarts.'),
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
