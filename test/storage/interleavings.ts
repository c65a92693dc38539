// Operations on one link, every order of their steps, and the promises that hold after each order.
import assert from 'node:assert/strict';
import type { Test } from 'tap';
import { isClaimlinkError } from '../../lib/core/errors.js';
import { guardStorage } from '../../lib/core/guarded-storage.js';
import { createLife } from '../../lib/core/life.js';
import { isUsable, linkState } from '../../lib/core/link-state.js';
import type {
  AdminStorage,
  CheckStorage,
  IdempotencyStorage,
  LifeStorage,
  OutboxStorage,
  RecordStorage,
} from '../../lib/core/storage.js';
import { EVENT_TYPES, type LinkMoment } from '../../lib/core/types.js';
import {
  CLIENT_ID,
  later,
  linkId,
  NOON,
  sampleLink,
  sampleSession,
  sampleSubmission,
  USER_ID,
} from '../../lib/testing/storage-suite/samples.js';

type CompleteStorage = AdminStorage &
  OutboxStorage &
  RecordStorage &
  CheckStorage &
  IdempotencyStorage &
  LifeStorage;

const LINK = sampleLink();
const LINK_ID = linkId(LINK.accessCodeHash);
const AFTER_END = later(60_001);
/** Every event is recorded. */
const CHOICE = {
  types: EVENT_TYPES.filter((type) => type !== 'claim.submitted'),
  expiryNoticeSeconds: 20,
};
const NOTICE = later(40_000);
/** Of the answers to the question of the link: so few that two operations reach it. */
const ATTEMPT_LIMIT = 1;
const KEY_MAC = 'k'.repeat(43);

/** Submits the link with the session S-1, S-2 or S-3. */
function submission(number: number) {
  const event = { id: `event-${number}`, attempts: 0, nextAttemptAt: NOON } as const;
  return sampleSubmission(LINK.accessCodeHash, {
    session: sampleSession({ reference: `S-${number}` }),
    event,
  });
}

/** The moments of the link, as the service records them. */
const lifeOf = (storage: CompleteStorage) => createLife(guardStorage(storage, false), () => NOON);

/** The operations. Each gets its number in the scenario and returns what its caller gets, as text. */
const OPERATIONS = {
  async submit(storage: CompleteStorage, number: number) {
    const result = await storage.submitLink(submission(number));
    return 'session' in result ? `${result.outcome} ${result.session.reference}` : result.outcome;
  },
  async revoke(storage: CompleteStorage) {
    return (await storage.revokeLink({ ...LINK_ID, at: NOON })) ? 'revoked' : 'not revoked';
  },
  /** As the service opens a link. */
  async open(storage: CompleteStorage) {
    const stored = await storage.findLink(LINK_ID);
    if (stored === undefined) return 'not found';
    const state = linkState(stored.link, NOON);
    if (!isUsable(state)) return state;
    await storage.markLinkOpened({ ...LINK_ID, at: NOON });
    return 'usable';
  },
  /** By a process whose clock is past the expiry of the link. */
  async sweep(storage: CompleteStorage) {
    return `swept ${await storage.deleteExpiredLinks(AFTER_END, AFTER_END)}`;
  },
  async deleteUser(storage: CompleteStorage) {
    const user = { clientId: CLIENT_ID, userId: USER_ID };
    const { links, sessions, events } = await storage.deleteUser({ ...user, at: AFTER_END });
    return `deleted ${links} ${sessions} ${events}`;
  },
  async deleteClient(storage: CompleteStorage) {
    return `client deleted ${await storage.deleteClient(CLIENT_ID, AFTER_END)}`;
  },
  /** Deletes the session. */
  async purge(storage: CompleteStorage) {
    return `purged ${await storage.deleteSessions(AFTER_END, AFTER_END)}`;
  },
  async start(storage: CompleteStorage) {
    await lifeOf(storage).start(LINK_ID);
    return 'started';
  },
  async lock(storage: CompleteStorage) {
    await lifeOf(storage).lock(LINK_ID);
    return 'locked';
  },
  async decline(storage: CompleteStorage) {
    return (await lifeOf(storage).decline(LINK_ID, 'other')) ? 'declined' : 'not declined';
  },
  /** Tells that the link ends soon. */
  async notify(storage: CompleteStorage) {
    return `due ${await storage.addDueMoments({ at: NOTICE, limit: 10 })}`;
  },
  /** By a process whose clock is past the expiry of the link. */
  async expire(storage: CompleteStorage) {
    return `due ${await storage.addDueMoments({ at: AFTER_END, limit: 10 })}`;
  },
  async updateSession(storage: CompleteStorage) {
    const session = await storage.updateSession({ clientId: CLIENT_ID, reference: 'S-1', status: 'closed' });
    return session?.status ?? 'not found';
  },
  /** A wrong answer. */
  async attempt(storage: CompleteStorage) {
    return `attempt ${await storage.takeAttempt({ ...LINK_ID, limit: ATTEMPT_LIMIT })}`;
  },
  async unlock(storage: CompleteStorage) {
    return `unlocked ${await storage.unlockLink(LINK_ID)}`;
  },
  /** As the service creates a link with an Idempotency-Key. */
  async create(storage: CompleteStorage, number: number) {
    const link = sampleLink({ accessCodeHash: `created-${number}` });
    for (;;) {
      const values = { keyMac: KEY_MAC, requestMac: 'r'.repeat(43), sealed: `sealed ${number}` };
      if (await storage.insertLinkOnce(link, values)) return `inserted ${number}`;
      const first = await findCreated(storage);
      if (first !== undefined) return `got ${first.sealed}`;
    }
  },
} satisfies Record<string, (storage: CompleteStorage, number: number) => Promise<string>>;

const findCreated = async (storage: CompleteStorage) =>
  storage.findIdempotentLink({ clientId: CLIENT_ID, keyMacs: [KEY_MAC] });

export type OperationName = keyof typeof OPERATIONS;

/** The operations that run at the same time. A submission is the first one, so that its session is S-1. */
export type Scenario = readonly OperationName[];

/** The operations on one link. */
const NAMES: readonly OperationName[] = [
  'submit',
  'revoke',
  'open',
  'sweep',
  'deleteUser',
  'updateSession',
  'attempt',
  'unlock',
];
/** The operations on the links of one Idempotency-Key. */
export const CREATIONS: readonly OperationName[] = ['create', 'sweep', 'deleteUser'];

/** The operations on the moments of the link. */
const LIFE: readonly OperationName[] = ['start', 'lock', 'decline', 'notify', 'expire'];
/** The operations that end or delete a link that has moments. */
const ENDS: readonly OperationName[] = ['submit', 'revoke', 'sweep', 'deleteUser', 'deleteClient', 'purge'];
/** The operations that name what they delete. */
const DELETIONS: readonly OperationName[] = ['sweep', 'deleteUser', 'deleteClient', 'purge'];

/** All pairs about the moments of a link and about deletions. */
export const LIFE_PAIRS: readonly Scenario[] = [
  ...scenariosOf(2, LIFE),
  ...LIFE.flatMap((name) => ENDS.map((end): Scenario => [end, name])).filter(
    // A link that is submitted cannot be declined.
    (scenario) => String(scenario) !== 'purge,decline',
  ),
  ...scenariosOf(2, DELETIONS).filter((scenario) => scenario.includes('purge')),
  ['submit', 'deleteClient'],
  ['sweep', 'deleteClient'],
  ['deleteUser', 'deleteClient'],
];
/** The triples in which one operation ends what two others are about. */
export const LIFE_TRIPLES: readonly Scenario[] = [
  ['start', 'start', 'start'],
  ['submit', 'start', 'decline'],
  ['submit', 'revoke', 'decline'],
  ['submit', 'decline', 'expire'],
  ['submit', 'notify', 'expire'],
  ['revoke', 'start', 'expire'],
  ['notify', 'expire', 'expire'],
  ['sweep', 'notify', 'expire'],
  ['sweep', 'sweep', 'purge'],
  ['submit', 'sweep', 'purge'],
  ['submit', 'deleteUser', 'purge'],
  ['submit', 'deleteClient', 'purge'],
];

/** All scenarios of this many operations. An operation may occur more than once. */
export function scenariosOf(size: number, names = NAMES): Scenario[] {
  if (size === 0) return [[]];
  return names.flatMap((name, index) =>
    scenariosOf(size - 1, names.slice(index)).map((others) => [name, ...others]),
  );
}

/** Runs an operation and returns what its caller gets, or the code of its error. */
export async function callOperation(
  scenario: Scenario,
  index: number,
  storage: CompleteStorage,
): Promise<string> {
  try {
    return await OPERATIONS[scenario[index] as OperationName](storage, index + 1);
  } catch (error) {
    if (isClaimlinkError(error)) return error.code;
    throw error;
  }
}

/** What is stored, as text. */
interface State {
  link: string;
  sessions: string[];
  events: string[];
  /** Types and times of the moments of the link. */
  moments: string[];
  /** The events of the link, and those of deletions without the links. */
  life: string[];
  /** The links that deletions named. */
  named: string[];
  /** Whether a further answer is possible, and what the link of the Idempotency-Key keeps. */
  others: string[];
}

/** What the callers got, and what is stored afterwards. */
interface Outcome {
  results: string[];
  state: State;
}

/** A database of a scenario. */
interface Backend {
  /** The storage over a connection that does not stop. */
  storage: CompleteStorage;
  /** Deletes links, sessions and events. */
  clear(): unknown;
}

/** Whether a scenario needs a session that it does not create. */
const needsSession = (scenario: Scenario) =>
  (scenario.includes('updateSession') || scenario.includes('purge')) && !scenario.includes('submit');

/** Inserts the link. If the scenario needs a session that it does not create, the link is submitted. */
export async function begin({ storage, clear }: Backend, scenario: Scenario): Promise<void> {
  await clear();
  if ((await storage.findClient(CLIENT_ID)) === undefined)
    await storage.insertClient({ clientId: CLIENT_ID });
  await storage.chooseEvents(CHOICE);
  await storage.insertLink(LINK);
  if (needsSession(scenario)) await storage.submitLink(submission(1));
}

export async function readState({ storage }: Backend): Promise<State> {
  const [stored, created, page, events, moments, recorded] = await Promise.all([
    storage.findLink(LINK_ID),
    findCreated(storage),
    storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 10 }),
    storage.listEvents({ state: 'pending', kind: 'submission', limit: 10 }),
    storage.listMoments(LINK_ID),
    storage.listEvents({ state: 'pending', kind: 'life', limit: 100 }),
  ]);
  const life = recorded.flatMap((event) => ('session' in event ? [] : [event]));
  const link = stored && { ...stored.link, reference: stored.session?.reference };
  return {
    link: JSON.stringify(link ?? 'none'),
    sessions: page.sessions.map(({ reference, status }) => `${reference} ${status}`),
    events: events.flatMap((event) => ('session' in event ? [event.reference] : [])),
    moments: (moments ?? []).map(momentText),
    life: life
      .map((event) =>
        event.type === 'data.deleted'
          ? `${event.type} ${event.why} ${event.references}`
          : `${event.sequence} ${momentText(event)}`,
      )
      // A deletion of a link alone is an event if it names the link.
      .filter((text) => !/^data.deleted \w+ $/.test(text))
      .sort(),
    named: life.flatMap((event) => (event.type === 'data.deleted' ? event.linkIds : [])).sort(),
    others: [
      `attempt ${await storage.takeAttempt({ ...LINK_ID, limit: ATTEMPT_LIMIT })}`,
      created?.sealed ?? 'none created',
    ],
  };
}

const momentText = ({ type, at }: Pick<LinkMoment, 'at'> & { type: string }) => `${type} ${at.toISOString()}`;

/** An outcome of operations one after another. `undefined` is the result of one that did not run. */
interface SerialOutcome {
  results: (string | undefined)[];
  state: State;
}

/** Returns the outcome of each order of the scenario's operations, and of each part of them. */
export async function serialOutcomes(backend: Backend, scenario: Scenario): Promise<SerialOutcome[]> {
  const outcomes: SerialOutcome[] = [];
  async function runNext(order: readonly number[]): Promise<void> {
    await begin(backend, scenario);
    const results: (string | undefined)[] = scenario.map(() => undefined);
    for (const index of order) results[index] = await callOperation(scenario, index, backend.storage);
    outcomes.push({ results, state: await readState(backend) });
    for (const index of scenario.keys()) if (!order.includes(index)) await runNext([...order, index]);
  }
  await runNext([]);
  return outcomes;
}

/** Whether a call may end with this result and without an effect. A sweep passes over rows that other calls lock. */
function isWithoutEffect(result: string | undefined): boolean {
  return result === 'storage_unavailable' || /^(?:swept|purged|due) 0$/.test(result ?? '');
}

/**
 * Asserts the promises, and that the operations one after another can have the same outcome.
 * @param hasOlder whether 0.2.0 made some of the operations: it names no link that exists
 */
export function assertPromises(
  scenario: Scenario,
  { results, state }: Outcome,
  serial: readonly SerialOutcome[],
  hasOlder = false,
): void {
  const submitted = results.filter((result) => result.startsWith('submitted ')).map(referenceOf);
  const repeated = results.filter((result) => result.startsWith('already_submitted ')).map(referenceOf);
  const stored = state.sessions.map((session) => session.split(' ')[0]);
  const isDeleted = results.some((result) => /^(?:client )?deleted /.test(result));
  const isPurged = results.includes('purged 1');
  assert.ok(submitted.length <= 1 && stored.length <= 1, 'one session per link');
  assert.deepEqual(state.events, stored, 'each session has its event');
  if (scenario.includes('submit')) {
    assert.deepEqual(
      stored,
      isDeleted || isPurged ? [] : submitted,
      'the session of a submitted link exists',
    );
    for (const reference of repeated) assert.equal(reference, submitted[0], 'a repetition gets the session');
  }
  if (results.includes('revoked') || results.includes('declined'))
    assert.deepEqual([...submitted, ...stored], [], 'nothing after a revocation');
  if (isDeleted)
    assert.deepEqual(
      [state.link, state.sessions, state.events, state.life.filter((text) => !text.startsWith('data.'))],
      ['"none"', [], [], []],
      'deleteUser and deleteClient delete everything',
    );
  assertLife(scenario, { results, state });
  const inserted = results.filter((result) => result.startsWith('inserted '));
  const removed = results.filter((result) => /^(?:deleted|swept) [1-9]/.test(result));
  assert.ok(inserted.length <= 1 + removed.length, 'one link for a key');
  const isSerial = serial.some(
    (other) =>
      comparable(other.state, hasOlder) === comparable(state, hasOlder) &&
      results.every((result, index) =>
        other.results[index] === undefined ? isWithoutEffect(result) : other.results[index] === result,
      ),
  );
  assert.ok(isSerial, 'the operations one after another can have this outcome');
}

/** Returns a state as text: how often a link is named does not count. */
const comparable = ({ named, ...state }: State, hasOlder: boolean) =>
  JSON.stringify([state, hasOlder ? [] : [...new Set(named)]]);

/** Asserts the promises about moments and events, whatever the order. */
function assertLife(scenario: Scenario, { results, state }: Outcome): void {
  const { moments, life, named } = state;
  const events = life.filter((text) => !text.startsWith('data.'));
  const sequences = events.map((text) => Number.parseInt(text, 10)).sort((a, b) => a - b);
  assert.deepEqual(
    sequences,
    [...sequences.keys()].map((index) => index + 1),
    'sequences have no gap',
  );
  // The events remain when the link is deleted, and its moments do not.
  if (state.link !== '"none"') {
    const expected = moments.map((moment, index) => `${index + 1} ${moment}`);
    assert.deepEqual(events, expected.sort(), 'each moment is one event');
  }
  const typesOnce = ['link.started', 'link.locked', 'link.expiring', 'link.expired'];
  const types = events.map((text) => text.split(' ')[1]);
  for (const type of typesOnce)
    assert.ok(types.filter((other) => other === type).length <= 1, `one ${type} per link`);
  const ends = results.filter(
    (result, index) =>
      result.startsWith('submitted ') ||
      result === 'declined' ||
      (scenario[index] === 'revoke' && result === 'revoked'),
  );
  assert.ok(ends.length <= 1, 'a link ends once');
  const isLinkGone = state.link === '"none"';
  const hadClaim = /^purged 1|^(already_)?submitted/m.test(results.join('\n')) || needsSession(scenario);
  const isNamed = named.includes(LINK.accessCodeHash);
  const withoutClaim = named.filter((linkId) => !hadClaim || linkId !== LINK.accessCodeHash);
  assert.equal(new Set(withoutClaim).size, withoutClaim.length, 'a link without a claim is named once');
  if (state.sessions.length > 0) assert.ok(!isNamed, 'no link is named while its session exists');
  if (!isLinkGone && !hadClaim) assert.ok(!isNamed, 'no link without a claim is named while it exists');
  if (isLinkGone && state.sessions.length === 0)
    assert.ok(isNamed, 'a link of which nothing is left is named');
}

const referenceOf = (result: string) => result.split(' ')[1];

/** Chooses who makes the next step. */
export type Choose = (ready: readonly number[]) => number;

/**
 * Runs a scenario once for each order of its steps: once for each sequence of choices. Each run begins with the choices of the
 * run before, up to the last one that has another possibility. Returns the number of orders.
 */
export async function runOrders(run: (choose: Choose) => Promise<void>): Promise<number> {
  const choices: { ready: readonly number[]; index: number }[] = [];
  for (let orders = 1; ; orders++) {
    const chosen: number[] = [];
    try {
      let isOther = true;
      for (let attempt = 0; isOther; attempt++) {
        assert.ok(attempt < 1000, 'the same choices have the same effect');
        let depth = 0;
        isOther = false;
        chosen.length = 0;
        await run((ready) => {
          // Of two statements that wait for one row, PostgreSQL may let either go on, and one of them much more often. The run
          // then ends in any order.
          isOther ||= choices[depth] !== undefined && String(choices[depth]?.ready) !== String(ready);
          if (!isOther) choices[depth] ??= { ready, index: 0 };
          const index = isOther ? 0 : (choices[depth]?.index ?? 0);
          depth++;
          chosen.push(ready[index] as number);
          return ready[index] as number;
        });
      }
    } catch (error) {
      throw new Error(`in the order ${chosen.join(' ')}: ${(error as Error).message}`, { cause: error });
    }
    while (choices.length > 0) {
      const last = choices.at(-1) as (typeof choices)[number];
      if (++last.index < last.ready.length) break;
      choices.pop();
    }
    if (choices.length === 0) return orders;
  }
}

/** Runs every order of the scenarios, and returns their number. Names the scenario and the order that fails. */
export async function runScenarios(
  t: Test,
  scenarios: readonly Scenario[],
  run: (scenario: Scenario) => Promise<number>,
): Promise<number> {
  let orders = 0;
  for (const scenario of scenarios) {
    try {
      orders += await run(scenario);
    } catch (error) {
      t.fail(`${scenario.join(', ')}: ${(error as Error).message}`);
    }
  }
  return orders;
}
