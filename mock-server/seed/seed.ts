// The seeder: a user's sessions out of a hash of seed, client and user, and out of nothing else.
import { hash } from 'node:crypto';
import type { Faker } from '@faker-js/faker';
import { faker as sharedFaker } from '@faker-js/faker/locale/en';
import { ClaimlinkError, type ClaimSubmission, type Session, type WidgetContact } from '../../lib/index.js';
import { DEFAULT_REF_DATE, DEFAULT_SEED } from '../defaults.js';
import { MAGIC_USERS } from '../world/magic-users.js';
import { COUNTRIES, type Country } from './seed-countries.js';
import { createIncident } from './seed-incident.js';
import { createPolicies, createWidgetContact, type SeededPolicy } from './seed-policy.js';

/** What a seeder derives everything from. */
export interface SeederOptions {
  /** Default 42. The number 42 and the text "42" are the same seed. */
  seed?: number | string;
  /** The moment that seeded data lies before. Default 2026-01-01T00:00:00.000Z. */
  refDate?: Date;
  /** How many sessions every user has, 0 to 10_000, magic users apart. Default: 1 to 8, drawn for each user. */
  sessions?: number;
}

/** Makes up the data of any client and user. The same arguments give the same bytes, in any order, in any process. */
export interface Seeder {
  /** The user's sessions, newest first; none for `user-empty`, 250 for `user-many`. New objects in every call. */
  sessionsOf(clientId: string, userId: string): Session[];
  /**
   * A claim that the service accepts: of one of the policies that the user's sessions are about, or of one more where
   * there is no session. Ordinals are any numbers; each gives its own incident.
   */
  claimOf(clientId: string, userId: string, ordinal: number): ClaimSubmission;
  /** Whom the users of a client turn to. */
  contactOf(clientId: string): WidgetContact;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MAX_SESSIONS = 10_000;
/** Out of so many of a user's policies a claim's is drawn, lest all of thousands are made up for one claim. */
const CLAIM_POLICIES = 4;

// An instance of our own, so that seeding never disturbs the faker that a test suite in this process has seeded.
const OwnFaker = sharedFaker.constructor as typeof Faker;
const faker = new OwnFaker({ locale: sharedFaker.rawDefinitions });

/**
 * Makes a seeder. Everything it does is synchronous, so that no two derivations mix.
 * @throws `options_invalid` for a number of sessions that is none.
 */
export function createSeeder(options: SeederOptions = {}): Seeder {
  const seed = String(options.seed ?? DEFAULT_SEED);
  const refDay = Math.floor((options.refDate ?? new Date(DEFAULT_REF_DATE)).getTime() / DAY);
  assertSessions(options.sessions);

  /** Reseeds faker with the whole hash of the given parts, and returns the hash. */
  function startFrom(...parts: string[]): string {
    const digest = hash('sha256', JSON.stringify([seed, ...parts]), 'hex');
    faker.seed((digest.match(/.{8}/g) ?? []).map((part) => Number.parseInt(part, 16)));
    return digest;
  }

  function countryOf(clientId: string): Country {
    startFrom(clientId);
    return faker.helpers.arrayElement(COUNTRIES);
  }

  /** Begins a user: how many sessions there are, and the policies they are about, or the first few of these. */
  function startUser(clientId: string, userId: string, policyCount: (sessions: number) => number) {
    const country = countryOf(clientId);
    const digest = startFrom(clientId, userId);
    // Drawn in any case: what follows must not depend on the options.
    const drawn = faker.number.int({ min: 1, max: 8 });
    const magic = MAGIC_USERS.find(({ id }) => id === userId);
    const count = magic?.sessions ?? options.sessions ?? drawn;
    const policies = createPolicies(faker, country, { count: policyCount(count), userId, refDay });
    return { digest, count, policies };
  }

  return {
    contactOf(clientId) {
      return createWidgetContact(faker, countryOf(clientId));
    },

    claimOf(clientId, userId, ordinal) {
      const { policies } = startUser(clientId, userId, (sessions) =>
        Math.min(Math.max(1, policiesFor(sessions)), CLAIM_POLICIES),
      );
      startFrom(clientId, userId, 'claim', String(ordinal));
      const policy = faker.helpers.arrayElement(policies);
      return { policy: policy.policy, incident: createIncident(faker, policy, { refDay }) };
    },

    sessionsOf(clientId, userId) {
      const { digest, count, policies } = startUser(clientId, userId, policiesFor);
      const takenMinutes = new Set<number>();
      const sessions = Array.from({ length: count }, (_, index): Session => {
        const policy = policies[index] ?? faker.helpers.arrayElement(policies);
        const createdAt = createMoment(policy, refDay, takenMinutes);
        const isSlow = faker.datatype.boolean({ probability: 0.1 });
        const minutes = faker.number.int(isSlow ? { min: 60, max: 3 * 24 * 60 } : { min: 3, max: 55 });
        return {
          reference: `S-${toCrockford(digest, 'session', index)}`,
          date: new Date(createdAt + minutes * MINUTE),
          camsReference: `CAMS-${toDigits(digest, 'cams', index)}`,
          status: 'submitted',
          createdAt: new Date(createdAt),
          selectedPolicy: policy.policy,
        };
      });
      return sessions.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    },
  };
}

/** How many policies so many sessions are about; each of the first ones has a policy of its own. */
function policiesFor(sessions: number): number {
  return Math.ceil(sessions / 2);
}

function assertSessions(sessions: number | undefined): void {
  if (sessions === undefined) return;
  if (Number.isInteger(sessions) && sessions >= 0 && sessions <= MAX_SESSIONS) return;
  const detail = `must be a whole number, 0 to ${MAX_SESSIONS}`;
  throw new ClaimlinkError('options_invalid', `createSeeder options: sessions ${detail}.`, {
    details: [{ pointer: '/sessions', rule: 'value', detail }],
  });
}

/** A moment while the policy was valid, from 6 to 22 o'clock UTC, in a minute that no other session of the user has. */
function createMoment({ fromDay, toDay }: SeededPolicy, refDay: number, takenMinutes: Set<number>): number {
  // Five days before the reference date at the latest: a slow submission must still lie before it.
  const day = faker.number.int({ min: fromDay, max: Math.min(toDay, refDay - 5) });
  let minute = day * 24 * 60 + faker.number.int({ min: 6 * 60, max: 22 * 60 - 1 });
  while (takenMinutes.has(minute)) minute++;
  takenMinutes.add(minute);
  return minute * MINUTE + faker.number.int({ min: 0, max: MINUTE - 1 });
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 80 bits of the hash of (user, kind, index), in Crockford's base 32. */
function toCrockford(digest: string, kind: string, index: number): string {
  const bits = BigInt(`0x${hash('sha256', `${digest}:${kind}:${index}`, 'hex').slice(0, 20)}`);
  return Array.from({ length: 16 }, (_, i) => CROCKFORD[Number((bits >> BigInt(75 - 5 * i)) & 31n)]).join('');
}

/** 15 digits of the hash of (user, kind, index). */
function toDigits(digest: string, kind: string, index: number): string {
  const number = BigInt(`0x${hash('sha256', `${digest}:${kind}:${index}`, 'hex').slice(0, 16)}`);
  return String(number % 10n ** 15n).padStart(15, '0');
}
