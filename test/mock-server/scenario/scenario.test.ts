// Scenarios: the published schema, the rules that no schema can express, and the scenario of the package.
import { readFile } from 'node:fs/promises';
import type { FromSchema } from 'json-schema-to-ts';
import t from 'tap';
import type { Scenario, ScenarioClient, ScenarioSession } from '../../../mock-server/control/scenario.js';
import { checkScenario } from '../../../mock-server/scenario/scenario-check.js';
import { scenarioSchema } from '../../../mock-server/schemas/scenario.js';
import type { scenarioSessionSchema } from '../../../mock-server/schemas/session.js';

const CLIENT: ScenarioClient = { clientId: 'acme', apiKey: 'key' };

/** Returns `<pointer> <sentence>` for each problem of a scenario with this client. */
function problems(client: object, ...others: object[]): string[] {
  return checkScenario({ clients: [{ ...CLIENT, ...client }, ...others] }).map(
    ({ pointer, detail }) => `${pointer} ${detail}`,
  );
}

const pointers = (client: object) => problems(client).map((problem) => problem.split(' ')[0]);
const withSession = (session: object) => ({ users: [{ userId: 'ada', sessions: [session] }] });

/** Fails to compile unless a value of the type is valid. Lists of the type are read-only, which a schema cannot say. */
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;
/** A schema of any object does not say that its members are JSON. No type says that one of two members is there. */
type FromSessionSchema = Omit<FromSchema<typeof scenarioSessionSchema>, 'extra' | 'link' | 'later'> &
  Mutable<Pick<ScenarioSession, 'extra' | 'link' | 'later'>>;
const fromType = (session: Mutable<ScenarioSession>): FromSessionSchema => session;
const fromSchema = (session: FromSessionSchema): ScenarioSession => session;

t.test('the type of a session and its schema are the same', async (t) => {
  const session = { reference: 'R', selectedPolicy: { linkedContacts: [] } };
  t.equal(fromSchema(fromType(session)), session);
});

t.test('the published schema is the schema', async (t) => {
  const published = JSON.parse(await readFile('fixtures/scenarios/scenario.schema.json', 'utf8'));
  t.strictSame(published, JSON.parse(JSON.stringify(scenarioSchema)));
});

t.test('the scenario of the package is valid, and its users hold their own policies', async (t) => {
  const demo: Scenario = JSON.parse(await readFile('fixtures/scenarios/demo.json', 'utf8'));
  t.strictSame(checkScenario(demo), []);
  for (const { users = [] } of demo.clients) {
    for (const { userId, sessions = [] } of users)
      t.ok(sessions.every(({ selectedPolicy }) => selectedPolicy?.holder?.id === userId));
  }
});

t.test('extra of a session has the limits that it has in a claim', async (t) => {
  t.strictSame(problems(withSession({ extra: { data: ['x'.repeat(16_000)] } })), []);
  const pointer = '/clients/0/users/0/sessions/0/extra';
  let deep: object = {};
  for (let level = 0; level < 32; level++) deep = { deep };
  for (const [extra, detail] of [
    [{ data: 'x'.repeat(16_384) }, 'must not be larger than 16384 bytes as JSON'],
    [deep, 'must not have more than 32 levels'],
    [{ data: '\0' }, 'must not contain NUL characters or lone surrogates'],
    [['x'], 'must be object'],
  ]) {
    t.strictSame(problems(withSession({ extra })), [`${pointer} ${detail}`]);
    t.strictSame(problems(withSession({ link: { linkId: 'a', extra } })), [
      `${pointer.replace(/extra$/, 'link/extra')} ${detail}`,
    ]);
  }
});

t.test('a notice of a session has a web URL, and nothing unknown', async (t) => {
  const url = 'https://acme.example/privacy';
  for (const notice of [{ url }, { url, at: '2026-05-04T13:07' }, { url, accepted: true }])
    t.strictSame(problems(withSession({ notice })), [], JSON.stringify(notice));
  const pointer = '/clients/0/users/0/sessions/0/notice';
  for (const [notice, place] of [
    [{}, `${pointer}/url`],
    [{ url: 'privacy.html' }, `${pointer}/url`],
    [{ url: `${url}${'x'.repeat(2048)}` }, `${pointer}/url`],
    [{ url, at: 'yesterday' }, `${pointer}/at`],
    [{ url, accepted: false }, `${pointer}/accepted`],
    [{ url, read: true }, `${pointer}/read`],
  ])
    t.strictSame(pointers(withSession({ notice })), [place], JSON.stringify(notice));
});

t.test('a client needs an id and a key only', async (t) => {
  t.strictSame(problems({}), []);
  t.strictSame(
    checkScenario({ clients: [{}] }).map(({ pointer }) => pointer),
    ['/clients/0/clientId', '/clients/0/apiKey'],
  );
});

t.test('all members of a session and of a link are optional, but the user of a link', async (t) => {
  t.strictSame(problems({ ...withSession({}), links: [{ userId: 'ada' }], clock: {}, faults: [] }), []);
  t.strictSame(problems({ links: [{}] }), ['/clients/0/links/0/userId is required']);
});

t.test('moments may have seconds, milliseconds and a Z, and are on days that exist', async (t) => {
  for (const date of ['2025-01-31T23:59', '2025-01-31T23:59:59', '2025-01-31T23:59:59.123Z'])
    t.strictSame(problems(withSession({ date })), [], date);
  for (const date of [
    '2025-01-31',
    '2025-13-01T00:00',
    '2025-01-31T24:01',
    '2025-01-31T10:00+01:00',
    '2025-02-30T10:00',
    'now',
  ])
    t.strictSame(pointers(withSession({ date })), ['/clients/0/users/0/sessions/0/date'], date);
});

t.test('a later change has a time and what it changes', async (t) => {
  for (const after of [
    '0 days',
    '1 day',
    '36 hours',
    '1 minute',
    '90 seconds',
    '5 milliseconds',
    '3652425 days',
  ])
    t.strictSame(problems(withSession({ later: [{ after, status: 'paid' }] })), [], after);
  const pointer = '/clients/0/users/0/sessions/0/later/0';
  for (const after of ['2', '2 weeks', '2days', '-1 days', '1.5 days', 'P2D', '3652426 days', ''])
    t.strictSame(
      problems(withSession({ later: [{ after, status: 'paid' }] })),
      [`${pointer}/after must be a time since the session was set, such as 30 minutes or 2 days`],
      after,
    );
  t.strictSame(problems(withSession({ later: [{ after: '1 day' }] })), [
    `${pointer} must be a change with status or camsReference`,
  ]);
  t.strictSame(problems(withSession({ later: [{ status: 'paid' }] })), [`${pointer}/after is required`]);
  t.strictSame(pointers(withSession({ later: [{ after: '1 day', state: 'paid', status: 'x' }] })), [
    `${pointer}/state`,
  ]);
});

t.test('ids, keys, origins and texts are what the service accepts', async (t) => {
  for (const clientId of ['verify', '__mock', 'a\u0007b'])
    t.strictSame(pointers({ clientId }), ['/clients/0/clientId']);
  t.strictSame(pointers({ apiKey: 'a b' }), ['/clients/0/apiKey']);
  t.strictSame(pointers({ callbackOrigins: ['https://app.example.com/'] }), ['/clients/0/callbackOrigins']);
  t.strictSame(pointers({ branding: { primaryColor: '#ff9900' } }), ['/clients/0/branding/primaryColor']);
  t.strictSame(pointers({ locale: 'de_DE' }), ['/clients/0/locale']);
  t.strictSame(pointers({ frameAncestors: ['*'] }), ['/clients/0/frameAncestors']);
  t.strictSame(pointers({ settings: { redirectAfterSeconds: 'never' } }), []);
  for (const redirectAfterSeconds of [4, 5.5, 'soon', true])
    t.strictSame(pointers({ settings: { redirectAfterSeconds } }), [
      '/clients/0/settings/redirectAfterSeconds',
    ]);
  t.strictSame(pointers({ settings: { form: { noticeConfirmation: true } } }), []);
  t.strictSame(pointers({ settings: { form: { noticeConfirmation: 1 } } }), [
    '/clients/0/settings/form/noticeConfirmation',
  ]);
  t.strictSame(pointers({ users: [{ userId: 'a\nb' }] }), ['/clients/0/users/0/userId']);
  t.strictSame(pointers(withSession({ selectedPolicy: { provider: 'a\0b' } })), [
    '/clients/0/users/0/sessions/0/selectedPolicy/provider',
  ]);
});

t.test('clients, keys and users occur once; references once in their client', async (t) => {
  t.strictSame(problems({}, CLIENT), [
    "/clients/1/clientId is another client's already",
    "/clients/1/apiKey is another client's already",
  ]);
  t.strictSame(problems({ users: [{ userId: 'ada' }, { userId: 'ada' }] }), [
    '/clients/0/users/1/userId has an entry already',
  ]);
  const users = [withSession({ reference: 'R' }).users[0], { userId: 'ben', sessions: [{ reference: 'R' }] }];
  t.strictSame(problems({ users }), [
    "/clients/0/users/1/sessions/0/reference is another session's already in this client",
  ]);
  const first = withSession({ reference: 'R' });
  t.strictSame(problems(first, { clientId: 'other', apiKey: 'other', ...first }), []);
});

t.test('a policy does not end before it starts', async (t) => {
  const selectedPolicy = { validFrom: '2026-01-02', validTo: '2026-01-01' };
  t.strictSame(problems(withSession({ selectedPolicy })), [
    '/clients/0/users/0/sessions/0/selectedPolicy/validTo must not be before validFrom',
  ]);
  const oneDay = { validFrom: '2026-01-02', validTo: '2026-01-02' };
  t.strictSame(problems(withSession({ selectedPolicy: oneDay })), []);
});

t.test('a link is checked as the API checks it', async (t) => {
  const links = (link: object, client: object = {}) =>
    pointers({ ...client, links: [{ userId: 'ada', ...link }] });
  t.strictSame(links({ config: { contact: { email: 'no-address' } } }), [
    '/clients/0/links/0/config/contact/email',
  ]);
  t.strictSame(
    links({ callbackUrl: 'https://other.example/' }, { callbackOrigins: ['https://app.example'] }),
    ['/clients/0/links/0/callbackUrl'],
  );
  t.strictSame(links({}, { callbackOrigins: ['myapp:'] }), []);
  // The problem is the list, not the links.
  t.strictSame(links({}, { callbackOrigins: ['app.example'] }), ['/clients/0/callbackOrigins']);
  for (const callbackUrl of ['https://other.example/', 'http://portal:3000/', 'other:done'])
    t.strictSame(
      links({ callbackUrl, createdAt: '2026-01-01T10:00' }, { callbackOrigins: ['https://app.example'] }),
      [],
      'a link with createdAt may be older than the list',
    );
  t.strictSame(links({ state: 'lost' }), ['/clients/0/links/0/state']);
});

t.test('a reference is for a submitted link, and for one of them', async (t) => {
  const users = [{ userId: 'ada', sessions: [{ reference: 'R-1' }] }];
  const link = { userId: 'ada', state: 'submitted', reference: 'R-1' };
  t.strictSame(problems({ users, links: [link] }), []);
  t.strictSame(
    problems({ users, links: [link, link, { ...link, userId: 'ben' }, { ...link, state: 'opened' }] }),
    [
      '/clients/0/links/1/reference is that of another link or user already in this client',
      '/clients/0/links/2/reference is that of another link or user already in this client',
      '/clients/0/links/3/reference is for submitted links only',
    ],
  );
});

t.test('a link of a user with a list of sessions names one of them', async (t) => {
  const link = { userId: 'ada', state: 'submitted', reference: 'R-2' };
  const pointer = '/clients/0/links/0/reference';
  const detail = 'is not that of a session of this user: add the session, or correct the reference';
  for (const sessions of [[], [{ reference: 'R-1' }], [{}]])
    t.strictSame(problems({ users: [{ userId: 'ada', sessions }], links: [link] }), [`${pointer} ${detail}`]);
  for (const users of [[], [{ userId: 'ada' }], [{ userId: 'ben', sessions: [] }]])
    t.strictSame(problems({ users, links: [link] }), [], 'seeded sessions: the link adds one');
});

t.test('a fault has the members of the control API without a client', async (t) => {
  t.strictSame(pointers({ faults: [{ status: 503, times: 1 }, { delayMs: '1-2' }] }), []);
  t.strictSame(pointers({ faults: [{ status: 503, clientId: 'acme' }] }), ['/clients/0/faults/0/clientId']);
});

t.test('a clock has the members of the control API', async (t) => {
  t.strictSame(problems({ clock: { now: '2026-01-20T12:00', isFrozen: true } }), []);
  t.strictSame(problems({ clock: { frozen: true } }), [
    '/clients/0/clock/frozen is unknown here; known members are now, isFrozen',
  ]);
});

t.test('any value is checked without a crash', async (t) => {
  const cyclic: Record<string, unknown> = { clients: [{ users: [{ sessions: [{}] }] }] };
  cyclic['self'] = cyclic;
  for (const value of [null, 1, 'x', [], { clients: 1 }, { clients: [null, { users: [null] }] }, cyclic])
    t.ok(checkScenario(value).length > 0);
});
