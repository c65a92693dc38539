// Seeds: the same arguments give the same bytes, whatever else was asked, in whatever order.
import { readFile } from 'node:fs/promises';
import { faker } from '@faker-js/faker/locale/en';
import t from 'tap';
import type { Session } from '../../lib/index.js';
import { createSeeder, startMockServer } from '../../mock-server/index.js';
import { list } from './client.js';

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
    await readFile(new URL('golden/demo-user-1.json', import.meta.url), 'utf8'),
  );
  await using mock = await startMockServer({ port: 0, seed: 42 });
  const { body } = await list(mock.url, 'user-1');
  t.equal(body, JSON.stringify(golden));
});

t.test('the order in which users are asked for changes nothing', async (t) => {
  const forwards = createSeeder();
  const backwards = createSeeder();
  const users = ['user-1', 'user-2', 'user-3', 'ünïcode', '42'];
  const first = users.map((userId) => forwards.sessionsOf('demo', userId));
  const second = users.toReversed().map((userId) => backwards.sessionsOf('demo', userId));
  t.same(first, second.toReversed());
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
