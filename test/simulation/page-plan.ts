// What happens to the pages of one link: what customers type and send, and what becomes of their requests.
import type { SeededPlan, TimedAction } from './kind.js';
import { createRandom, type Random } from './random.js';

/** A1 and A2 are tabs of one browser. Browser B has the same link, and none of its cookies. */
export type Tab = 'A1' | 'A2' | 'B1';
export type Browser = 'A' | 'B';

/** What becomes of a request. A late one takes longer than the page waits. */
export type Fate =
  | 'arrives'
  | 'request lost'
  | 'response lost'
  | 'request late'
  | 'response late'
  /** The rate limiter of the host rejects it. */
  | 'too many'
  /** Its body exceeds the limit of the adapter. */
  | 'too large';

/** A change of the text. `undo` brings the first text back, `space` adds a character that is not stored. */
export type Edit = 'correct' | 'incomplete' | 'space' | 'undo';

export type PageStep =
  | { kind: 'type'; edit: Edit }
  | { kind: 'send'; fate: Fate }
  /** Loads the page again. A page that came in response to a form sends the form again. */
  | { kind: 'reload'; fate: Fate }
  /** Opens the link. */
  | { kind: 'open'; fate: Fate }
  | { kind: 'back' }
  /** The host revokes the link. */
  | { kind: 'revoke' };

export interface PageAction extends TimedAction {
  actor: Tab | 'host';
  step: PageStep;
}

export interface PagePlan extends SeededPlan {
  /** Whether JavaScript runs in the browser. */
  hasScript: Readonly<Record<Browser, boolean>>;
  callbackOnSubmit: boolean;
  /** Where the script keeps what is typed. With `device`, a tab that opens the link is a new one. */
  keepDraft: 'tab' | 'device';
  actions: readonly PageAction[];
}

/** Lifetime of the link. */
export const LINK_SECONDS = 240;
/** Lifetime of the receipt cookie. */
export const RECEIPT_SECONDS = 600;

/** Returns the plan of a seed: 3 to 20 actions in one to three tabs. */
export function createPagePlan(seed: number): PagePlan {
  const random = createRandom(seed);
  const hasScript = { A: random.chance(0.6), B: random.chance(0.6) };
  const callbackOnSubmit = random.chance(0.4);
  const tabs = random.pick<readonly Tab[]>([['A1'], ['A1', 'A2'], ['A1', 'B1'], ['A1', 'A2', 'B1']]);
  let atMs = 0;
  const actions = Array.from({ length: random.between(3, 20) }, (_, id): PageAction => {
    atMs = random.pick(PAUSES)(random, atMs);
    const step = random.pick(STEPS)(random);
    const actor = step.kind === 'revoke' ? 'host' : random.pick(tabs);
    return { id, atMs, actor, hasFaults: random.chance(0.2), step };
  });
  // A generator of its own: the other choices of a seed stay.
  const keepDraft = createRandom(seed, DRAFT_STREAM).chance(0.5) ? 'device' : 'tab';
  return { seed, hasScript, callbackOnSubmit, keepDraft, actions };
}

/** Below the ids of actions, which have generators as well. */
const DRAFT_STREAM = -1;

/** When an action happens after another one: together, soon, after the page gave up, at the end of link or receipt. */
const PAUSES = weighted<(random: Random, atMs: number) => number>([
  [12, (random, atMs) => atMs + random.below(20)],
  [16, (random, atMs) => atMs + 300 + random.below(1000)],
  [4, (random, atMs) => atMs + 3000 + random.below(3000)],
  [3, (random, atMs) => atMs + 31_000 + random.below(3000)],
  [1, (random, atMs) => Math.max(atMs, LINK_SECONDS * 1000 - 20 + random.below(40))],
  [1, (random, atMs) => atMs + RECEIPT_SECONDS * 1000 - 1000 + random.below(2000)],
]);

const FATES = weighted<Fate>([
  [20, 'arrives'],
  [8, 'response lost'],
  [2, 'request lost'],
  [2, 'request late'],
  [2, 'response late'],
  [2, 'too many'],
  [1, 'too large'],
]);

const EDITS = weighted<Edit>([
  [7, 'correct'],
  [1, 'incomplete'],
  [1, 'space'],
  [1, 'undo'],
]);

const STEPS = weighted<(random: Random) => PageStep>([
  [34, (random) => ({ kind: 'send', fate: random.pick(FATES) })],
  [30, (random) => ({ kind: 'type', edit: random.pick(EDITS) })],
  [12, (random) => ({ kind: 'reload', fate: random.pick(FATES) })],
  [8, (random) => ({ kind: 'open', fate: random.pick(FATES) })],
  [8, () => ({ kind: 'back' })],
  [3, () => ({ kind: 'revoke' })],
]);

/** Returns a list that has each value as often as its weight. */
function weighted<T>(weights: readonly (readonly [weight: number, value: T])[]): readonly T[] {
  return weights.flatMap(([weight, value]) => Array.from({ length: weight }, () => value));
}
