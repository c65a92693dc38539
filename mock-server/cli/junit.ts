// A check as JUnit XML, which CI systems show: a testsuite for each section, a testcase for each rule.
import type { CheckedRule, CheckResult } from './check-run.js';

/** The XML document. */
export function junitXml({ baseUrl, summary, rules }: CheckResult): string {
  const name = `claimlink check ${baseUrl}`;
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>'];
  const { failed, notApplicable, durationMs } = summary;
  lines.push(
    `<testsuites ${attributes({ name, ...counts(rules.length, failed, notApplicable, durationMs) })}>`,
  );
  for (const section of new Set(rules.map((rule) => rule.section))) {
    const own = rules.filter((rule) => rule.section === section);
    lines.push(`  <testsuite ${attributes({ name: section, ...countsOf(own) })}>`);
    lines.push(...own.map(testcase), '  </testsuite>');
  }
  lines.push('</testsuites>');
  return `${lines.join('\n')}\n`;
}

function testcase({
  section,
  name,
  outcome,
  durationMs,
  where,
  seen,
  says,
  advice,
  reason,
}: CheckedRule): string {
  const open = `    <testcase ${attributes({ name, classname: section, time: seconds(durationMs) })}`;
  if (outcome === 'passed') return `${open}/>`;
  const message = outcome === 'failed' ? `saw ${seen}; expected ${says}` : String(reason);
  const body =
    outcome === 'failed'
      ? `<failure ${attributes({ type: 'AssertionError', message })}>${escapeXml(`${where}: ${message}. ${advice}`)}</failure>`
      : `<skipped ${attributes({ message })}/>`;
  return `${open}>\n      ${body}\n    </testcase>`;
}

function countsOf(rules: readonly CheckedRule[]) {
  const count = (wanted: CheckedRule['outcome']) => rules.filter(({ outcome }) => outcome === wanted).length;
  const durationMs = rules.reduce((sum, rule) => sum + rule.durationMs, 0);
  return counts(rules.length, count('failed'), count('not_applicable'), durationMs);
}

function counts(tests: number, failures: number, skipped: number, durationMs: number) {
  return { tests, failures, errors: 0, skipped, time: seconds(durationMs) };
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

/** For text and attributes. What XML 1.0 (2.2) cannot carry, even escaped, becomes U+FFFD. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
