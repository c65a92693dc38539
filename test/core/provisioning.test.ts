// Provisioning through the service: what it validates, and what it stores.
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import t from 'tap';
import { createAdministration } from '../../lib/core/administration/index.js';
import { guardStorage } from '../../lib/core/guarded-storage.js';
import type { AdminStorage } from '../../lib/core/storage.js';
import type { Client, ClientUpdate, SessionRecord } from '../../lib/core/types.js';
import { createMemoryStorage, hashApiKey } from '../../lib/index.js';
import { change, REMOVE } from './field-cases.js';
import { CLIENT_ID, START, storedSession } from './world.js';

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(START.getTime() + days * DAY_MS);

function setUp(changes: Partial<AdminStorage> = {}) {
  const storage = { ...createMemoryStorage({ clients: [{ clientId: CLIENT_ID }] }), ...changes };
  return {
    storage,
    administration: createAdministration({
      storage: guardStorage<AdminStorage>(storage, 5),
      now: () => START,
      maxPageSize: 10,
    }),
  };
}

const INVALID_IDS = [
  'verify',
  '__admin',
  '__proto__',
  '',
  '.',
  '..',
  'a'.repeat(101),
  'a\0b',
  'a\nb',
  'a\ud800',
];

t.test('addClient rejects ids that are reserved or that a path cannot carry', async (t) => {
  const { storage, administration } = setUp();
  for (const clientId of INVALID_IDS)
    await t.rejects(
      administration.addClient({ clientId }),
      { code: 'request_invalid' },
      JSON.stringify(clientId),
    );
  t.same(await storage.listClients(), [{ clientId: CLIENT_ID }]);
});

const INVALID_ORIGINS = [
  'https://app.example.com/',
  'https://app.example.com/done',
  'https://APP.example.com',
  'https://app.example.com:443',
  'app.example.com',
  'javascript:',
  'data:',
  'https:',
  '*',
];

const INVALID_SETTINGS: object[] = [
  ...INVALID_ORIGINS.map((origin) => ({ callbackOrigins: ['https://app.example.com', origin] })),
  { locale: 'no language' },
  { branding: { primaryColor: '#ffff00' } },
  { branding: { logoUrl: 'http://example.com/logo.svg' } },
  { frameAncestors: ['https://app.example.com/page'] },
  { settings: { redirectAfterSeconds: 4 } },
];

t.test('addClient and updateClient reject invalid settings, and change nothing', async (t) => {
  const { storage, administration } = setUp();
  for (const settings of INVALID_SETTINGS) {
    const name = JSON.stringify(settings);
    const client = (clientId: string) => ({ clientId, ...settings }) as Client;
    await t.rejects(administration.addClient(client('other')), { code: 'request_invalid' }, name);
    await t.rejects(administration.updateClient(client(CLIENT_ID)), { code: 'request_invalid' }, name);
  }
  t.same(await storage.listClients(), [{ clientId: CLIENT_ID }]);
});

t.test('addClient and updateClient reject what is not an object', async (t) => {
  const { administration } = setUp();
  for (const client of [null, undefined, 5, 'acme', []] as unknown as Client[]) {
    await t.rejects(administration.addClient(client), { code: 'request_invalid' }, String(client));
    await t.rejects(administration.updateClient(client), { code: 'request_invalid' }, String(client));
  }
});

t.test('no storage gets an id that is not valid', async (t) => {
  const calls: string[] = [];
  const call = (name: string) => () => void calls.push(name);
  const { administration } = setUp({
    deleteClient: call('deleteClient') as never,
    insertApiKey: call('insertApiKey'),
    findApiKey: call('findApiKey') as never,
    updateApiKey: call('updateApiKey') as never,
    revokeApiKey: call('revokeApiKey') as never,
  });
  for (const id of ['', '.', 'a\0b', 'a\ud800', 'x'.repeat(101), 5, null, undefined] as string[]) {
    const results = await Promise.allSettled([
      administration.removeClient(id),
      administration.addApiKey(id),
      administration.rotateApiKey(id),
      administration.updateApiKey(id, { expiresAt: 'never' }),
      administration.revokeApiKey(id),
    ]);
    for (const result of results)
      t.match(result, { reason: { code: 'request_invalid' } }, JSON.stringify(id));
  }
  t.same(calls, []);
});

t.test('a date of the host is in the years 1 to 9999', async (t) => {
  const { storage, administration } = setUp();
  storage.insertApiKey({ id: 'old', clientId: CLIENT_ID, hash: 'old', createdAt: START });
  for (const date of [new Date('+010000-01-01'), new Date(8.64e15), new Date(Number.NaN)]) {
    const expiresAt = { expiresAt: date };
    await t.rejects(administration.addApiKey(CLIENT_ID, expiresAt), { code: 'request_invalid' });
    await t.rejects(administration.updateApiKey('old', expiresAt), { code: 'request_invalid' });
    await t.rejects(administration.rotateApiKey('old', { oldKeyEndsAt: date }), { code: 'request_invalid' });
  }
  const last = new Date('9999-12-31T23:59:59.999Z');
  storage.insertApiKey({
    id: 'forever',
    clientId: CLIENT_ID,
    hash: '2',
    createdAt: inDays(-1),
    expiresAt: last,
  });
  t.strictSame(
    (await administration.rotateApiKey('forever'))?.apiKey.expiresAt,
    last,
    'also one that is computed',
  );
});

t.test('a misspelt setting of a client is rejected with the nearest one', async (t) => {
  const { administration } = setUp();
  const client = { clientId: 'other', callbackOrigin: [] } as unknown as Client;
  await t.rejects(administration.addClient(client), {
    code: 'request_invalid',
    message: 'The parameter callbackOrigin is not an option (did you mean callbackOrigins?).',
  });
});

t.test('clients are added, changed and removed', async (t) => {
  const { storage, administration } = setUp();
  await administration.addClient({ clientId: 'other', name: 'Other', locale: 'de' });
  await t.rejects(administration.addClient({ clientId: 'other' }), { code: 'already_exists' });
  t.equal(await administration.updateClient({ clientId: 'other', name: 'New' }), true);
  t.same(storage.findClient('other'), { clientId: 'other', name: 'New', locale: 'de' });
  for (const change of [{}, { name: 'New' }, { name: null }])
    t.equal(await administration.updateClient({ clientId: 'unknown', ...change }), false);
  t.equal(await administration.removeClient('other'), true);
  t.equal(await administration.removeClient('other'), false);
});

const FULL: Client = {
  clientId: CLIENT_ID,
  name: 'Acme',
  callbackOrigins: ['https://a.example'],
  locale: 'de',
  branding: { displayName: 'Acme', primaryColor: '#14508c' },
  frameAncestors: ['https://b.example'],
  settings: {
    redirectAfterSeconds: 30,
    recipientCheck: ['/policy/number'],
    form: { noticeConfirmation: true, contacts: 'email' },
  },
};

const CLIENT_CHANGES: [
  rule: string,
  change: Omit<ClientUpdate, 'clientId'>,
  changed: { [K in keyof Client]?: unknown },
][] = [
  ['a change that names nothing changes nothing', {}, {}],
  ['members of the client', { name: 'New' }, { name: 'New' }],
  [
    'members of branding',
    { branding: { displayName: 'New' } },
    { branding: { displayName: 'New', primaryColor: '#14508c' } },
  ],
  [
    'members of settings',
    { settings: { continueOnPhone: true } },
    { settings: { ...FULL.settings, continueOnPhone: true } },
  ],
  ['empty branding and settings change nothing', { branding: {}, settings: {} }, {}],
  ['a list is replaced as a whole', { callbackOrigins: [] }, { callbackOrigins: [] }],
  [
    'a form is replaced as a whole',
    { settings: { form: { contacts: 'email_or_phone' } } },
    { settings: { ...FULL.settings, form: { contacts: 'email_or_phone' } } },
  ],
  [
    'the list of the recipient check is replaced as a whole',
    { settings: { recipientCheck: ['/policy/holder/lastName'] } },
    { settings: { ...FULL.settings, recipientCheck: ['/policy/holder/lastName'] } },
  ],
  [
    'null removes a member',
    { name: null, callbackOrigins: null, branding: null },
    { name: undefined, callbackOrigins: undefined, branding: undefined },
  ],
  [
    'null removes a member of branding',
    { branding: { displayName: null, supportUrl: 'https://c.example' } },
    { branding: { primaryColor: '#14508c', supportUrl: 'https://c.example' } },
  ],
  [
    'branding and settings end with their last member',
    {
      branding: { displayName: null, primaryColor: null, logoUrl: null },
      settings: { form: null, recipientCheck: null, redirectAfterSeconds: null },
    },
    { branding: undefined, settings: undefined },
  ],
];

for (const [kind, omitted] of [
  ['a storage with changeClient', {}],
  ['a storage without it', { changeClient: undefined }],
] as const)
  t.test(`updateClient changes what it names, and nothing else: ${kind}`, async (t) => {
    for (const [rule, change, changed] of CLIENT_CHANGES) {
      const { storage, administration } = setUp(omitted as object);
      storage.updateClient(FULL);
      t.equal(await administration.updateClient({ clientId: CLIENT_ID, ...change }), true, rule);
      const expected = Object.entries({ ...FULL, ...changed }).filter(([, value]) => value !== undefined);
      t.strictSame(await storage.findClient(CLIENT_ID), Object.fromEntries(expected), rule);
    }
  });

t.test('updateClient rejects a member that is undefined, and names it', async (t) => {
  const { storage, administration } = setUp();
  storage.updateClient(FULL);
  for (const [parameter, change] of [
    ['name', { name: undefined }],
    ['settings', { settings: undefined }],
    ['settings.recipientCheck', { settings: { recipientCheck: undefined } }],
    ['branding.displayName', { name: 'New', branding: { displayName: undefined } }],
  ] as const)
    await t.rejects(administration.updateClient({ clientId: CLIENT_ID, ...change } as never), {
      code: 'request_invalid',
      problems: [{ parameter, detail: 'must not be undefined: leave it out, or remove it by null' }],
    });
  t.strictSame(await storage.findClient(CLIENT_ID), FULL);
});

t.test('updateClient rejects an unknown member, also to remove it', async (t) => {
  const { administration } = setUp();
  for (const [change, parameter] of [
    [{ callbackOrigin: null }, 'callbackOrigin'],
    [{ branding: { logoURL: null } }, 'branding.logoURL'],
    [{ settings: { recipientChecks: ['/policy/number'] } }, 'settings.recipientChecks'],
  ] as const)
    await t.rejects(administration.updateClient({ clientId: CLIENT_ID, ...change } as never), {
      code: 'request_invalid',
      problems: [{ parameter, rule: 'unknown_option', detail: /did you mean/ }],
    });
});

t.test('updateClient checks only what it names: a newer version may have stored the others', async (t) => {
  const { storage, administration } = setUp();
  const settings = { later: { a: null }, form: { later: true }, recipientCheck: 'later' } as object;
  const newer = { ...FULL, locale: 'later 1', branding: { primaryColor: 'later' }, settings };
  storage.updateClient(newer);
  t.ok(
    await administration.updateClient({
      clientId: CLIENT_ID,
      name: 'New',
      settings: { allowDecline: false },
    }),
  );
  t.strictSame(await storage.findClient(CLIENT_ID), {
    ...newer,
    name: 'New',
    settings: { ...settings, allowDecline: false },
  });
});

t.test('of concurrent changes over a storage without changeClient none undoes another one', async (t) => {
  const { findClient, updateClient, changeClient: _, ...others } = createMemoryStorage({ clients: [FULL] });
  const storage = {
    ...others,
    async findClient(clientId: string) {
      const client = findClient(clientId);
      await setImmediate();
      return client;
    },
    async updateClient(client: Client) {
      await setImmediate();
      if (client.name === 'failing') throw new Error('the connection was lost');
      return updateClient(client);
    },
  };
  // Two services of one process share the queue of their storage.
  const services = [1, 2].map(() =>
    createAdministration({
      storage: guardStorage<AdminStorage>(storage, 5),
      now: () => START,
      maxPageSize: 10,
    }),
  );
  const changes: Omit<ClientUpdate, 'clientId'>[] = [
    { name: 'New' },
    { name: 'failing' },
    { locale: null },
    { branding: { logoUrl: 'https://a.example/logo.svg' } },
    { branding: { displayName: null } },
    { settings: { continueOnPhone: true } },
    { settings: { form: null } },
  ];
  const results = await Promise.allSettled(
    changes.map((change, index) => services[index % 2]?.updateClient({ clientId: CLIENT_ID, ...change })),
  );
  t.equal(
    results.filter(({ status }) => status === 'rejected').length,
    1,
    'the others go on after a failure',
  );
  const { locale: __, ...full } = FULL;
  t.strictSame(findClient(CLIENT_ID), {
    ...full,
    name: 'New',
    branding: { primaryColor: '#14508c', logoUrl: 'https://a.example/logo.svg' },
    settings: { redirectAfterSeconds: 30, recipientCheck: ['/policy/number'], continueOnPhone: true },
  });
});

t.test('addApiKey returns the key and stores its hash, a hint and the dates', async (t) => {
  const { storage, administration } = setUp();
  const { key, apiKey } = await administration.addApiKey(CLIENT_ID, { expiresAt: inDays(1) });
  t.match(key, /^clk_[\w-]{43}$/);
  t.strictSame(apiKey, {
    id: apiKey.id,
    clientId: CLIENT_ID,
    hash: hashApiKey(key),
    hint: `clk_…${key.slice(-4)}`,
    createdAt: START,
    expiresAt: inDays(1),
  });
  t.strictSame(await storage.listApiKeys(CLIENT_ID), [apiKey]);
  await t.rejects(administration.addApiKey('unknown'), { code: 'client_not_found' });
  for (const expiresAt of [START, new Date(Number.NaN), '2999-01-01'])
    await t.rejects(administration.addApiKey(CLIENT_ID, { expiresAt: expiresAt as Date }), {
      message: 'The parameter expiresAt must be a Date in the future.',
    });
  await t.rejects(administration.addApiKey(CLIENT_ID, { expires: inDays(1) } as object), {
    code: 'options_invalid',
    message: /expires is not an option \(did you mean expiresAt\?\)/,
  });
});

t.test('rotateApiKey issues a key with the lifetime of the old one, which ends in 7 days', async (t) => {
  const { storage, administration } = setUp();
  storage.insertApiKey({
    id: 'old',
    clientId: CLIENT_ID,
    hash: 'old',
    createdAt: inDays(-10),
    expiresAt: inDays(80),
  });
  const { key = '', apiKey, oldKeyEndsAt } = (await administration.rotateApiKey('old')) ?? {};
  t.strictSame(oldKeyEndsAt, inDays(7));
  t.match(apiKey, { clientId: CLIENT_ID, hash: hashApiKey(key), expiresAt: inDays(90).toISOString() });
  t.strictSame((await storage.findApiKey('old'))?.expiresAt, inDays(7));
});

t.test(
  'rotateApiKey takes the expiry of the new key and the end of the old one, and never extends it',
  async (t) => {
    const { storage, administration } = setUp();
    const old = { clientId: CLIENT_ID, createdAt: START, expiresAt: inDays(2) };
    storage.insertApiKey({ ...old, id: 'a', hash: 'a' });
    storage.insertApiKey({ ...old, id: 'b', hash: 'b' });
    const first = await administration.rotateApiKey('a', { expiresAt: 'never', oldKeyEndsAt: START });
    t.equal(first?.apiKey.expiresAt, undefined);
    t.strictSame((await storage.findApiKey('a'))?.expiresAt, START);
    t.strictSame((await administration.rotateApiKey('b'))?.oldKeyEndsAt, inDays(2));
    const invalid = { oldKeyEndsAt: new Date(Number.NaN) };
    await t.rejects(administration.rotateApiKey('b', invalid), { code: 'request_invalid' });
  },
);

t.test(
  'rotateApiKey of a key that is unknown, expired or revoked returns undefined and issues nothing',
  async (t) => {
    const { storage, administration } = setUp();
    const key = { clientId: CLIENT_ID, createdAt: inDays(-2) };
    storage.insertApiKey({ ...key, id: 'expired', hash: '1', expiresAt: START });
    storage.insertApiKey({ ...key, id: 'revoked', hash: '2', revokedAt: inDays(1) });
    for (const id of ['unknown', 'expired', 'revoked'])
      t.equal(await administration.rotateApiKey(id), undefined, id);
    t.equal((await storage.listApiKeys(CLIENT_ID)).length, 2);
  },
);

t.test('rotateApiKey returns the new key also if the old one cannot be changed', async (t) => {
  const cause = new Error('the connection was lost');
  for (const [updateApiKey, expected] of [
    [() => Promise.reject(cause), { oldKeyError: cause }],
    [() => false, {}],
  ] as const) {
    const { storage, administration } = setUp({ updateApiKey });
    storage.insertApiKey({ id: 'old', clientId: CLIENT_ID, hash: 'old', createdAt: START });
    const { key, apiKey, ...rest } = (await administration.rotateApiKey('old')) ?? {};
    t.equal(apiKey?.hash, hashApiKey(key ?? ''));
    t.strictSame(rest, expected);
  }
});

t.test('updateApiKey changes the expiry of a key, revokeApiKey ends it', async (t) => {
  const { storage, administration } = setUp();
  const { apiKey } = await administration.addApiKey(CLIENT_ID);
  const { id } = apiKey;
  t.equal(await administration.updateApiKey(id, { expiresAt: inDays(1) }), true);
  t.strictSame((await storage.findApiKey(id))?.expiresAt, inDays(1));
  t.equal(await administration.updateApiKey(id, { expiresAt: 'never' }), true);
  t.equal((await storage.findApiKey(id))?.expiresAt, undefined);
  t.equal(await administration.revokeApiKey(id), true);
  t.strictSame((await storage.findApiKey(id))?.revokedAt, START);
  t.equal(await administration.revokeApiKey(id), false);
  t.equal(await administration.updateApiKey(id, { expiresAt: 'never' }), false);
  await t.rejects(administration.updateApiKey(id, {} as { expiresAt: Date }), { code: 'options_invalid' });
});

const INVALID_REFERENCES = ['', 'a'.repeat(257), '🚗'.repeat(129), 'a\nb', 'a\ud800', '.', '..'];

t.test('addSession rejects references and user ids that a path or a cursor cannot carry', async (t) => {
  const { administration } = setUp();
  const session = { clientId: CLIENT_ID, userId: 'user-1', ...storedSession() };
  for (const id of INVALID_REFERENCES) {
    await t.rejects(administration.addSession({ ...session, reference: id }), { code: 'request_invalid' });
    await t.rejects(administration.addSession({ ...session, userId: id }), { code: 'request_invalid' });
  }
  await administration.addSession(session);
  await t.rejects(administration.addSession(session), { code: 'already_exists' });
  await t.rejects(administration.addSession({ ...session, clientId: 'unknown' }), {
    code: 'client_not_found',
  });
});

/** A member of a session, a value that it cannot have, and where the error says so. */
const INVALID_MEMBERS: [member: string, value: unknown, place: object][] = [
  ['clientId', 5, { parameter: 'clientId' }],
  ['userId', undefined, { parameter: 'userId' }],
  ['reference', null, { parameter: 'reference' }],
  ['camsReference', 'a\0b', { parameter: 'camsReference' }],
  ['camsReference', undefined, { parameter: 'camsReference' }],
  ['status', '', { parameter: 'status' }],
  ['status', 5, { parameter: 'status' }],
  ['date', '2026-01-01', { parameter: 'date' }],
  ['date', new Date(Number.NaN), { parameter: 'date' }],
  ['createdAt', undefined, { parameter: 'createdAt' }],
  ['createdAt', new Date('+010000-01-01'), { parameter: 'createdAt' }],
  ['selectedPolicy', undefined, { pointer: '/selectedPolicy', rule: 'required' }],
  ['selectedPolicy', {}, { pointer: '/selectedPolicy/number', rule: 'required' }],
  ['incident', { date: '1 May' }, { pointer: '/incident/date', rule: 'format' }],
  ['incident', { description: 'x'.repeat(4001) }, { pointer: '/incident/description', rule: 'maxLength' }],
  ['extra', [], { pointer: '/extra', rule: 'type' }],
  ['extra', { a: 'x'.repeat(16_384) }, { pointer: '/extra', rule: 'size' }],
  ['extra', { 'a\0': 1 }, { pointer: '/extra', rule: 'text' }],
  ['extra', { big: 1n }, { pointer: '/extra', rule: 'json' }],
  ['link', {}, { pointer: '/link/linkId', rule: 'required' }],
  ['link', { linkId: 'a', extra: { b: '\ud800' } }, { pointer: '/link/extra', rule: 'text' }],
];

/** The same for the members of `selectedPolicy`, by their pointer. */
const INVALID_POLICY: [pointer: string, value: unknown, rule: string][] = [
  ['/number', 'x'.repeat(101), 'maxLength'],
  ['/provider', 'a\0b', 'text'],
  ['/validFrom', '2026-02-30', 'format'],
  ['/validTo', undefined, 'required'],
  ['/holder/id', undefined, 'required'],
  ['/holder/phone', 5, 'type'],
  ['/holder/email', `${'x'.repeat(250)}@example.com`, 'maxLength'],
  ['/linkedContacts', undefined, 'required'],
  ['/linkedContacts', Array(21).fill({}), 'maxItems'],
  ['/linkedContacts/0/lastName', undefined, 'required'],
  ['/vehicle/licensePlate', null, 'type'],
];

t.test('addSession rejects a session that could not be stored and listed', async (t) => {
  const { storage, administration } = setUp();
  const session = { clientId: CLIENT_ID, userId: 'user-1', ...storedSession() };
  const add = (value: unknown) => administration.addSession(value as SessionRecord);
  for (const value of [null, undefined, 5, 'S-1', []])
    await t.rejects(add(value), { code: 'request_invalid' }, String(value));
  for (const [member, value, place] of INVALID_MEMBERS)
    await t.rejects(
      add({ ...session, [member]: value }),
      { code: 'request_invalid', problems: [place] },
      `${member}: ${inspect(value)}`,
    );
  for (const [pointer, value, rule] of INVALID_POLICY) {
    const selectedPolicy = change(session.selectedPolicy, pointer, value === undefined ? REMOVE : value);
    const problems = [{ pointer: `/selectedPolicy${pointer}`, rule }];
    await t.rejects(add({ ...session, selectedPolicy }), { code: 'request_invalid', problems }, pointer);
  }
  t.equal(storage.findSession({ clientId: CLIENT_ID, reference: session.reference }), undefined);
});

t.test('addSession stores the members of a session, texts may be empty, and no other member', async (t) => {
  const { storage, administration } = setUp();
  const session = {
    clientId: CLIENT_ID,
    userId: 'user-1',
    ...storedSession({
      incident: { description: '' },
      extra: { a: [1] },
      link: { linkId: '1', extra: { b: null } },
    }),
  };
  const policy = change(change(session.selectedPolicy, '/holder/phone', '') as object, '/holder/email', '');
  const selectedPolicy = policy as typeof session.selectedPolicy;
  await administration.addSession({ ...session, selectedPolicy, tenant: 7 } as SessionRecord);
  const stored = storage.findSession({ clientId: CLIENT_ID, reference: session.reference });
  t.strictSame(stored, { ...session, selectedPolicy });
});

t.test(
  'without an AdminStorage each call throws options_invalid with the methods that it lacks',
  async (t) => {
    const { insertClient, ...plain } = createMemoryStorage();
    const { addClient } = createAdministration({
      storage: guardStorage(plain, 5),
      now: () => START,
      maxPageSize: 10,
    });
    await t.rejects(addClient({ clientId: 'acme' }), {
      code: 'options_invalid',
      message: /storage must implement AdminStorage, which this call needs; it lacks insertClient/,
    });
  },
);
