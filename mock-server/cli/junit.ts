// The result of a check as JUnit XML: a testsuite for each section, a testcase for each rule.
import { type CheckedRule, type CheckResult, countsOf } from './check-run.js';

export function junitXml({ baseUrl, summary, rules }: CheckResult): string {
  const name = `claimlink check ${baseUrl}`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name, ...counts(rules, summary.durationMs) })}>`,
  ];
  for (const section of new Set(rules.map((rule) => rule.section))) {
    const own = rules.filter((rule) => rule.section === section);
    const durationMs = own.reduce((sum, rule) => sum + rule.durationMs, 0);
    lines.push(`  <testsuite ${attributes({ name: section, ...counts(own, durationMs) })}>`);
    lines.push(...own.map(testcase), '  </testsuite>');
  }
  lines.push('</testsuites>');
  return `${lines.join('\n')}\n`;
}

function testcase(rule: CheckedRule): string {
  const { section, name, kind, outcome, durationMs, where, seen, says, reason } = rule;
  const open = `    <testcase ${attributes({ name, classname: section, time: seconds(durationMs) })}`;
  if (outcome === 'passed') return `${open}/>`;
  const message = outcome === 'failed' ? `saw ${seen}; expected ${says}` : String(reason);
  if (outcome === 'not_applicable')
    return `${open}>\n      <skipped ${attributes({ message })}/>\n    </testcase>`;
  const text = [`${where}: ${message}. ${rule.advice}`];
  if (rule.response) text.push(`status ${rule.response.status}`, rule.response.bodyStart);
  if (rule.cause !== undefined && rule.cause !== name) text.push(`same cause as: ${rule.cause}`);
  if (rule.curl !== undefined) text.push(rule.curl);
  const body = `<failure ${attributes({ type: kind, message })}>${escapeXml(text.join('\n'))}</failure>`;
  return `${open}>\n      ${body}\n    </testcase>`;
}

function counts(rules: readonly CheckedRule[], durationMs: number) {
  const { failed, notApplicable } = countsOf(rules);
  const time = seconds(durationMs);
  return { tests: rules.length, failures: failed, errors: 0, skipped: notApplicable, time };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(' ');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text and attributes. Characters that XML 1.0 (2.2) does not allow become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
