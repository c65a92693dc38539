// Scenario files: JSON and YAML give the same scenario, and each problem has its line, column and pointer.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { isClaimlinkError } from '../../../lib/index.js';
import { loadScenario } from '../../../mock-server/scenario/scenario-file.js';
import { ENCODINGS } from '../encodings.js';

const DEMO = 'fixtures/scenarios/demo.json';
const STARTER = 'fixtures/scenarios/starter.yaml';
const folder = t.testdir({});

const YAML = `
clients:
  - clientId: acme
    apiKey: clk_s3cret
    users:
      - userId: "42"
        sessions:
          - reference: R-1
            date: 2025-11-18T09:41
            selectedPolicy: { validFrom: 2024-07-01, holder: { lastName: 李 } }
`.trimStart();

/** Returns the problems of a file with this text, without its folder. */
async function problemsOf(text: string | Uint8Array, name: string): Promise<string[]> {
  const path = join(folder, name);
  await writeFile(path, text);
  return problemsAt(path);
}

async function problemsAt(path: string): Promise<string[]> {
  try {
    await loadScenario(path);
    return [];
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'options_invalid') throw error;
    const { message, problems = [] } = error;
    for (const { pointer, detail } of problems) {
      if (pointer !== '/scenario' || !message.includes(detail))
        throw new Error(`Not in the message: ${detail}`);
    }
    return problems.map(({ detail }) => detail.replace(`${folder}/`, ''));
  }
}

t.test('JSON and YAML are loaded in each encoding, and a problem has its place', async (t) => {
  const demo = JSON.parse(await readFile(DEMO, 'utf8'));
  t.strictSame(await loadScenario(DEMO), demo);
  const starter = await readFile(STARTER, 'utf8');
  for (const [encoding, encode] of Object.entries(ENCODINGS)) {
    const path = join(folder, 'encoded.JSON');
    await writeFile(path, encode(JSON.stringify(demo)));
    t.strictSame(await loadScenario(path), demo, `JSON in ${encoding}`);
    const yaml = join(folder, 'encoded.yaml');
    // Windows PowerShell 5.1 ends lines with both characters.
    await writeFile(yaml, encode(starter.replaceAll('\n', '\r\n')));
    t.strictSame(await loadScenario(yaml), await loadScenario(STARTER), `YAML in ${encoding}`);
    t.strictSame(
      await problemsOf(encode('{\r\n"clients": []}'), 'place.json'),
      ['place.json:2:12 /clients must have at least one item'],
      encoding,
    );
  }
});

t.test('YAML is loaded as the same scenario as JSON; dates without quotes are text', async (t) => {
  for (const [name, text] of [
    ['plain.yml', YAML],
    ['version.yaml', `%YAML 1.1\n---\n${YAML}`],
  ] as const) {
    const path = join(folder, name);
    await writeFile(path, text);
    const scenario = await loadScenario(path);
    const [session] = scenario.clients[0]?.users?.[0]?.sessions ?? [];
    t.match(session, { date: '2025-11-18T09:41', selectedPolicy: { validFrom: '2024-07-01' } });
    t.equal(session?.selectedPolicy?.holder?.lastName, '李');
    await writeFile(join(folder, 'same.json'), JSON.stringify(scenario));
    t.strictSame(await loadScenario(join(folder, 'same.json')), scenario);
  }
});

t.test('a reference that no session of its user has is named with its place', async (t) => {
  const link = '    links:\n      - userId: "42"\n        state: submitted\n        reference: R-2\n';
  t.match(await problemsOf(YAML + link, 'reference.yaml'), [
    /^reference\.yaml:13:20 \/clients\/0\/links\/0\/reference is not that of a session of this user/,
  ]);
});

t.test('an anchor may be shared by hundreds of sessions', async (t) => {
  const sessions = Array.from(
    { length: 500 },
    (_, index) => `{ reference: R-${index}, selectedPolicy: ${index === 0 ? '&p { number: P-1 }' : '*p'} }`,
  );
  const text = `clients: [{ clientId: a, apiKey: b, users: [{ userId: u, sessions: [${sessions.join(',\n  ')}] }] }]`;
  const path = join(folder, 'shared.yaml');
  await writeFile(path, text);
  const scenario = await loadScenario(path);
  t.equal(scenario.clients[0]?.users?.[0]?.sessions?.[499]?.selectedPolicy?.number, 'P-1');
});

/** Problems that the schema or a rule finds: the place is that of the value or of what contains it. */
const PROBLEMS: [name: string, file: string, text: string, problems: string[]][] = [
  [
    'a missing member has the place of its object',
    'w.yaml',
    'clients:\n  - clientId: a\n    apiKey: b\n    users:\n      - userId: u\n      - sessions: []\n',
    ['w.yaml:6:9 /clients/0/users/1/userId is required'],
  ],
  [
    'a missing member in JSON',
    'w.json',
    '{ "clients": [\n  { "clientId": "a", "apiKey": "b", "users": [\n    { "userId": "u" },\n    { "sessions": [] } ] } ] }',
    ['w.json:4:5 /clients/0/users/1/userId is required'],
  ],
  [
    'an unknown member has its own place',
    'w.yaml',
    'clients:\n  - clientId: a\n    apiKey: b\n    user: []\n',
    [
      'w.yaml:4:11 /clients/0/user is unknown here; known members are clientId, apiKey, controlToken, name, callbackOrigins, locale, branding, frameAncestors, settings, users, links, clock, faults',
    ],
  ],
  [
    'an unknown member whose name has the characters of a pointer',
    'w.yaml',
    'clients:\n  - clientId: a\n    apiKey: b\n    users: [{ userId: u, "~1/": 1 }]\n',
    ['w.yaml:4:33 /clients/0/users/0/~01~1 is unknown here; known members are userId, sessions'],
  ],
  [
    'problems in the order of the file',
    'w.yaml',
    'clients:\n  - faults: 1\n    users: 2\n    clientId: a\n    apiKey: b\n',
    ['w.yaml:2:13 /clients/0/faults must be array', 'w.yaml:3:12 /clients/0/users must be array'],
  ],
  [
    'a number in the place of text',
    'w.yaml',
    'clients: [{ clientId: a, apiKey: b, users: [{ userId: 42 }] }]',
    ['w.yaml:1:55 /clients/0/users/0/userId must be string: put it in quotes'],
  ],
  [
    'an invalid value of a JSON file with CRLF',
    'w.json',
    '{\r\n"clients": [{ "clientId": "verify", "apiKey": "b" }] }',
    ['w.json:2:27 /clients/0/clientId is reserved'],
  ],
  [
    'a rule between members',
    'w.yaml',
    'clients:\n  - { clientId: a, apiKey: b }\n  - { clientId: a, apiKey: c }\n',
    ["w.yaml:3:17 /clients/1/clientId is another client's already"],
  ],
  [
    'a link that the API would reject',
    'w.yaml',
    'clients:\n  - clientId: a\n    apiKey: b\n    links:\n      - userId: u\n        callbackUrl: http://example.com/\n',
    [
      'w.yaml:6:22 /clients/0/links/0/callbackUrl must be an https URL, or http to a loopback host or an origin in the callbackOrigins of the client',
    ],
  ],
  [
    'a key twice in JSON, which YAML rejects as well',
    'w.json',
    '{ "clients": [\n  { "clientId": "a", "name": "{\\"apiKey\\": 1", "apiKey": "b", "name": "c" } ] }',
    ['w.json:2:63 repeats a key of its object: keep one of them'],
  ],
  [
    'a key twice in JSON in another spelling',
    'w.json',
    '{ "faults": [{ "status": 500 }, { "status": 500 }], "clients": [], "\\u0063lients" : [] }',
    ['w.json:1:68 repeats a key of its object: keep one of them'],
  ],
  [
    'a key twice in YAML',
    'w.yaml',
    'clients: []\nclients: []\n',
    ['w.yaml:2:1 repeats a key of its object: keep one of them'],
  ],
  [
    'what YAML reads as null',
    'w.yaml',
    'clients:\n  - clientId: a\n    apiKey: Null\n    name: ~\n    users:\n',
    [
      'w.yaml:3:13 /clients/0/apiKey must be a key of 1 to 200 printable ASCII characters without spaces, not null: put it in quotes, or leave the member out',
      'w.yaml:4:11 /clients/0/name must be string, not null: put it in quotes, or leave the member out',
      'w.yaml:5:11 /clients/0/users must be array, not null: write a value, or leave the member out',
    ],
  ],
  [
    'what YAML 1.2 reads as text',
    'w.yaml',
    'clients: [{ clientId: a, apiKey: b, clock: { isFrozen: yes } }]',
    ['w.yaml:1:56 /clients/0/clock/isFrozen must be boolean: write true or false, without quotes'],
  ],
  [
    'a merge key',
    'w.yaml',
    'clients:\n  - &a { clientId: a, apiKey: b }\n  - { <<: *a, clientId: b }\n',
    ['w.yaml:3:7 is no merge key here: write the members, or share a whole value, as in policy: *name'],
  ],
  [
    'a second document',
    'w.yaml',
    'clients: []\n---\nclients: []\n',
    ['w.yaml:2:1 begins a second document: a file has one, so remove this line and what follows'],
  ],
  [
    'a key that is no text',
    'w.yaml',
    'clients:\n  - ? [a]\n    : b\n',
    ['w.yaml:2:7 must be a text: a key is neither a list nor an object'],
  ],
  [
    'a tag',
    'w.yaml',
    'clients: !!timestamp 2001-01-01',
    ['w.yaml:1:10 is a tag, which is not read: write the value without it'],
  ],
  ['the document is not an object', 'w.json', ' [1]', ['w.json:1:2 the document must be object']],
  ['the document is text', 'w.yaml', 'hello', ['w.yaml:1:1 the document must be object']],
  ['a YAML file with comments only', 'w.yaml', '# clients:\n', ['w.yaml:1:1 is empty']],
];

for (const [name, file, text, problems] of PROBLEMS) {
  t.test(`problem with a place: ${name}`, async (t) => {
    t.strictSame(await problemsOf(text, file), problems);
  });
}

/** Mistakes in the syntax, and where the first one is. */
const SYNTAX: [file: string, text: string, problem: RegExp][] = [
  ['w.json', '{"a": 1\n "b": 2}', /^w\.json:2:2 is not valid JSON$/],
  ['w.json', '{\n"a": 1,\n}', /^w\.json:3:1 is not valid JSON$/],
  ['w.json', '[1,\n]', /^w\.json(?::2:1)? is not valid JSON$/],
  ['w.json', '{"a": [1', /^w\.json:1:9 is not valid JSON$/],
  ['w.json', '{a: 1}', /^w\.json:1:2 is not valid JSON$/],
  ['w.json', '{"a": s3cret}', /^w\.json(?::1:7)? is not valid JSON$/],
  ['w.json', '{"a": "s3cret', /^w\.json:1:14 is not valid JSON$/],
  ['w.json', '{"a": "\n"}', /^w\.json:1:8 is not valid JSON$/],
  ['w.json', '{} {}', /^w\.json:1:4 is not valid JSON$/],
  ['w.json', ' \n', /^w\.json:1:1 is empty$/],
  ['w.yaml', 'clients:\n\t- a', /^w\.yaml:2:1 .*tab/i],
  ['w.yaml', 'clients: [', /^w\.yaml:1:11 /],
  ['w.yaml', '%UNKNOWN x\n---\nclients: [', /^w\.yaml:1:1 .*directive/],
  ['w.yaml', 'clients:\n  - *missing\n', /aliases that cannot be resolved|Unresolved alias/],
];

for (const [file, text, problem] of SYNTAX) {
  t.test(`mistake in the syntax of ${file}: ${JSON.stringify(text)}`, async (t) => {
    const problems = await problemsOf(text, file);
    t.equal(problems.length, 1, 'only the first one');
    t.match(problems[0], problem);
  });
}

t.test('a key may be in several objects, and << may be a text', async (t) => {
  const extra = `{ "<<": "<<", "a": { "a": [{ "a": 1 }, { "a": "\\"a\\": }" }] }, "": 1, "${'x'.repeat(10)}": ${JSON.stringify('y'.repeat(1000))} }`;
  const sessions = `[{ "reference": "R-1", "extra": ${extra} }, { "reference": "R-2", "extra": ${extra} }]`;
  const text = `{ "clients": [{ "clientId": "a", "apiKey": "b", "users": [{ "userId": "u", "sessions": ${sessions} }] }] }`;
  for (const file of ['w.json', 'w.yaml']) t.strictSame(await problemsOf(text, file), []);
});

t.test('aliases that describe a huge document are rejected', async (t) => {
  const lines = Array.from({ length: 12 }, (_, index) =>
    index === 0
      ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
      : `a${index}: &a${index} [${Array(9).fill(`*a${index - 1}`)}]`,
  );
  t.match(await problemsOf(lines.join('\n'), 'w.yaml'), [/aliases that cannot be resolved/]);
});

for (const levels of [100, 300, 500, 700, 1000, 20_000]) {
  t.test(`a body of ${levels} nested lists is a problem of the file, in JSON and YAML`, async (t) => {
    const fault = `{ "body": ${'['.repeat(levels)}${']'.repeat(levels)} }`;
    const text = `{ "clients": [{ "clientId": "a", "apiKey": "b", "faults": [${fault}] }] }`;
    const problem = /^w\.(?:json|yaml):1:\d+ must not have more than 64 levels$/;
    for (const deep of [text, '['.repeat(levels), '{"a":'.repeat(levels)]) {
      t.match(await problemsOf(deep, 'w.json'), [problem]);
      t.match(await problemsOf(deep, 'w.yaml'), [problem]);
    }
    for (const deep of ['- ', '? '].map((start) => start.repeat(levels)))
      t.match(await problemsOf(deep, 'w.yaml'), [problem]);
    // For JSON the brackets are in a text, for YAML they are not.
    t.match(await problemsOf(`'"'${'['.repeat(levels)}`, 'w.json'), [/^w\.json(?::1:\d+)? /]);
  });
}

t.test('64 levels are allowed, and brackets in texts are not levels', async (t) => {
  const body = (levels: number) => `${'['.repeat(levels)}"]${'['.repeat(100)}\\"{"${']'.repeat(levels)}`;
  const text = (levels: number) =>
    `{ "clients": [{ "clientId": "a", "apiKey": "b", "faults": [{ "body": ${body(levels)} }] }] }`;
  for (const file of ['w.json', 'w.yaml']) {
    t.strictSame(await problemsOf(text(59), file), []);
    t.match(await problemsOf(text(60), file), [/must not have more than 64 levels$/]);
  }
});

t.test('the same deep file is rejected again and again, and the process goes on', async (t) => {
  const module = new URL('../../../mock-server/scenario/scenario-file.js', import.meta.url).href;
  const paths = ['deep.json', 'deep.yaml'].map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, '['.repeat(20_000));
  const code = `const { loadScenario } = await import(${JSON.stringify(module)});
    for (const path of ${JSON.stringify([...paths, ...paths, ...paths])})
      console.log(await loadScenario(path).catch(({ code }) => code));`;
  const args = ['--input-type=module', '-e', code];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  t.equal(stdout, 'options_invalid\n'.repeat(6));
});

t.test('at most 20 problems are named, and that there may be more', async (t) => {
  const users = Array.from({ length: 23 }, () => '  { "sessions": [] }');
  const text = `{ "clients": [{ "clientId": "a", "apiKey": "b", "users": [\n${users.join(',\n')}\n] }] }`;
  const problems = await problemsOf(text, 'w.json');
  t.equal(problems.length, 21);
  t.equal(problems[19], 'w.json:21:3 /clients/0/users/19/userId is required');
  t.equal(problems[20], 'w.json may have more problems');
});

t.test('a file that cannot be read is rejected with the reason', async (t) => {
  t.strictSame(await problemsAt(join(folder, 'gone.yaml')), ['gone.yaml does not exist']);
  t.strictSame(await problemsAt(join(folder, 'world.toml')), [
    'world.toml must be a file whose name ends in .json, .yaml or .yml',
  ]);
  const directory = join(t.testdir({ 'folder.json': {} }), 'folder.json');
  t.match(await problemsAt(directory), [/folder\.json is a folder, not a file$/]);
  t.strictSame(await problemsOf(new Uint8Array([0x22, 0xe9, 0x22]), 'latin1.json'), [
    'latin1.json is not text in UTF-8 or UTF-16',
  ]);
});
