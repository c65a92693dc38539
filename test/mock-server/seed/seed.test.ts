// Seeds: the same arguments give the same bytes, whatever else was asked, in whatever order.
import { readFile } from 'node:fs/promises';
import { faker } from '@faker-js/faker/locale/en';
import t from 'tap';
import { sessionListJson } from '../../../lib/core/session-json.js';
import { parseClaimSubmission } from '../../../lib/core/validators.js';
import type { Session } from '../../../lib/index.js';
import { createSeeder, type Seeder } from '../../../mock-server/seed/seed.js';
import { COUNTRIES } from '../../../mock-server/seed/seed-countries.js';
import { REPOSITORY } from '../../repository.js';

const REF = Date.parse('2026-01-01T00:00:00.000Z');
const USERS = Array.from({ length: 200 }, (_, index) => `person-${index}`);

function everySession(
  seeder = createSeeder(),
  clientIds = ['demo', 'acme', 'beta', 'gamma', 'delta'],
): Session[] {
  return clientIds.flatMap((clientId) => USERS.flatMap((userId) => seeder.sessionsOf(clientId, userId)));
}

t.test('golden: seed 42, demo, user-1 is exactly this listing', async (t) => {
  const golden: unknown = JSON.parse(
    await readFile(new URL('test/mock-server/golden/demo-user-1.json', REPOSITORY), 'utf8'),
  );
  t.equal(sessionListJson(createSeeder().sessionsOf('demo', 'user-1')).text, JSON.stringify(golden));
});

t.test('the order in which users are asked for changes nothing', async (t) => {
  const forwards = createSeeder();
  const backwards = createSeeder();
  const users = ['user-1', 'user-2', 'user-3', 'ünïcode', '42'];
  const first = users.map((userId) => forwards.sessionsOf('demo', userId));
  const second = users.toReversed().map((userId) => backwards.sessionsOf('demo', userId));
  t.same(first, second.toReversed());
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
  const sessions = everySession();
  t.equal(new Set(sessions.map(({ reference }) => reference)).size, sessions.length);
  t.equal(new Set(sessions.map(({ camsReference }) => camsReference)).size, sessions.length);
  t.ok(sessions.every(({ reference }) => /^S-[0-9A-HJKMNP-TV-Z]{16}$/.test(reference)));
  t.ok(sessions.every(({ camsReference }) => /^CAMS-\d{15}$/.test(camsReference)));
});

t.test(
  'a session begins while its policy is valid, is submitted later, and before the reference date',
  async (t) => {
    for (const { createdAt, date, selectedPolicy, status } of everySession()) {
      const day = createdAt.toISOString().slice(0, 10);
      const isRight =
        selectedPolicy.validFrom <= day &&
        day <= selectedPolicy.validTo &&
        createdAt < date &&
        date.getTime() < REF &&
        status === 'submitted';
      if (!isRight) t.fail('a session is out of time', { createdAt, date, selectedPolicy, status });
    }
  },
);

t.test('refDate moves the whole world', async (t) => {
  const refDate = new Date('2031-06-15T12:00:00Z');
  const sessions = USERS.flatMap((userId) => createSeeder({ refDate }).sessionsOf('demo', userId));
  t.ok(sessions.every(({ date }) => date < refDate));
  t.ok(sessions.some(({ date }) => date.getUTCFullYear() === 2031));
});

t.test('the sessions of a user come newest first, in distinct minutes, with one holder', async (t) => {
  const seeder = createSeeder();
  for (const userId of [...USERS, 'user-many']) {
    const sessions = seeder.sessionsOf('demo', userId);
    const minutes = sessions.map(({ createdAt }) => createdAt.toISOString().slice(0, 16));
    t.same(minutes, minutes.toSorted().toReversed());
    t.equal(new Set(minutes).size, sessions.length);
    t.ok(new Set(sessions.map(({ selectedPolicy }) => JSON.stringify(selectedPolicy.holder))).size <= 1);
    t.ok(sessions.every(({ selectedPolicy }) => selectedPolicy.holder.id === userId));
  }
});

t.test(
  'the data is varied: 1 to 8 sessions, policies ended and running, 0 to 3 contacts, long and foreign names',
  async (t) => {
    const seeder = createSeeder();
    const counts = new Set(USERS.map((userId) => seeder.sessionsOf('demo', userId).length));
    t.same([...counts].toSorted(), [1, 2, 3, 4, 5, 6, 7, 8]);
    const policies = everySession(seeder).map(({ selectedPolicy }) => selectedPolicy);
    const contacts = new Set(policies.map(({ linkedContacts }) => linkedContacts.length));
    t.same([...contacts].toSorted(), [0, 1, 2, 3]);
    t.ok(policies.some(({ validTo }) => validTo < '2026-01-01'));
    t.ok(policies.some(({ validTo }) => validTo >= '2026-01-01'));
    t.ok(policies.some(({ holder }) => /\p{L}/u.test(holder.lastName.replace(/[A-Za-z]/g, ''))));
    t.ok(policies.some(({ holder }) => holder.lastName.length > 25));
  },
);

t.test(
  'every client has it all: ended and running policies, no contact and several, names long and outside of ASCII',
  async (t) => {
    // Of each of the five countries one client, at least.
    const clientIds = Array.from({ length: 12 }, (_, index) => `client-${index}`);
    const seeder = createSeeder();
    t.equal(new Set(clientIds.map((id) => seeder.contactOf(id).phone.split(' ')[0])).size, COUNTRIES.length);
    for (const clientId of clientIds) {
      const policies = everySession(seeder, [clientId]).map(({ selectedPolicy }) => selectedPolicy);
      const names = policies.map(({ holder }) => `${holder.firstName} ${holder.lastName}`);
      const seen = {
        ended: policies.some(({ validTo }) => validTo < '2026-01-01'),
        running: policies.some(({ validTo }) => validTo >= '2026-01-01'),
        noContact: policies.some(({ linkedContacts }) => linkedContacts.length === 0),
        severalContacts: policies.some(({ linkedContacts }) => linkedContacts.length > 1),
        longName: names.some(({ length }) => length > 30),
        outsideAscii: names.some((name) => /[^\x20-\x7e]/.test(name)),
        plainAscii: names.some((name) => /^[\x20-\x7e]+$/.test(name)),
      };
      const missing = Object.entries(seen).filter(([, isSeen]) => !isSeen);
      t.same(missing, [], clientId);
    }
  },
);

t.test('phones, plates, insurers and policy numbers of a client are those of one country', async (t) => {
  const seeder = createSeeder();
  for (const clientId of ['demo', 'acme', 'beta', 'gamma', 'delta', 'epsilon', 'zeta']) {
    const policies = everySession(seeder, [clientId]).map(({ selectedPolicy }) => selectedPolicy);
    const of = COUNTRIES.filter(({ phones, licensePlates, insurers }) =>
      policies.every(
        ({ holder, vehicle, provider, number }) =>
          phones.some((pattern) => matches(pattern, holder.phone)) &&
          licensePlates.some((pattern) => matches(pattern, vehicle.licensePlate)) &&
          insurers.some(({ name, policyNumber }) => name === provider && matches(policyNumber, number)),
      ),
    );
    t.equal(of.length, 1, clientId);
  }
});

t.test('the option sessions sets the number of sessions, except for user-empty and user-many', async (t) => {
  for (const sessions of [0, 1, 2, 9, 500]) {
    const seeder = createSeeder({ sessions });
    for (const userId of ['user-1', 'user-slow', 'ünïcode'])
      t.equal(seeder.sessionsOf('demo', userId).length, sessions);
    t.equal(seeder.sessionsOf('demo', 'user-empty').length, 0);
    t.equal(seeder.sessionsOf('demo', 'user-many').length, 250);
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

t.test('an invalid number of sessions is rejected', async (t) => {
  for (const sessions of [-1, 10_001, 1.5, Number.NaN]) {
    t.throws(() => createSeeder({ sessions }), {
      code: 'options_invalid',
      message: 'createSeeder options: sessions must be a whole number, 0 to 10000.',
      details: [{ pointer: '/sessions' }],
    });
  }
});

t.test('a claim is one that the service accepts as it is, for every kind of user', async (t) => {
  for (const seeder of [createSeeder(), createSeeder({ sessions: 0 }), createSeeder({ sessions: 100 })]) {
    for (const userId of [...USERS, 'user-empty', 'user-many', 'x'.repeat(100), '42', '🚗']) {
      const claim = seeder.claimOf('demo', userId, 1);
      t.same(parseClaimSubmission(claim, new Date(REF)), claim);
      if (claim.policy.holder.id !== userId) t.fail(`the holder is not ${userId}`);
    }
  }
});

t.test('the incident of a claim is not after the time that it is created for', async (t) => {
  const seeder = createSeeder();
  const incidentAt = (time?: Date) => seeder.claimOf('demo', 'user-1', 1, time).incident?.date;
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
  for (const userId of [...USERS, 'user-empty']) {
    for (let ordinal = 0; ordinal < 5; ordinal++) {
      const { policy, incident } = seeder.claimOf('demo', userId, ordinal);
      const { date = '' } = incident ?? {};
      if (!(policy.validFrom <= date && date <= policy.validTo && date < '2026-01-01'))
        t.fail('an incident is out of time', { policy, incident });
    }
  }
});

t.test('incidents are varied, short, plain English', async (t) => {
  const seeder = createSeeder();
  const descriptions = USERS.map((userId) => seeder.claimOf('demo', userId, 1).incident?.description ?? '');
  t.ok(new Set(descriptions).size > 60, `${new Set(descriptions).size} of ${USERS.length} differ`);
  for (const description of descriptions) {
    if (!/^[A-Z][A-Za-z ’,;.-]{30,250}\.$/.test(description)) t.fail(`odd: ${description}`);
  }
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
  const seeder = createSeeder();
  const policies = everySession(seeder).map(({ selectedPolicy }) => selectedPolicy);
  const people = policies.flatMap(({ holder, linkedContacts }) => [holder, ...linkedContacts]);
  t.ok(people.every(({ email }) => /^[a-z]+\.[a-z]+\d{0,2}@example\.(com|org)$/.test(email)));
  t.match(seeder.contactOf('demo').email, /^claims@example\.(com|org)$/);
});

t.test('the phones of a client are of one country, those of several clients of several', async (t) => {
  const prefixes = (clientId: string) =>
    new Set(
      everySession(createSeeder(), [clientId]).map(
        ({ selectedPolicy: { holder } }) => holder.phone.split(' ')[0],
      ),
    );
  t.equal(prefixes('demo').size, 1);
  t.same(prefixes('demo'), new Set([createSeeder().contactOf('demo').phone.split(' ')[0]]));
  const clientIds = Array.from({ length: 40 }, (_, index) => `client-${index}`);
  const countries = new Set(
    clientIds.map((clientId) => createSeeder().contactOf(clientId).phone.split(' ')[0]),
  );
  t.same([...countries].toSorted(), ['+33', '+353', '+44', '+46', '+49']);
});

t.test('user-empty has no sessions, user-many has 250', async (t) => {
  t.equal(createSeeder().sessionsOf('demo', 'user-empty').length, 0);
  t.equal(createSeeder().sessionsOf('demo', 'user-many').length, 250);
});

t.test('each extra session of a user has a reference of its own, unlike those of the listing', async (t) => {
  const seeder = createSeeder();
  const extras = Array.from({ length: 50 }, (_, index) => seeder.extraSessionOf('demo', 'user-1', index));
  const sessions = [...extras, ...seeder.sessionsOf('demo', 'user-1')];
  t.equal(new Set(sessions.map(({ reference }) => reference)).size, sessions.length);
  t.equal(new Set(sessions.map(({ camsReference }) => camsReference)).size, sessions.length);
  t.ok(sessions.every(({ selectedPolicy }) => selectedPolicy.holder.id === 'user-1'));
  t.same(createSeeder().extraSessionOf('demo', 'user-1', 7), extras[7]);
});

/** Whether a text fills a pattern of `Country`. */
function matches(pattern: string, text: string): boolean {
  const places: Record<string, string> = { '#': '\\d', '%': '[1-9]', '?': '[A-Z]' };
  const source = [...pattern].map((place) => places[place] ?? place.replace(/[.*+()|/]/g, '\\$&')).join('');
  return new RegExp(`^${source}$`).test(text);
}
