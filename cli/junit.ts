// The result of a check as JUnit XML: a testsuite for each section, a testcase for each rule.
import { attributes, html, type Markup } from '../lib/widget/html.js';
import { type CheckedRule, type CheckResult, countsOf } from './check-run.js';

export function junitXml({ baseUrl, summary, rules }: CheckResult): string {
  const suites = [...new Set(rules.map((rule) => rule.section))].map((section) => {
    const sectionRules = rules.filter((rule) => rule.section === section);
    const durationMs = sectionRules.reduce((sum, rule) => sum + rule.durationMs, 0);
    return html`  <testsuite${attributes({ name: section, ...counts(sectionRules, durationMs) })}>
${sectionRules.map(testcase)}  </testsuite>
`;
  });
  const name = `claimlink check ${baseUrl}`;
  const xml = html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites${attributes({ name, ...counts(rules, summary.durationMs) })}>
${suites}</testsuites>
`;
  // Characters that XML 1.0 (2.2) does not allow become U+FFFD.
  return xml
    .toString()
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}

function testcase(rule: CheckedRule): Markup {
  const { section, name, kind, outcome, durationMs, where, actual, expected, reason } = rule;
  const open = html`    <testcase${attributes({ name, classname: section, time: seconds(durationMs) })}`;
  if (outcome === 'passed') return html`${open}/>\n`;
  const message = outcome === 'failed' ? `saw ${actual}; expected ${expected}` : String(reason);
  if (outcome === 'not_applicable')
    return html`${open}>\n      <skipped${attributes({ message })}/>\n    </testcase>\n`;
  const text = [`${where}: ${message}. ${rule.advice}`];
  if (rule.response) text.push(`status ${rule.response.status}`, rule.response.bodyStart);
  if (rule.sample !== undefined) text.push('sample:', rule.sample);
  if (rule.cause !== undefined && rule.cause !== name) text.push(`same cause as: ${rule.cause}`);
  if (rule.curl !== undefined) text.push(rule.curl);
  const failure = html`<failure${attributes({ type: kind, message })}>${text.join('\n')}</failure>`;
  return html`${open}>\n      ${failure}\n    </testcase>\n`;
}

function counts(rules: readonly CheckedRule[], durationMs: number) {
  const { failed, notApplicable } = countsOf(rules);
  const time = seconds(durationMs);
  return { tests: rules.length, failures: failed, errors: 0, skipped: notApplicable, time };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
