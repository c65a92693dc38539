// Derives a user's sessions from seed, client and user, and from nothing else.
import { hash } from 'node:crypto';
import type { Faker } from '@faker-js/faker';
import { faker as sharedFaker } from '@faker-js/faker/locale/en';
import type { ClientForm, Incident, SelectedPolicy, Session, WidgetContact } from '../../lib/index.js';
import { SPECIAL_USERS } from '../schemas/defaults.js';
import { askedPolicy, formAnswers } from './seed-answers.js';
import { COUNTRIES, type Country } from './seed-countries.js';
import { createIncident } from './seed-incident.js';
import { createPolicies, createWidgetContact, type SeededPolicy } from './seed-policy.js';

/** A claim with every member that a client can ask for by default, and the confirmation. */
export interface SeededClaim {
  policy: SelectedPolicy;
  incident: Incident;
  noticeAccepted: true;
}

export interface SeederOptions {
  /** The number 42 and the text "42" are the same seed. */
  seed: number | string;
  /** Seeded data is older than this. */
  refDate: Date;
  /** Sessions of each user, 0 to 10_000; does not apply to user-empty and user-many. Default: 1 to 8, from the seed. */
  sessions?: number;
}

export type Seeder = ReturnType<typeof createSeeder>;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A claim and an extra session use one of the user's first policies, so that thousands need not be created for one claim. */
const CLAIM_POLICIES = 4;

// An own instance: seeding must not change the faker that a test suite in this process has seeded.
const OwnFaker = sharedFaker.constructor as typeof Faker;
const faker = new OwnFaker({ locale: sharedFaker.rawDefinitions });

/**
 * Creates a seeder, which creates the data of any client and user. The same arguments give the same bytes, in any order,
 * in any process. Its methods are synchronous, because they share one generator.
 */
export function createSeeder(options: SeederOptions) {
  const seed = String(options.seed);
  const refDay = Math.floor(options.refDate.getTime() / DAY);

  /** Seeds faker with the whole hash of the parts and returns the hash. */
  function startFrom(...parts: string[]): string {
    const digest = hash('sha256', JSON.stringify([seed, ...parts]), 'hex');
    faker.seed((digest.match(/.{8}/g) ?? []).map((part) => Number.parseInt(part, 16)));
    return digest;
  }

  function countryOf(clientId: string): Country {
    startFrom(clientId);
    return faker.helpers.arrayElement(COUNTRIES);
  }

  /** Starts a user: the number of sessions, and a policy for every two of them, at least one. */
  function startUser(clientId: string, userId: string, maxPolicies = Number.POSITIVE_INFINITY) {
    const country = countryOf(clientId);
    const digest = startFrom(clientId, userId);
    // Always generated: what follows must not depend on the options.
    const drawnCount = faker.number.int({ min: 1, max: 8 });
    const special = SPECIAL_USERS.find(({ id }) => id === userId);
    const count = special?.sessions ?? options.sessions ?? drawnCount;
    const policyCount = Math.min(Math.max(1, Math.ceil(count / 2)), maxPolicies);
    const policies = createPolicies(faker, country, { count: policyCount, userId, refDay });
    return { digest, count, policies };
  }

  function createSession(
    { policy, ...validity }: SeededPolicy,
    { digest, prefix, index }: { digest: string; prefix: string; index: number },
    takenMinutes: Set<number>,
  ): Session {
    const createdAt = createMoment(validity, refDay, takenMinutes);
    const isSlow = faker.datatype.boolean({ probability: 0.1 });
    const minutes = faker.number.int(isSlow ? { min: 60, max: 3 * 24 * 60 } : { min: 3, max: 55 });
    return {
      reference: `S-${toCrockford(digest, `${prefix}session`, index)}`,
      date: new Date(createdAt + minutes * MINUTE),
      camsReference: `CAMS-${toDigits(digest, `${prefix}cams`, index)}`,
      status: 'submitted',
      createdAt: new Date(createdAt),
      selectedPolicy: policy,
    };
  }

  return {
    /** Returns the contact that the client shows to its users. */
    contactOf(clientId: string): WidgetContact {
      return createWidgetContact(faker, countryOf(clientId));
    },

    /**
     * Returns a claim that the service accepts at this time, for a policy of the user. Each ordinal has its own incident.
     * Without a time, the incident is before the reference day. It has what the form of the client requires.
     */
    claimOf(
      clientId: string,
      userId: string,
      ordinal: number,
      { time, form = {} }: { time?: Date; form?: ClientForm } = {},
    ): SeededClaim {
      const { policies } = startUser(clientId, userId, CLAIM_POLICIES);
      startFrom(clientId, userId, 'claim', String(ordinal));
      const policy = faker.helpers.arrayElement(policies);
      const incident = createIncident(faker, policy, { refDay, time });
      return {
        policy: askedPolicy(faker, policy.policy, form),
        incident: { ...incident, ...formAnswers(faker, form, incident.date ?? ''), ...incident },
        noticeAccepted: true,
      };
    },

    /** Returns a function of sessions that are not of `sessionsOf`: each ordinal has its own. For thousands of them. */
    extraSessionsOf(clientId: string, userId: string): (ordinal: number) => Session {
      const { digest, policies } = startUser(clientId, userId, CLAIM_POLICIES);
      return (ordinal) => {
        startFrom(clientId, userId, 'extra', String(ordinal));
        const policy = faker.helpers.arrayElement(policies);
        return createSession(policy, { digest, prefix: 'extra-', index: ordinal }, new Set());
      };
    },

    /** Returns the user's sessions, newest first: none for `user-empty`, 250 for `user-many`. New objects in every call. */
    sessionsOf(clientId: string, userId: string): Session[] {
      const { digest, count, policies } = startUser(clientId, userId);
      const takenMinutes = new Set<number>();
      const sessions = Array.from({ length: count }, (_, index) => {
        const policy = policies[index] ?? faker.helpers.arrayElement(policies);
        const session = createSession(policy, { digest, prefix: '', index }, takenMinutes);
        return { ...session, status: statusOf(digest, index) };
      });
      return sessions.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    },
  };
}

/** Returns a time while the policy was valid, from 6:00 to 22:00 UTC, in a minute that no other session of the user has. */
function createMoment(
  { fromDay, toDay }: Omit<SeededPolicy, 'policy'>,
  refDay: number,
  takenMinutes: Set<number>,
): number {
  // At least five days before the reference date: a slow submission takes up to three.
  const day = faker.number.int({ min: fromDay, max: Math.min(toDay, refDay - 5) });
  let minute = day * 24 * 60 + faker.number.int({ min: 6 * 60, max: 22 * 60 - 1 });
  while (takenMinutes.has(minute)) minute++;
  takenMinutes.add(minute);
  return minute * MINUTE + faker.number.int({ min: 0, max: MINUTE - 1 });
}

/** Six of ten seeded sessions are `submitted`. */
function statusOf(digest: string, index: number): string {
  const others = ['in_review', 'in_review', 'accepted', 'rejected'];
  return others[Number(toDigits(digest, 'status', index)) % 10] ?? 'submitted';
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Returns 80 bits of the hash of (user, kind, index) in Crockford's base 32. */
function toCrockford(digest: string, kind: string, index: number): string {
  const bits = BigInt(`0x${hash('sha256', `${digest}:${kind}:${index}`, 'hex').slice(0, 20)}`);
  return Array.from({ length: 16 }, (_, i) => CROCKFORD[Number((bits >> BigInt(75 - 5 * i)) & 31n)]).join('');
}

/** Returns 15 digits of the hash of (user, kind, index). */
function toDigits(digest: string, kind: string, index: number): string {
  const number = BigInt(`0x${hash('sha256', `${digest}:${kind}:${index}`, 'hex').slice(0, 16)}`);
  return String(number % 10n ** 15n).padStart(15, '0');
}
