// What happens in a run: actions with their times. A seed gives a plan; a plan without some actions is a plan as well.
import { EVENT_TYPES, type LifeEventType } from '../../lib/core/types.js';
import type { SeededPlan, TimedAction } from './kind.js';
import { createRandom, type Random } from './random.js';

/** What an actor does. Names of links, clients, users and readers are those of the plan. */
export type Step =
  /** Each request for a link has the same Idempotency-Key. */
  | { kind: 'create'; link: string; client: string; user: string; key: number }
  /** `answer` is absent where links ask nothing. */
  | { kind: 'open' | 'submit'; link: string; answer?: Answer }
  | { kind: 'revoke'; link: string }
  /** Forms of the page of a link. */
  | { kind: 'start' | 'decline' | 'renew'; link: string }
  /** Gives a link its attempts back. */
  | { kind: 'unlock'; link: string }
  /** Lets a link of the mock expire now. */
  | { kind: 'expire'; link: string }
  /** Revokes a link as another client. */
  | { kind: 'revokeAsOther'; link: string }
  /** Submits the access code of a link with the token of another one. */
  | { kind: 'forge'; link: string; tokenOf: string }
  | { kind: 'update'; link: string; status: string }
  /** `owner` is the client of the key. */
  | { kind: 'list'; client: string; user: string; owner: string; key: number }
  | { kind: 'follow'; client: string; reader: string }
  | { kind: 'deleteUser'; client: string; user: string }
  | { kind: 'revokeAll'; client: string; user: string }
  | { kind: 'sweep' | 'reduceLinks' }
  | { kind: 'deliver' }
  /** Deletes sessions that are older than this age. */
  | { kind: 'purge'; ageMs: number }
  | { kind: 'rotateKey' | 'revokeKey'; client: string; key: number }
  | { kind: 'crash'; restartMs: number }
  | { kind: 'jump'; byMs: number }
  /** Restarts each process with the next ring of signing keys. */
  | { kind: 'rotateSigningKeys' };

/** What an actor answers to the question of a link. */
export type Answer = 'right' | 'wrong' | 'none';

export interface Action extends TimedAction {
  process: number;
  step: Step;
}

export interface Plan extends SeededPlan {
  /** The storage is that of mock clients, which has fewer methods. */
  isMock: boolean;
  /** The clients ask each recipient for the number of the policy. */
  asksRecipients: boolean;
  /** The events that the host chose beside submissions. Absent: it has `onSubmit` only. */
  events?: readonly LifeEventType[];
  processes: number;
  actions: readonly Action[];
}

export const CLIENTS = ['acme', 'zeta'];
export const USERS = ['ann', 'bob'];
/** Lifetime of each link. */
export const LINK_SECONDS = 90;
/** A link has this time left at its `link.expiring`. */
export const NOTICE_SECONDS = 60;

/** Returns the plan of a seed: 2 to 20 actors on 1 to 4 links. */
export function createPlan(seed: number): Plan {
  const random = createRandom(seed);
  const isMock = random.chance(0.1);
  const asksRecipients = random.chance(0.3);
  const processes = isMock ? 1 : random.between(1, 3);
  const actors = random.chance(0.7) ? random.between(2, 8) : random.between(9, 20);
  const links = Array.from({ length: random.between(1, 4) }, (_, index) => `L${index + 1}`);
  const events = isMock || random.chance(0.3) ? undefined : chooseEvents(random);
  const clients = random.chance(0.3) ? CLIENTS : CLIENTS.slice(0, 1);
  const creations = new Map<string, Step>(
    links.map((link) => [
      link,
      { kind: 'create', link, client: random.pick(clients), user: random.pick(USERS), key: 0 },
    ]),
  );
  const actions: Omit<Action, 'id'>[] = [...creations.values()].map((step) => ({
    atMs: random.below(20),
    actor: 'host',
    process: random.below(processes),
    hasFaults: random.chance(0.1),
    step,
  }));
  const steps = isMock ? MOCK_STEPS : events ? [...STEPS, ...LIFE_STEPS] : STEPS;
  // Actions that happen together are where mistakes show: at once, at the expiry of the links, and after a lease.
  const moments = [500, 500, random.between(1000, 20_000), 30_000, LINK_SECONDS * 1000 - 20, 130_000];
  for (let actor = 1; actor <= actors; actor++) {
    const link = random.pick(links);
    for (let count = random.between(1, 3); count > 0; count--) {
      actions.push({
        atMs: random.pick(moments) + random.below(random.pick([10, 100, 3000])),
        actor: `actor-${actor}`,
        process: random.below(processes),
        hasFaults: random.chance(0.3),
        step: random.pick(
          asksRecipients ? [...steps, ...ANSWER_STEPS, ...(events ? ANSWER_STEPS : [])] : steps,
        )(random, random.chance(0.8) ? link : random.pick(links), { creations, asksRecipients }),
      });
    }
  }
  actions.sort((a, b) => a.atMs - b.atMs);
  return {
    seed,
    isMock,
    asksRecipients,
    ...(events && { events }),
    processes,
    actions: actions.map((action, id) => ({ ...action, id })),
  };
}

/** Returns all events, or some of them. */
function chooseEvents(random: Random): readonly LifeEventType[] {
  const all = EVENT_TYPES.filter((type) => type !== 'claim.submitted');
  return random.chance(0.5) ? all : all.filter(() => random.chance(0.6));
}

/** What the steps of a plan have in common. */
interface World {
  /** The creation of each link. */
  creations: ReadonlyMap<string, Step>;
  asksRecipients: boolean;
}

type Create = (random: Random, link: string, world: World) => Step;

type Weight = readonly [weight: number, create: Create];

/** The steps that every storage allows, with how often each occurs. */
const COMMON: readonly Weight[] = [
  [34, (random, link, world) => ({ kind: 'submit', link, ...answer(random, world) })],
  [8, (random, link, world) => ({ kind: 'open', link, ...answer(random, world) })],
  [6, (_, link, { creations }) => creations.get(link) as Step],
  [8, (_, link) => ({ kind: 'revoke', link })],
  [8, (random) => list(random)],
  [4, (random) => ({ kind: 'crash', restartMs: random.pick([1, 100, 5000]) })],
  [4, (random) => ({ kind: 'jump', byMs: random.pick([-3_600_000, -5000, 5000, 61_000, 3_600_000]) })],
  [3, () => ({ kind: 'sweep' })],
  [2, (_, link) => ({ kind: 'revokeAsOther', link })],
  [
    2,
    (random, link, { creations }) => ({ kind: 'forge', link, tokenOf: random.pick([...creations.keys()]) }),
  ],
  [2, () => ({ kind: 'rotateSigningKeys' })],
];

const STEPS = bag([
  ...COMMON,
  [6, (random) => ({ kind: 'follow', client: owner(random).client, reader: random.pick(['r1', 'r2']) })],
  [6, () => ({ kind: 'deliver' })],
  [5, (random, link) => ({ kind: 'update', link, status: random.pick(['in_review', 'paid']) })],
  [3, (random) => ({ kind: 'deleteUser', ...owner(random) })],
  [2, () => ({ kind: 'reduceLinks' })],
  [2, (random) => ({ kind: 'purge', ageMs: random.pick([0, 30_000, 600_000]) })],
  [2, (random) => ({ kind: 'revokeAll', ...owner(random) })],
  [2, (random) => ({ kind: 'rotateKey', client: owner(random).client, key: random.below(2) })],
  [2, (random) => ({ kind: 'revokeKey', client: owner(random).client, key: random.below(2) })],
]);

/** More steps, if the links ask their recipients. */
const ANSWER_STEPS = bag([
  [30, (_, link) => ({ kind: 'open', link, answer: 'wrong' })],
  [4, (_, link) => ({ kind: 'unlock', link })],
]);

/** More steps, if the host chose events. */
const LIFE_STEPS = bag([
  [10, (_, link) => ({ kind: 'start', link })],
  [8, (_, link) => ({ kind: 'decline', link })],
  [6, (_, link) => ({ kind: 'renew', link })],
  [8, () => ({ kind: 'deliver' })],
  [4, () => ({ kind: 'sweep' })],
]);

const MOCK_STEPS = bag([...COMMON, [8, (_, link) => ({ kind: 'expire', link })]]);

function bag(weights: readonly Weight[]): readonly Create[] {
  return weights.flatMap(([weight, create]) => Array.from({ length: weight }, () => create));
}

function answer(random: Random, { asksRecipients }: World): { answer?: Answer } {
  if (!asksRecipients) return {};
  return { answer: random.pick(['right', 'right', 'right', 'wrong', 'wrong', 'none']) };
}

function owner(random: Random) {
  return { client: random.chance(0.8) ? 'acme' : 'zeta', user: random.pick(USERS) };
}

/** A listing, mostly with the first key of the client. */
function list(random: Random): Step {
  const { client, user } = owner(random);
  return {
    kind: 'list',
    client,
    user,
    owner: random.chance(0.8) ? client : random.pick(CLIENTS),
    key: random.chance(0.8) ? 0 : random.below(3),
  };
}
