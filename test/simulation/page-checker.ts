// Holds the history of a link's pages against the promises of claimlink.
import type { Violation } from './kind.js';
import type { PageEvent, PageHistory, Submitted, Told } from './page-history.js';
import { type Browser, RECEIPT_SECONDS } from './page-plan.js';

/** The promises, as docs/evidence/robustness.md names them. */
export type PagePromise =
  | 'what a page tells is true'
  | 'answers are for the browser that sent them'
  | 'a request without a fault has a result';

interface BrokenPromise extends Violation {
  promise: PagePromise;
}

type StoredEvent = Extract<PageEvent, { kind: 'stored' }>;
type ToldEvent = Extract<PageEvent, { kind: 'told' }>;

/** What the customer of a browser sent, and what the pages told. */
interface Customer {
  /** The texts that were sent. */
  texts: string[];
  /** The text that is stored, as a page told last. */
  text?: string;
  /** Attempts that are not stored, as a page told. */
  notStored: Set<number>;
  /** Where a page told that an attempt is stored: its response has the cookie. */
  receipt?: { index: number; clock: number };
}

/** Returns the first violation, or undefined if the history keeps all promises. */
export function findPageViolation(history: PageHistory): BrokenPromise | undefined {
  return violations(history).next().value ?? undefined;
}

function* violations({ events }: PageHistory): Generator<BrokenPromise, undefined> {
  const customers: Record<Browser, Customer> = {
    A: { texts: [], notStored: new Set() },
    B: { texts: [], notStored: new Set() },
  };
  let stored: StoredEvent | undefined;
  let storedAt = Number.POSITIVE_INFINITY;
  for (const [index, event] of events.entries()) {
    if (event.kind === 'sent') {
      customers[event.browser].texts.push(event.text);
    } else if (event.kind === 'stored') {
      stored = event;
      storedAt = index;
    } else {
      const customer = customers[event.browser];
      yield* newTelling(event, stored, storedAt);
      yield* answersShown(event, customer);
      remember(customer, event, index);
    }
    for (const customer of Object.values(customers)) yield* lastTelling(customer, stored);
  }
}

/** What a page tells must be true at that time. */
function* newTelling(
  { tab, told, since, hasFaults }: ToldEvent,
  stored: StoredEvent | undefined,
  storedAt: number,
): Generator<BrokenPromise> {
  if (told.kind === 'unknown') {
    if (told.status !== undefined && !hasFaults)
      yield { promise: 'a request without a fault has a result', detail: `${tab} got a ${told.status}` };
    return;
  }
  if (told.kind === 'not sent') return;
  if (told.kind === 'no claim') {
    if (storedAt < since) yield untrue(`${tab} told that no claim is stored (${told.reason})`, stored);
    return;
  }
  const isTrue =
    stored !== undefined &&
    isStoredSubmission(told, stored) &&
    (told.kind !== 'stored' || isSame(told.answers ?? stored.text, stored.text)) &&
    (told.kind !== 'changed' || !isSame(told.text, stored.text));
  if (!isTrue) yield untrue(`${tab} told ${JSON.stringify(told)}`, stored);
}

function isStoredSubmission({ reference, date }: Submitted, stored: Required<Submitted>): boolean {
  return (reference ?? stored.reference) === stored.reference && (date ?? stored.date) === stored.date;
}

/** A browser that sent the stored text may see it, and sees it while its cookie is valid. */
function* answersShown(
  { tab, told, since, clock }: ToldEvent,
  { texts, receipt }: Customer,
): Generator<BrokenPromise> {
  const promise = 'answers are for the browser that sent them';
  const { answers } = answersOf(told);
  if (answers !== undefined && !texts.some((text) => isSame(text, answers)))
    yield { promise, detail: `${tab} saw ${JSON.stringify(answers)}, which it had not sent` };
  // The cookie counts whole seconds.
  const hasCookie =
    receipt !== undefined && receipt.index < since && clock < receipt.clock + (RECEIPT_SECONDS - 1) * 1000;
  if (told.kind === 'submitted' && hasCookie)
    yield { promise, detail: `${tab} did not see the answers that its browser had sent` };
}

function answersOf(told: Told): { answers?: string } {
  return told.kind === 'stored' ? told : {};
}

function remember(customer: Customer, { told, attempt, clock }: ToldEvent, index: number): void {
  if (told.kind === 'stored') customer.text = told.text;
  if (attempt === undefined) return;
  if (told.kind === 'stored') customer.receipt = { index, clock };
  else if (told.kind !== 'unknown') customer.notStored.add(attempt);
}

/** What a page told must stay true. */
function* lastTelling(
  { text, notStored }: Customer,
  stored: StoredEvent | undefined,
): Generator<BrokenPromise> {
  if (text !== undefined && !(stored && isSame(text, stored.text)))
    yield untrue(`A page told that ${JSON.stringify(text)} is stored`, stored);
  if (stored && notStored.has(stored.attempt))
    yield untrue(`A page told that attempt ${stored.attempt} is not stored`, stored);
}

function untrue(claim: string, stored: StoredEvent | undefined): BrokenPromise {
  const truth =
    stored === undefined ? 'nothing is' : `${JSON.stringify(stored.text)} of attempt ${stored.attempt} is`;
  return { promise: 'what a page tells is true', detail: `${claim}. Stored: ${truth}.` };
}

/** The service stores a text without white space around it. */
function isSame(a: string, b: string): boolean {
  return a.trim() === b.trim();
}
