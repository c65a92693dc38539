// The seeder: a user's sessions out of a hash of seed, client and user, and out of nothing else.
import { hash } from 'node:crypto';
import type { Faker } from '@faker-js/faker';
import { faker as sharedFaker } from '@faker-js/faker/locale/en';
import type { Session, WidgetContact } from '../lib/index.js';
import { DEFAULT_REF_DATE, DEFAULT_SEED } from './defaults.js';
import { COUNTRIES, type Country } from './seed-countries.js';
import { createPolicies, createWidgetContact, type SeededPolicy } from './seed-policy.js';

/** Users whose data is special, for those who can only choose a user id. */
export const MAGIC_USERS: Readonly<Record<string, number>> = { 'user-empty': 0, 'user-many': 250 };

/** What a seeder derives everything from. */
export interface SeederOptions {
  /** Default 42. The number 42 and the text "42" are the same seed. */
  seed?: number | string;
  /** The moment that seeded data lies before. Default 2026-01-01T00:00:00.000Z. */
  refDate?: Date;
}

/** Makes up the data of any client and user. The same arguments give the same bytes, in any order, in any process. */
export interface Seeder {
  /** 1 to 8 sessions, newest first; none for `user-empty`, 250 for `user-many`. New objects in every call. */
  sessionsOf(clientId: string, userId: string): Session[];
  /** Whom the users of a client turn to. */
  contactOf(clientId: string): WidgetContact;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

// An instance of our own, so that seeding never disturbs the faker that a test suite in this process has seeded.
const OwnFaker = sharedFaker.constructor as typeof Faker;
const faker = new OwnFaker({ locale: sharedFaker.rawDefinitions });

/** Makes a seeder. Everything it does is synchronous, so that no two derivations mix. */
export function createSeeder(options: SeederOptions = {}): Seeder {
  const seed = String(options.seed ?? DEFAULT_SEED);
  const refDay = Math.floor((options.refDate ?? new Date(DEFAULT_REF_DATE)).getTime() / DAY);

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

  return {
    contactOf(clientId) {
      return createWidgetContact(faker, countryOf(clientId));
    },

    sessionsOf(clientId, userId) {
      const country = countryOf(clientId);
      const digest = startFrom(clientId, userId);
      const drawn = faker.number.int({ min: 1, max: 8 });
      const count = Object.hasOwn(MAGIC_USERS, userId) ? (MAGIC_USERS[userId] ?? 0) : drawn;
      const policies = createPolicies(faker, country, { count: Math.ceil(count / 2), userId, refDay });
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
