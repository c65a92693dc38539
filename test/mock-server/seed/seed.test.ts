// Seeds: the same arguments give the same bytes, whatever else was asked, in whatever order.
import { readFile } from 'node:fs/promises';
import { faker } from '@faker-js/faker/locale/en';
import t from 'tap';
import { parseClaimSubmission } from '../../../lib/core/validators.js';
import { sessionListJson } from '../../../lib/http/session-json.js';
import type { Session } from '../../../lib/index.js';
import { DEFAULT_REF_DATE, DEFAULT_SEED } from '../../../mock-server/schemas/defaults.js';
import { createSeeder as create, type Seeder, type SeederOptions } from '../../../mock-server/seed/seed.js';
import { COUNTRIES } from '../../../mock-server/seed/seed-countries.js';
import { REPOSITORY } from '../../repository.js';

/** Creates a seeder with the defaults of the mock. */
function createSeeder(options: Partial<SeederOptions> = {}): Seeder {
  return create({ seed: DEFAULT_SEED, refDate: new Date(DEFAULT_REF_DATE), ...options });
}

const REF = Date.parse('2026-01-01T00:00:00.000Z');
const USERS = Array.from({ length: 200 }, (_, index) => `person-${index}`);

const sessionsOf = (...clientIds: string[]): Session[] => {
  const seeder = createSeeder();
  return clientIds.flatMap((clientId) => USERS.flatMap((userId) => seeder.sessionsOf(clientId, userId)));
};

/** The sessions of many users of five clients. */
const SESSIONS = sessionsOf('demo', 'acme', 'beta', 'gamma', 'delta');
const POLICIES = SESSIONS.map(({ selectedPolicy }) => selectedPolicy);

t.test('golden: seed 42, demo, user-1 is exactly this listing', async (t) => {
  const golden: unknown = JSON.parse(
    await readFile(new URL('test/mock-server/golden/demo-user-1.json', REPOSITORY), 'utf8'),
  );
  t.equal(sessionListJson(createSeeder().sessionsOf('demo', 'user-1')).text, JSON.stringify(golden));
});

t.test('users asked for in random orders, claims and contacts between, have the same bytes', async (t) => {
  const users = [...USERS.slice(0, 40), 'user-many', 'user-empty'];
  const bytesOf = (seeder: Seeder, userId: string) =>
    JSON.stringify([seeder.sessionsOf('demo', userId), seeder.claimOf('demo', userId, 7)]);
  const expected = new Map(users.map((userId) => [userId, bytesOf(createSeeder(), userId)]));
  let state = 1;
  const draw = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const seeder = createSeeder();
  for (let i = 0; i < 300; i++) {
    const userId = users[draw(users.length)] ?? '';
    if (draw(2) === 0) seeder.contactOf(`client-${draw(5)}`);
    if (draw(2) === 0) seeder.claimOf('acme', userId, draw(9));
    if (bytesOf(seeder, userId) !== expected.get(userId)) t.fail(`${userId} has other data`);
  }
});

t.test('the number 42 and the text "42" are the same seed', async (t) => {
  t.same(
    createSeeder({ seed: '42' }).sessionsOf('demo', 'user-1'),
    createSeeder().sessionsOf('demo', 'user-1'),
  );
});

t.test('another seed, another client and another user each give other data', async (t) => {
  const references = (sessions: Session[]) => sessions.map(({ reference }) => reference).join();
  const all = [
    createSeeder().sessionsOf('demo', 'user-1'),
    createSeeder({ seed: 43 }).sessionsOf('demo', 'user-1'),
    createSeeder().sessionsOf('acme', 'user-1'),
    createSeeder().sessionsOf('demo', 'user-2'),
    createSeeder().sessionsOf('demouser-', '1'),
  ];
  t.equal(new Set(all.map(references)).size, all.length);
});

t.test("a program's own faker keeps its sequence", async (t) => {
  faker.seed(7);
  const expected = [faker.number.int(), faker.number.int()];
  faker.seed(7);
  const first = faker.number.int();
  createSeeder().sessionsOf('demo', 'user-1');
  t.same([first, faker.number.int()], expected);
});

t.test('references are unique over all clients and users', async (t) => {
  t.equal(new Set(SESSIONS.map(({ reference }) => reference)).size, SESSIONS.length);
  t.equal(new Set(SESSIONS.map(({ camsReference }) => camsReference)).size, SESSIONS.length);
  t.ok(SESSIONS.every(({ reference }) => /^S-[0-9A-HJKMNP-TV-Z]{16}$/.test(reference)));
  t.ok(SESSIONS.every(({ camsReference }) => /^CAMS-\d{15}$/.test(camsReference)));
});

t.test('a session begins while its policy is valid, and ends before the reference date', async (t) => {
  const outOfTime = SESSIONS.filter(({ createdAt, date, selectedPolicy }) => {
    const day = createdAt.toISOString().slice(0, 10);
    const isValid = selectedPolicy.validFrom <= day && day <= selectedPolicy.validTo;
    return !(isValid && createdAt < date && date.getTime() < REF);
  });
  t.same(outOfTime, []);
});

t.test('most sessions are submitted, others are in review, accepted or rejected', async (t) => {
  const share = (status: string) =>
    SESSIONS.filter((session) => session.status === status).length / SESSIONS.length;
  const shares = ['submitted', 'in_review', 'accepted', 'rejected'].map((status) => share(status).toFixed(1));
  t.same(shares, ['0.6', '0.2', '0.1', '0.1']);
  t.equal(createSeeder().extraSessionsOf('demo', 'user-1')(1).status, 'submitted', 'of a new session');
});

t.test('refDate moves the whole world', async (t) => {
  const refDate = new Date('2031-06-15T12:00:00Z');
  const sessions = USERS.flatMap((userId) => createSeeder({ refDate }).sessionsOf('demo', userId));
  t.ok(sessions.every(({ date }) => date < refDate));
  t.ok(sessions.some(({ date }) => date.getUTCFullYear() === 2031));
});

t.test('the sessions of a user come newest first, in distinct minutes, with one holder', async (t) => {
  const seeder = createSeeder();
  const wrongUsers = [...USERS, 'user-many'].filter((userId) => {
    const sessions = seeder.sessionsOf('demo', userId);
    const minutes = sessions.map(({ createdAt }) => createdAt.toISOString().slice(0, 16));
    const holders = new Set(sessions.map(({ selectedPolicy }) => JSON.stringify(selectedPolicy.holder)));
    const isInOrder = minutes.join() === [...new Set(minutes)].sort().reverse().join();
    return !isInOrder || holders.size > 1 || sessions[0]?.selectedPolicy.holder.id !== userId;
  });
  t.same(wrongUsers, []);
});

t.test('a user has 1 to 8 sessions, a policy 0 to 3 contacts', async (t) => {
  const seeder = createSeeder();
  const counts = new Set(USERS.map((userId) => seeder.sessionsOf('demo', userId).length));
  t.same([...counts].toSorted(), [1, 2, 3, 4, 5, 6, 7, 8]);
  const contacts = new Set(POLICIES.map(({ linkedContacts }) => linkedContacts.length));
  t.same([...contacts].toSorted(), [0, 1, 2, 3]);
});

t.test('every client has ended and running policies, contacts or none, names of all kinds', async (t) => {
  // Of each of the five countries one client, at least.
  const clientIds = Array.from({ length: 12 }, (_, index) => `client-${index}`);
  const seeder = createSeeder();
  t.equal(new Set(clientIds.map((id) => seeder.contactOf(id).phone.split(' ')[0])).size, COUNTRIES.length);
  const missing = clientIds.flatMap((clientId) => {
    const policies = sessionsOf(clientId).map(({ selectedPolicy }) => selectedPolicy);
    const names = policies.map(({ holder }) => `${holder.firstName} ${holder.lastName}`);
    const kinds = {
      ended: policies.some(({ validTo }) => validTo < '2026-01-01'),
      running: policies.some(({ validTo }) => validTo >= '2026-01-01'),
      noContact: policies.some(({ linkedContacts }) => linkedContacts.length === 0),
      severalContacts: policies.some(({ linkedContacts }) => linkedContacts.length > 1),
      longName: names.some(({ length }) => length > 30),
      outsideAscii: names.some((name) => /[^\x20-\x7e]/.test(name)),
      plainAscii: names.some((name) => /^[\x20-\x7e]+$/.test(name)),
    };
    return Object.entries(kinds)
      .filter(([, isPresent]) => !isPresent)
      .map(([name]) => `${clientId}: ${name}`);
  });
  t.same(missing, []);
});

t.test('phones, plates, insurers and policy numbers of a client are those of one country', async (t) => {
  const counts = ['demo', 'acme', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'].map((clientId) => {
    const policies = sessionsOf(clientId).map(({ selectedPolicy }) => selectedPolicy);
    const { phone } = createSeeder().contactOf(clientId);
    return COUNTRIES.filter(
      ({ phones, licensePlates, insurers }) =>
        phones.some((pattern) => pattern.split(' ')[0] === phone.split(' ')[0]) &&
        policies.every(
          ({ holder, vehicle, provider, number }) =>
            phones.some((pattern) => matches(pattern, holder.phone)) &&
            licensePlates.some((pattern) => matches(pattern, vehicle.licensePlate)) &&
            insurers.some(({ name, policyNumber }) => name === provider && matches(policyNumber, number)),
        ),
    ).length;
  });
  t.same(counts, [1, 1, 1, 1, 1, 1, 1]);
});

t.test('the option sessions sets the number of sessions, except for user-empty and user-many', async (t) => {
  const USERS_OF_EACH_KIND = ['user-1', 'user-slow', 'ünïcode', 'user-empty', 'user-many'];
  for (const sessions of [0, 1, 500]) {
    const seeder = createSeeder({ sessions });
    t.same(
      USERS_OF_EACH_KIND.map((userId) => seeder.sessionsOf('demo', userId).length),
      [sessions, sessions, sessions, 0, 250],
    );
  }
});

t.test('10 000 sessions of one user are as good as few: unique, in distinct minutes, in order', async (t) => {
  const sessions = createSeeder({ sessions: 10_000 }).sessionsOf('demo', 'user-1');
  const minutes = sessions.map(({ createdAt }) => createdAt.toISOString().slice(0, 16));
  t.equal(new Set(minutes).size, 10_000);
  t.same(minutes, minutes.toSorted().toReversed());
  t.equal(new Set(sessions.map(({ reference }) => reference)).size, 10_000);
  t.ok(sessions.every(({ date }) => date.getTime() < REF));
});

t.test('a claim is one that the service accepts, for every kind of user', async (t) => {
  const users = [...USERS, 'user-empty', 'user-many', 'x'.repeat(256), '42', '🚗'];
  const claims = [{}, { sessions: 0 }, { sessions: 100 }].flatMap((options) => {
    const seeder = createSeeder(options);
    return users.map((userId) => seeder.claimOf('demo', userId, 1));
  });
  t.same(
    claims.map((claim) => parseClaimSubmission(claim, new Date(REF))),
    claims,
  );
  t.same([...new Set(claims.map(({ policy }) => policy.holder.id))], users);
});

t.test('the incident of a claim is not after the time that it is created for', async (t) => {
  const seeder = createSeeder();
  const incidentAt = (time?: Date) => seeder.claimOf('demo', 'user-1', 1, time && { time }).incident?.date;
  t.equal(incidentAt(new Date('2020-03-02T09:30:00Z')), '2020-03-02');
  t.equal(incidentAt(new Date(REF)), incidentAt());
});

t.test('a claim is about the policy of one of the user’s sessions, and not always the same', async (t) => {
  const seeder = createSeeder({ sessions: 8 });
  for (const userId of USERS.slice(0, 50)) {
    const policies = seeder
      .sessionsOf('demo', userId)
      .map(({ selectedPolicy }) => JSON.stringify(selectedPolicy));
    const claims = Array.from({ length: 20 }, (_, ordinal) => seeder.claimOf('demo', userId, ordinal));
    const chosen = new Set(claims.map(({ policy }) => JSON.stringify(policy)));
    if (![...chosen].every((policy) => policies.includes(policy)) || chosen.size < 2)
      t.fail(`the claims of ${userId} are about something else`);
  }
  const seeds = new Set(
    createSeeder()
      .sessionsOf('demo', 'person-1')
      .map(({ selectedPolicy }) => selectedPolicy.number),
  );
  t.ok(seeds.has(createSeeder().claimOf('demo', 'person-1', 1).policy.number));
});

t.test('the incident of a claim lies while its policy is valid, before the reference date', async (t) => {
  const seeder = createSeeder();
  const claims = [...USERS, 'user-empty'].map((userId) => seeder.claimOf('demo', userId, 3));
  const outOfTime = claims.filter(({ policy, incident: { date = '' } = {} }) => {
    const isValid = policy.validFrom <= date && date <= policy.validTo;
    return !isValid || date >= '2026-01-01';
  });
  t.same(outOfTime, []);
});

t.test('incidents are varied, short, plain English', async (t) => {
  const seeder = createSeeder();
  const descriptions = USERS.map((userId) => seeder.claimOf('demo', userId, 1).incident?.description ?? '');
  t.ok(new Set(descriptions).size > 60, `${new Set(descriptions).size} of ${USERS.length} differ`);
  t.same(
    descriptions.filter((description) => !/^[A-Z][A-Za-z ’,;.-]{30,250}\.$/.test(description)),
    [],
  );
});

t.test('a claim derives from seed, client, user and ordinal, and from nothing else', async (t) => {
  const claim = (options: object, clientId: string, userId: string, ordinal: number) =>
    JSON.stringify(createSeeder(options).claimOf(clientId, userId, ordinal));
  const first = claim({}, 'demo', 'user-1', 1);
  t.equal(claim({}, 'demo', 'user-1', 1), first);
  const others = [
    claim({ seed: 43 }, 'demo', 'user-1', 1),
    claim({}, 'acme', 'user-1', 1),
    claim({}, 'demo', 'user-2', 1),
    claim({}, 'demo', 'user-1', 2),
  ];
  t.equal(new Set([first, ...others]).size, 5);
  t.equal(claim({ refDate: new Date('2026-01-01T23:59:59Z') }, 'demo', 'user-1', 1), first);
});

t.test('mail goes to example domains only, and the address is plain ASCII', async (t) => {
  const people = POLICIES.flatMap(({ holder, linkedContacts }) => [holder, ...linkedContacts]);
  t.ok(people.every(({ email }) => /^[a-z]+\.[a-z]+\d{0,2}@example\.(com|org)$/.test(email)));
  t.match(createSeeder().contactOf('demo').email, /^claims@example\.(com|org)$/);
});

t.test('each extra session of a user has a reference of its own, unlike those of the listing', async (t) => {
  const seeder = createSeeder();
  const extraSession = seeder.extraSessionsOf('demo', 'user-1');
  const extras = Array.from({ length: 50 }, (_, index) => extraSession(index));
  const sessions = [...extras, ...seeder.sessionsOf('demo', 'user-1')];
  t.equal(new Set(sessions.map(({ reference }) => reference)).size, sessions.length);
  t.equal(new Set(sessions.map(({ camsReference }) => camsReference)).size, sessions.length);
  t.ok(sessions.every(({ selectedPolicy }) => selectedPolicy.holder.id === 'user-1'));
  t.same(createSeeder().extraSessionsOf('demo', 'user-1')(7), extras[7]);
});

/** Whether a text fills a pattern of `Country`. */
function matches(pattern: string, text: string): boolean {
  const places: Record<string, string> = { '#': '\\d', '%': '[1-9]', '?': '[A-Z]' };
  const source = [...pattern].map((place) => places[place] ?? place.replace(/[.*+()|/]/g, '\\$&')).join('');
  return new RegExp(`^${source}$`).test(text);
}
