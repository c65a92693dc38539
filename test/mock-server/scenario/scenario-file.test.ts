// Scenario files: JSON and YAML become the same world, and each mistake is told with its line, column and pointer.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createMemoryStorage, hashApiKey, isClaimlinkError } from '../../../lib/index.js';
import type { Scenario, ScenarioClient, ScenarioSession } from '../../../mock-server/index.js';
import { checkScenario, checkSessions } from '../../../mock-server/scenario/scenario-check.js';
import { loadScenario } from '../../../mock-server/scenario/scenario-file.js';
import {
  readMoment,
  toScenarioSession,
  toSessions,
  writeMoment,
} from '../../../mock-server/scenario/scenario-sessions.js';
import { scenarioToSnapshots } from '../../../mock-server/scenario/scenario-snapshots.js';
import { REPOSITORY } from '../../repository.js';

const DEMO = new URL('fixtures/scenarios/demo.json', REPOSITORY);
const folder = t.testdir({});

const SESSION = `
          reference: R-1
          date: 2025-11-18T09:41
          camsReference: C-1
          status: submitted
          createdAt: 2025-11-18T09:20:30.5Z
          selectedPolicy:
            number: N-1
            provider: Acme
            holder: { firstName: Zoë, lastName: 李, id: user-1, phone: +49 30 1, email: z@example.org }
            validFrom: 2024-07-01
            validTo: 2026-06-30
            linkedContacts: []
            vehicle: { licensePlate: B-ZM 4120 }
`;

const WORLD = `
clients:
  - clientId: acme
    apiKey: clk_s3cret
    users:
      - userId: user-1
        sessions:
        - ${SESSION.trim()}
`.trimStart();

/** What is told of a file with this text, without the folder; the code and the pointers are checked. */
async function refused(text: string | Uint8Array, name: string): Promise<string[]> {
  const path = join(folder, name);
  await writeFile(path, text);
  return refusal(path);
}

async function refusal(path: string): Promise<string[]> {
  try {
    await loadScenario(path);
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'options_invalid') throw error;
    const { message, details = [] } = error;
    for (const { pointer, detail } of details) {
      if (pointer !== '/scenario') throw new Error(`a detail of ${pointer}`);
      if (!message.includes(detail)) throw new Error(`the message lacks: ${detail}`);
    }
    if (message.includes('s3cret')) throw new Error(`a secret is told: ${message}`);
    return details.map(({ detail }) => detail.replace(`${folder}/`, ''));
  }
  throw new Error('nothing is refused');
}

async function demo(): Promise<Scenario> {
  return JSON.parse(await readFile(DEMO, 'utf8'));
}

/** What is told of the demo scenario after a change. */
async function problemsAfter(change: (client: ScenarioClient, scenario: Scenario) => unknown) {
  const scenario = await demo();
  change(scenario.clients[0] as ScenarioClient, scenario);
  return checkScenario(scenario).map(({ pointer, detail }) => `${pointer} ${detail}`);
}

t.test('JSON is loaded as it stands, a byte order mark or not', async (t) => {
  t.strictSame(await loadScenario(DEMO.pathname), await demo());
  const path = join(folder, 'bom.JSON');
  await writeFile(path, `\ufeff${await readFile(DEMO, 'utf8')}`);
  t.strictSame(await loadScenario(path), await demo());
});

t.test('YAML is loaded as the same scenario, unquoted dates as text', async (t) => {
  const path = join(folder, 'world.yml');
  await writeFile(path, WORLD);
  const [client] = (await loadScenario(path)).clients;
  const session = client?.users[0]?.sessions[0];
  t.equal(session?.date, '2025-11-18T09:41');
  t.equal(session?.selectedPolicy.validFrom, '2024-07-01');
  t.equal(session?.selectedPolicy.holder.lastName, '李');
  await writeFile(join(folder, 'world.json'), JSON.stringify({ clients: [client] }));
  t.strictSame(await loadScenario(join(folder, 'world.json')), await loadScenario(path));
});

t.test('a YAML version 1.1 does not turn dates into anything else', async (t) => {
  const path = join(folder, 'old.yaml');
  await writeFile(path, `%YAML 1.1\n---\n${WORLD}`);
  t.equal((await loadScenario(path)).clients[0]?.users[0]?.sessions[0]?.selectedPolicy.validTo, '2026-06-30');
});

t.test('an anchor may be shared by hundreds of sessions', async (t) => {
  const { clients } = await demo();
  const session = clients[0]?.users[0]?.sessions[0] as ScenarioSession;
  const policy = JSON.stringify(session.selectedPolicy);
  const sessions = Array.from({ length: 500 }, (_, index) =>
    JSON.stringify({ ...session, reference: `R-${index}`, selectedPolicy: 0 }).replace(
      '"selectedPolicy":0',
      index === 0 ? `"selectedPolicy": &p ${policy}` : '"selectedPolicy": *p',
    ),
  );
  const path = join(folder, 'shared.yaml');
  await writeFile(
    path,
    `clients: [{ clientId: a, apiKey: b, users: [{ userId: u, sessions: [${sessions.join(',\n  ')}] }] }]`,
  );
  t.strictSame(
    (await loadScenario(path)).clients[0]?.users[0]?.sessions[499]?.selectedPolicy,
    session.selectedPolicy,
  );
});

/** YAML and JSON of the same mistakes, and what is told: the places differ, the sentences do not. */
const MISTAKES: [what: string, name: string, text: string, told: string[]][] = [
  [
    'a member is missing: the place of what lacks it',
    'w.yaml',
    'clients:\n  - clientId: a\n    apiKey: b\n    users:\n      - userId: u\n        sessions: []\n      - sessions: []\n',
    ['w.yaml:7:9 /clients/0/users/1/userId is required'],
  ],
  [
    'a member is missing in JSON',
    'w.json',
    '{ "clients": [\n  { "clientId": "a", "apiKey": "b", "users": [\n    { "userId": "u", "sessions": [] },\n    { "sessions": [] } ] } ] }',
    ['w.json:4:5 /clients/0/users/1/userId is required'],
  ],
  [
    'a member is not known: its name',
    'w.yaml',
    'clients:\n  - clientId: a\n    apikey: s3cret\n    users: []\n',
    [
      'w.yaml:2:5 /clients/0/apiKey is required',
      'w.yaml:3:5 /clients/0/apikey is not known here; did you mean apiKey?',
    ],
  ],
  [
    'a number in YAML is to be text',
    'w.yaml',
    'clients: [{ clientId: a, apiKey: b, users: [{ userId: 42, sessions: [] }] }]',
    ['w.yaml:1:47 /clients/0/users/0/userId must be string: put it in quotes'],
  ],
  [
    'a place inside of an alias is that of the anchor',
    'w.yaml',
    'clients:\n  - clientId: a\n    apiKey: b\n    users: &u\n      - { userId: x }\n  - clientId: c\n    apiKey: d\n    users: *u\n',
    [
      'w.yaml:5:9 /clients/0/users/0/sessions is required',
      'w.yaml:5:9 /clients/1/users/0/sessions is required',
    ],
  ],
  [
    'a name with a slash is escaped in its pointer, and found',
    'w.json',
    '{"clients":[{"clientId":"a","apiKey":"b","users":[],\n "x/y~z": 1}]}',
    ['w.json:2:2 /clients/0/x~1y~0z is not known here'],
  ],
  [
    'columns are counted in UTF-16 code units, lines after CRLF',
    'w.json',
    '{\r\n"clients": [{ "clientId": "𝒶", "apiKey": "b", "users": [], "x": 1 }] }',
    ['w.json:2:61 /clients/0/x is not known here'],
  ],
  ['the document is no object', 'w.json', ' [1]', ['w.json:1:2 the document must be object']],
  ['the document is text in YAML', 'w.yaml', 'hello', ['w.yaml:1:1 the document must be object']],
  ['the file is empty', 'w.json', ' \n', ['w.json:1:1 is empty']],
  ['there are only comments', 'w.yaml', '# clients:\n', ['w.yaml:1:1 is empty']],
];

for (const [what, name, text, told] of MISTAKES) {
  t.test(`${what} (${name})`, async (t) => {
    t.strictSame(await refused(text, name), told);
  });
}

/** JSON that is none, and what is told. */
const BROKEN_JSON: [text: string, told: string][] = [
  ['{"a": 1,}', 'w.json:1:9 must be a name in double quotes'],
  [
    '[1,]',
    'w.json:1:4 must be a value: an object, an array, a string in double quotes, a number, true, false or null',
  ],
  ['{"a" 1}', 'w.json:1:6 must be a colon, after the name'],
  ['{"a": 1\n "b": 2}', 'w.json:2:2 must be a comma, or the brace that ends the object'],
  ['[1\n 2]', 'w.json:2:2 must be a comma, or the bracket that ends the array'],
  ['{a: 1}', 'w.json:1:2 must be a name in double quotes'],
  [
    '{"a": s3cret}',
    'w.json:1:7 must be a value: an object, an array, a string in double quotes, a number, true, false or null',
  ],
  ['{"a": 012}', 'w.json:1:8 does not belong to the value before it'],
  ['{"a": 1.}', 'w.json:1:8 does not belong to the value before it'],
  ['{"a": truex}', 'w.json:1:11 does not belong to the value before it'],
  [
    '{"a": "s3cret\n"}',
    'w.json:1:14 is a control character in a string, such as a line break, or a quote is missing',
  ],
  ['{"a": "\\x"}', 'w.json:1:8 is an escape that JSON does not have'],
  ['{"a": "\\u12"}', 'w.json:1:8 is an escape that JSON does not have'],
  ['{"a": "s3cret', 'w.json:1:14 ends before it is complete'],
  ['{"a": [1', 'w.json:1:9 ends before it is complete'],
  ['{} {}', 'w.json:1:4 stands after the end of the document'],
  [
    '// a comment\n{}',
    'w.json:1:1 must be a value: an object, an array, a string in double quotes, a number, true, false or null',
  ],
  [`${'['.repeat(500)}${']'.repeat(500)}`, 'w.json:1:102 is nested too deeply'],
];

for (const [text, told] of BROKEN_JSON) {
  t.test(`the JSON ${text.slice(0, 20).replaceAll('\n', '↵')} is refused at its place`, async (t) => {
    t.strictSame(await refused(text, 'w.json'), [told]);
  });
}

t.test('a name that stands twice is refused, however it is written', async (t) => {
  t.strictSame(await refused('{"clients": [],\n "cli\\u0065nts": []}', 'w.json'), [
    'w.json:2:2 /clients stands here twice',
  ]);
  t.strictSame(await refused('clients: []\nclients: []\n', 'w.yaml'), ['w.yaml:2:1 stands here twice']);
});

/** YAML that is none, or more than wanted, and what is told. */
const BROKEN_YAML: [what: string, text: string, told: RegExp][] = [
  ['a tab', 'clients:\n\t- a', /^w\.yaml:2:1 is indented with a tab/],
  ['an open bracket', 'clients: [', /^w\.yaml:1:11 is not indented as it must be here, or the bracket/],
  ['an open quote', 'clients: "s3cret\n', /^w\.yaml:2:1 lacks a character, such as .* a closing quote/],
  ['an unknown alias', 'clients:\n  - *s3cret\n', /^w\.yaml:2:5 is an alias of an anchor that is not there/],
  ['a tag', 'clients: !!timestamp 2001-01-01', /^w\.yaml:1:10 has a tag that is not known here/],
  ['a second document', 'clients: []\n---\nclients: []\n', /^w\.yaml:2:1 begins a second document/],
  ['a list as a name', '? [a]\n: b\n', /^w\.yaml:1:3 must be a name/],
  ['a text that must be in quotes', 'clients: @s3cret', /^w\.yaml:1:10 must not begin with this character/],
];

for (const [what, text, told] of BROKEN_YAML) {
  t.test(`YAML with ${what} is refused at its place`, async (t) => {
    const problems = await refused(text, 'w.yaml');
    t.equal(problems.length, 1, 'and not for what follows from it');
    t.match(problems[0], told);
  });
}

t.test('aliases of aliases that blow the text up are refused quickly', async (t) => {
  const lines = Array.from({ length: 12 }, (_, index) =>
    index === 0
      ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
      : `a${index}: &a${index} [${Array(9).fill(`*a${index - 1}`)}]`,
  );
  t.match(await refused(lines.join('\n'), 'w.yaml'), [
    /^w\.yaml:2:10 is the first of more than 1000 aliases/,
  ]);
});

t.test('an alias inside of its own anchor is refused', async (t) => {
  t.ok((await refused('&a\nclients: [{ clientId: a, apiKey: b, users: [*a] }]\n', 'w.yaml')).length > 0);
});

t.test('at most 20 problems are told, by their place, and how many more there are', async (t) => {
  const users = Array.from({ length: 23 }, () => '  { "sessions": [] }');
  const text = `{ "clients": [{ "clientId": "a", "apiKey": "b", "users": [\n${users.join(',\n')}\n] }] }`;
  const told = await refused(text, 'w.json');
  t.equal(told.length, 21);
  t.equal(told[0], 'w.json:2:3 /clients/0/users/0/userId is required');
  t.equal(told[19], 'w.json:21:3 /clients/0/users/19/userId is required');
  t.equal(told[20], 'w.json has 3 more problems');
});

t.test('a file that cannot be read is refused with the reason', async (t) => {
  t.strictSame(await refusal(join(folder, 'gone.yaml')), ['gone.yaml is not there']);
  t.strictSame(await refusal(join(folder, 'world.toml')), [
    'world.toml must be a file whose name ends in .json, .yaml or .yml',
  ]);
  const aFolder = join(t.testdir({ 'folder.json': {} }), 'folder.json');
  t.match(await refusal(aFolder), [/folder\.json is a folder, and must be a file$/]);
  t.strictSame(await refused(new Uint8Array([0x22, 0xe9, 0x22]), 'latin1.json'), [
    'latin1.json is not text in UTF-8; save it as such',
  ]);
});

t.test('what no schema can say is told as well, all at once', async (t) => {
  const told = await problemsAfter((client, { clients }) => {
    const [first, second] = clients[0]?.users[0]?.sessions ?? [];
    if (first && second) second.reference = first.reference;
    if (first) first.date = '2025-02-30T10:00';
    if (first) first.selectedPolicy.validTo = '2024-06-30';
    if (second) second.selectedPolicy.provider = 'a\0b';
    client.users.push({ userId: 'user-1', sessions: [] }, { userId: 'a\nb', sessions: [] });
    client.users.push({ userId: '..', sessions: [] });
    client.callbackOrigins = ['https://app.example.com/', 'https://app.example.com'];
    clients.push({ clientId: 'demo', apiKey: 'clk_test_demo', users: [] });
    clients.push({ clientId: 'a\u0007b', apiKey: 'x', users: [] });
  });
  t.strictSame(told.sort(), [
    '/clients/0/callbackOrigins/0 must be an origin, such as https://app.example.com, or a custom scheme, such as myapp:',
    '/clients/0/users/0/sessions/0/date must be on a day that there is',
    '/clients/0/users/0/sessions/0/selectedPolicy/validTo must not be before validFrom',
    "/clients/0/users/0/sessions/1/reference is another session's already; it must be unique within the client",
    '/clients/0/users/0/sessions/1/selectedPolicy/provider must not contain NUL characters or lone surrogates',
    '/clients/0/users/2/userId stands in this client already; a user has one entry',
    '/clients/0/users/3/userId must not contain control characters',
    '/clients/0/users/4/userId must not be "." or ".."',
    "/clients/2/apiKey is another client's already",
    "/clients/2/clientId is another client's already",
    '/clients/3/clientId must not contain control characters',
  ]);
});

t.test('reserved ids, keys with spaces and moments of another form are told in words', async (t) => {
  const told = await problemsAfter((client) => {
    client.clientId = '__mock';
    client.apiKey = 'a b';
    Object.assign(client.users[0]?.sessions[0] ?? {}, { date: '18.11.2025' });
  });
  t.strictSame(told.sort(), [
    '/clients/0/apiKey must be a key of 1 to 200 printable ASCII characters without spaces',
    '/clients/0/clientId must be an id that is not "verify" and does not start with "__"',
    '/clients/0/users/0/sessions/0/date must be a date and time in UTC, YYYY-MM-DDTHH:MM; seconds, milliseconds and a Z may follow',
  ]);
});

t.test('two users of two clients may have the same id and the same references', async (t) => {
  const told = await problemsAfter((client, { clients }) => {
    clients.push({ ...structuredClone(client), clientId: 'other', apiKey: 'other' });
  });
  t.strictSame(told, []);
});

t.test('a claim that is dated before its session began is let through: clocks can be turned', async (t) => {
  const told = await problemsAfter((client) => {
    Object.assign(client.users[0]?.sessions[0] ?? {}, { date: '2020-01-01T00:00' });
  });
  t.strictSame(told, []);
});

t.test('anything is checked without a crash', async (t) => {
  const cyclic: Record<string, unknown> = { clients: [{ users: [{ sessions: [{}] }] }] };
  cyclic['self'] = cyclic;
  for (const value of [
    null,
    1,
    'x',
    [],
    { clients: 1 },
    { clients: [null, { users: [null, { sessions: [null] }] }] },
    cyclic,
  ]) {
    t.ok(checkScenario(value).length > 0);
  }
});

t.test('sessions of one user are checked by themselves', async (t) => {
  const session = (await demo()).clients[0]?.users[0]?.sessions[0];
  t.strictSame(checkSessions([session]), []);
  t.strictSame(checkSessions([session, session, {}])[0], {
    pointer: '/2/reference',
    rule: 'required',
    detail: 'is required',
  });
  t.strictSame(checkSessions([session, session]), [
    {
      pointer: '/1/reference',
      rule: 'value',
      detail: "is another session's already; it must be unique within the client",
    },
  ]);
  t.strictSame(checkSessions('x'), [{ pointer: '', rule: 'type', detail: 'must be array' }]);
});

t.test('moments are read as UTC, and written as short as it goes without loss', async (t) => {
  const written: [string, string][] = [
    ['2025-01-31T23:59', '2025-01-31T23:59'],
    ['2025-01-31T23:59Z', '2025-01-31T23:59'],
    ['2025-01-31T23:59:00.000Z', '2025-01-31T23:59'],
    ['2025-01-31T23:59:01', '2025-01-31T23:59:01.000Z'],
    ['2025-01-31T23:59:59.5', '2025-01-31T23:59:59.500Z'],
    ['0987-01-31T23:59:00.012Z', '0987-01-31T23:59:00.012Z'],
  ];
  for (const [text, short] of written) t.equal(writeMoment(readMoment(text)), short, text);
  t.equal(readMoment('2025-01-31T23:59').toISOString(), '2025-01-31T23:59:00.000Z');
});

t.test(
  'a session survives the way to the storage and back, with what the listing does not show',
  async (t) => {
    const session: ScenarioSession = {
      ...((await demo()).clients[0]?.users[0]?.sessions[0] as ScenarioSession),
      createdAt: '2025-11-18T09:20:30.001Z',
      incident: { date: '2025-11-17', description: 'Ein Stein\n🪨' },
    };
    session.selectedPolicy.linkedContacts[0] = { firstName: 'a', lastName: 'b', email: 'c', phone: 'd' };
    const [stored] = toSessions([session]);
    t.ok(stored?.createdAt instanceof Date);
    t.strictSame(stored && JSON.stringify(toScenarioSession(stored)), JSON.stringify(session));
    t.not(stored?.selectedPolicy, session.selectedPolicy, 'a copy');
  },
);

t.test('a scenario becomes clients whose named users have exactly their sessions', async (t) => {
  const now = new Date('2026-02-01T12:00:00.000Z');
  const scenario = await demo();
  const [first, second] = scenarioToSnapshots(scenario, now);
  t.strictSame(first?.namedUsers, ['user-1', 'user-2']);
  t.match(first, { isConfigured: true, clock: { offsetMs: 0 }, links: [] });
  t.strictSame(first?.client, { clientId: 'demo', apiKey: 'clk_test_demo', name: 'Demo Insurance' });
  t.strictSame(second?.client.callbackOrigins, ['https://app.example.com', 'thornbury:']);
  const storage = createMemoryStorage(first?.storage);
  const page = await storage.listSessions({ clientId: 'demo', userId: 'user-1', limit: 10 });
  t.strictSame(page.sessions.map(toScenarioSession), scenario.clients[0]?.users[0]?.sessions);
  const [apiKey] = await storage.listApiKeys('demo');
  t.match(apiKey, { hash: hashApiKey('clk_test_demo'), createdAt: now });
});
