// The report of claimlink check: every rule by its section; for each failure what was seen, what was expected, what to do.
import type { CheckedRule, CheckResult } from './check-run.js';
import { paint } from './output.js';

const SHOWN: Readonly<
  Record<CheckedRule['outcome'], readonly [text: string, style: 'green' | 'red' | 'dim']>
> = {
  passed: ['pass', 'green'],
  failed: ['FAIL', 'red'],
  not_applicable: ['n/a ', 'dim'],
};

/** Formats the report, with or without colours. */
export function checkReport(result: CheckResult, isColored: boolean): string {
  const styled: typeof paint = (style, text) => (isColored ? paint(style, text) : text);
  const { baseUrl, clientId, userId, rules } = result;
  const lines = [styled('bold', `claimlink check ${baseUrl}`), `client ${clientId}, user ${userId}`];
  for (const section of new Set(rules.map((rule) => rule.section))) {
    lines.push('', styled('bold', section));
    for (const rule of rules.filter((candidate) => candidate.section === section)) {
      const [text, style] = SHOWN[rule.outcome];
      lines.push(`  ${styled(style, text)}  ${rule.name}`);
      for (const detail of detailsOf(rule)) lines.push(`        ${styled('dim', detail)}`);
    }
  }
  lines.push('', summaryLine(result, styled));
  return `${lines.join('\n')}\n`;
}

function detailsOf({ outcome, where, seen, says, advice, reason }: CheckedRule): string[] {
  if (outcome === 'failed')
    return [`at       ${where}`, `saw      ${seen}`, `expected ${says}`, `to do    ${advice}`];
  return reason === undefined ? [] : [reason];
}

function summaryLine({ summary }: CheckResult, styled: typeof paint): string {
  const { rules, passed, failed, notApplicable, durationMs } = summary;
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [styled('red', `${failed} failed`)] : []),
    ...(notApplicable > 0 ? [`${notApplicable} not applicable`] : []),
  ];
  const verdict =
    failed === 0 ? styled('green', 'keeps the contract') : styled('red', 'differs from the contract');
  return `${rules} rules: ${counts.join(', ')}, in ${(durationMs / 1000).toFixed(1)} s: the deployment ${verdict}`;
}
