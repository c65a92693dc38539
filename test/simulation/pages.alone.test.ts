import t from 'tap';
import { sized } from '../size.js';
import { findPageViolation, type PagePromise } from './page-checker.js';
import type { PageEvent, Told } from './page-history.js';
import { PAGES } from './page-kind.js';
import { type Browser, createPagePlan, RECEIPT_SECONDS } from './page-plan.js';
import { formatFailure, formatLog } from './report.js';
import { runPagePlan } from './run-page-plan.js';
import { simulate } from './simulate.js';

t.test('what the pages of every history tell is true', async (t) => {
  const { histories, counts, failure } = await simulate(PAGES, { seed: 1, runs: sized(600, 150, 10_000) });
  t.equal(failure && formatFailure(PAGES, failure), undefined);
  for (const [name, count] of Object.entries(counts)) t.ok(count > histories / 20, `${count} ${name}`);
});

t.test('a seed gives the same history of pages to the byte', async (t) => {
  const history = async (seed: number) => {
    const record = await runPagePlan(createPagePlan(seed));
    return JSON.stringify([record, formatLog(record)]);
  };
  for (const seed of [1, 7, 42]) t.equal(await history(seed), await history(seed));
  t.not(await history(1), await history(2));
});

const STORED = { reference: 'S-1', date: '2026-03-02T10:00' };

const sent = (attempt: number, text: string, browser: Browser = 'A'): PageEvent => ({
  kind: 'sent',
  attempt,
  browser,
  text,
});
const stored = (attempt: number, text: string): PageEvent => ({ kind: 'stored', attempt, text, ...STORED });

interface ToldChanges {
  browser?: Browser;
  attempt?: number;
  since?: number;
  clock?: number;
}

const told = (
  told: Told,
  { browser = 'A', since = 0, clock = 0, ...others }: ToldChanges = {},
): PageEvent => ({
  kind: 'told',
  tab: `${browser}1`,
  browser,
  told,
  since,
  clock,
  hasFaults: false,
  ...others,
});

const TRUE: PagePromise = 'what a page tells is true';
const ANSWERS: PagePromise = 'answers are for the browser that sent them';
const RESULT: PagePromise = 'a request without a fault has a result';
const firstIsStored = [sent(1, 'first'), stored(1, 'first')];
const firstIsTold = [...firstIsStored, told({ kind: 'stored', text: 'first', ...STORED }, { attempt: 1 })];

const HISTORIES: Readonly<Record<string, readonly [events: PageEvent[], broken?: PagePromise]>> = {
  'a page tells that the stored text is stored': [firstIsTold],
  'white space around a text is not stored': [
    [...firstIsStored, told({ kind: 'stored', text: 'first  ' }, { attempt: 1 })],
  ],
  'a page tells that another text is stored': [
    [...firstIsStored, sent(2, 'second'), told({ kind: 'stored', text: 'second' }, { attempt: 2 })],
    TRUE,
  ],
  'a page tells that a text is stored before it is': [
    [sent(1, 'first'), told({ kind: 'stored', text: 'first' }, { attempt: 1 }), stored(1, 'first')],
    TRUE,
  ],
  'a page tells another reference': [[...firstIsStored, told({ kind: 'submitted', reference: 'S-2' })], TRUE],
  'a page tells another time': [
    [...firstIsStored, told({ kind: 'submitted', date: '2026-03-02T10:01' })],
    TRUE,
  ],
  'a page tells of a submission before there is one': [[sent(1, 'first'), told({ kind: 'submitted' })], TRUE],
  'a page tells that a changed text is not stored': [
    [...firstIsStored, sent(2, 'second'), told({ kind: 'changed', text: 'second' }, { attempt: 2 })],
  ],
  'a page tells that the stored text is not stored': [
    [...firstIsStored, sent(2, 'first'), told({ kind: 'changed', text: 'first' }, { attempt: 2 })],
    TRUE,
  ],
  'a page tells that a stored claim is not sent': [
    [...firstIsStored, told({ kind: 'not sent', reason: 'other' }, { attempt: 1 })],
    TRUE,
  ],
  'a page tells that a claim is not sent, which is stored later': [
    [sent(1, 'first'), told({ kind: 'not sent', reason: 'other' }, { attempt: 1 }), stored(1, 'first')],
    TRUE,
  ],
  'an attempt whose result is unknown is stored': [
    [sent(1, 'first'), told({ kind: 'unknown' }, { attempt: 1 }), stored(1, 'first')],
  ],
  'an earlier attempt is stored after a later one was not sent': [
    [
      sent(1, 'first'),
      told({ kind: 'unknown' }, { attempt: 1 }),
      sent(2, 'second'),
      told({ kind: 'not sent', reason: 'too_many' }, { attempt: 2 }),
      stored(1, 'first'),
    ],
  ],
  'a submitted link has a form': [
    [...firstIsStored, told({ kind: 'no claim', reason: 'form' }, { since: 2 })],
    TRUE,
  ],
  'a form was requested before the submission': [
    [...firstIsStored, told({ kind: 'no claim', reason: 'form' }, { since: 1 })],
  ],
  'another browser sees the answers': [
    [...firstIsStored, told({ kind: 'stored', text: 'first', answers: 'first' }, { browser: 'B' })],
    ANSWERS,
  ],
  'other answers than the stored ones are shown': [
    [...firstIsTold, told({ kind: 'stored', text: 'second', answers: 'second' })],
    TRUE,
  ],
  'the browser that sent a claim does not see its answers': [
    [...firstIsTold, told({ kind: 'submitted', ...STORED }, { since: 3 })],
    ANSWERS,
  ],
  'the receipt cookie has ended': [
    [...firstIsTold, told({ kind: 'submitted', ...STORED }, { since: 3, clock: RECEIPT_SECONDS * 1000 })],
  ],
  'a request without a fault gets a 500': [[told({ kind: 'unknown', status: 500 })], RESULT],
};

for (const [name, [events, broken]] of Object.entries(HISTORIES)) {
  t.test(`${broken ? 'a broken promise' : 'no broken promise'}: ${name}`, async (t) => {
    t.equal(findPageViolation({ events, requests: 0, log: [] })?.promise, broken);
  });
}
