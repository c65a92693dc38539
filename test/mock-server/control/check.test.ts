// Schema checks: every problem with its place, in words without the value.
import { Ajv } from 'ajv';
import t from 'tap';
import { checkWith, describeErrors } from '../../../mock-server/control/check.js';
import { FORMATS } from '../../../mock-server/schemas/formats.js';

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  strictRequired: false,
  formats: FORMATS,
});

/** Returns every problem of a value, as `checkWith` does for the schemas of the mock. */
function check(schema: object, value: unknown) {
  const validate = ajv.compile(schema);
  return validate(value) ? [] : describeErrors(validate.errors ?? []);
}

/** Returns `<pointer> <sentence>` for each problem. */
function problems(schema: object, value: unknown): string[] {
  return check(schema, value).map(({ pointer, detail }) => `${pointer} ${detail}`);
}

t.test('a value is checked with the schema of that name', async (t) => {
  t.strictSame(checkWith('input_removeClient', { clientId: 'demo' }), []);
  t.match(checkWith('input_removeClient', {}), [{ pointer: '/clientId', detail: 'is required' }]);
});

/** Counts how often the items of a list are read. */
function counted(items: readonly unknown[]) {
  const count = { reads: 0 };
  const list = new Proxy(items, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) count.reads++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { list, count };
}

const user = { clientId: 'demo', userId: 'ada' };
const clientWith = (members: object) => ({ clients: [{ clientId: 'a', apiKey: 'b', ...members }] });

t.test('the check of a list ends after 20 problems', async (t) => {
  for (const [name, toValue] of [
    ['input_setSessions', (sessions: unknown) => ({ ...user, sessions })],
    ['scenario', (users: unknown) => clientWith({ users })],
    ['scenario', (links: unknown) => clientWith({ links })],
    ['scenario', (faults: unknown) => clientWith({ faults })],
    ['options', (clients: unknown) => ({ clients })],
  ] as const) {
    const { list, count } = counted(Array(100).fill(0));
    const problems = checkWith(name, toValue(list));
    // An item may have several errors that are one problem.
    t.ok(problems.length > 0 && problems.length <= 20, name);
    // The levels of each item are counted first.
    t.ok(count.reads <= 100 + 20, `${name} ${count.reads}`);
  }
});

t.test('a list with too many items has one problem: none of its items is checked', async (t) => {
  for (const [name, pointer, toValue] of [
    ['input_setSessions', '/sessions', (sessions: unknown) => ({ ...user, sessions })],
    ['scenario', '/clients/0/links', (links: unknown) => clientWith({ links })],
  ] as const) {
    const { list, count } = counted(Array(10_001).fill(0));
    t.match(checkWith(name, toValue(list)), [{ pointer, rule: 'maxItems' }], name);
    t.equal(checkWith(name, toValue(Array(100_000).fill(0))).length, 1, name);
    t.equal(count.reads, 10_001, 'its levels are counted');
  }
});

/** Returns an object with members that have the same value. */
const repeated = (value: unknown, count: number, prefix = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]));

t.test('an object with many wrong members has at most 20 problems', async (t) => {
  const fault = (headers: object) => ({ status: 503, headers });
  const question = { key: 'q', step: 'policy', kind: 'text', texts: repeated({ label: 0 }, 12_000) };
  for (const [name, value, length] of [
    ['scenario', repeated(0, 12_000), 20],
    ['scenario', clientWith({ settings: { form: { questions: [question] } } }), 20],
    ['input_addFault', fault(repeated(0, 12_000, 'a ')), 20],
    // The pointer has the first 100 characters of a name.
    ['input_addFault', fault(repeated('', 12_000, ' '.repeat(100))), 2],
  ] as const)
    t.equal(checkWith(name, value).length, length);
});

t.test('an object with more than 12,000 members is not checked, at any depth', async (t) => {
  const members = repeated(0, 12_001);
  for (const value of [members, [{ incident: { answers: members } }]])
    t.match(checkWith('scenario', value), [{ pointer: '', rule: 'size', detail: /12000 members/ }]);
});

t.test('all problems are reported; missing and unknown members have their own place', async (t) => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['userId', 'a/b~c'],
    properties: { userId: { type: 'string' }, 'a/b~c': {}, count: { type: 'integer' } },
  };
  t.strictSame(problems(schema, { useriD: 'x', count: 1.5 }).sort(), [
    '/a~1b~0c is required',
    '/count must be integer',
    '/userId is required',
    '/useriD is unknown here; known members are userId, a/b~c, count',
  ]);
  t.strictSame(problems(schema, []), [' must be object']);
});

/** A schema, an invalid value, and the sentence. */
const SENTENCES: [schema: object, value: unknown, sentence: string][] = [
  [{ type: ['string', 'null'] }, 1, 'must be string or null'],
  [{ type: 'string' }, 1, 'must be string: put it in quotes'],
  [{ type: 'string' }, null, 'must be string, not null: put it in quotes, or leave the member out'],
  [
    { type: ['integer', 'string'], description: 'A seed' },
    null,
    'must be a seed, not null: write a value, or leave the member out',
  ],
  [{ type: 'boolean' }, 'yes', 'must be boolean: write true or false, without quotes'],
  [{ type: 'string', minLength: 1, format: 'id' }, '', 'must not be empty'],
  [{ type: 'string', maxLength: 2 }, 'abc', 'must not be longer than 2 UTF-16 code units'],
  [{ type: 'array', minItems: 1 }, [], 'must have at least one item'],
  [{ type: 'array', maxItems: 1 }, [1, 2], 'must not have more than 1 items'],
  [{ type: 'number', minimum: 4 }, 3, 'must be 4 or more'],
  [{ type: 'number', maximum: 4 }, 5, 'must be 4 or less'],
  [{ enum: ['cut', 'lose'] }, 'x', 'must be one of: cut, lose'],
  [{ type: 'string', format: 'date' }, '2025-02-30', 'must be a date, YYYY-MM-DD'],
  [{ type: 'string', format: 'text' }, 'a\0', 'must be text without NUL and lone surrogates'],
  [{ type: 'string', pattern: '^a', description: 'A text in a' }, 'b', 'must be a text in a'],
  [{ type: 'string', format: 'date', description: 'Sessions of a user' }, 'x', 'must be a date, YYYY-MM-DD'],
];

for (const [schema, value, sentence] of SENTENCES) {
  t.test(`${JSON.stringify(schema)}: "${sentence}"`, async (t) => {
    t.match(check(schema, value), [{ pointer: '', detail: sentence }]);
    t.equal(check(schema, value).length, 1);
  });
}

t.test('of several subschemas the description is reported, not each subschema', async (t) => {
  const schema = {
    type: 'object',
    description: 'A fault with a status or an effect',
    anyOf: [{ required: ['status'] }, { required: ['effect'] }],
    properties: { rate: { type: 'number' } },
  };
  t.strictSame(problems(schema, { rate: 'often' }), [
    ' must be a fault with a status or an effect',
    '/rate must be number',
  ]);
  t.strictSame(problems(schema, { status: 1 }), []);
});

t.test('names are checked against their own schema', async (t) => {
  const names = { pattern: '^[a-z]+$', description: 'A name in lower case' };
  t.strictSame(problems({ type: 'object', propertyNames: names }, { A: 1, b: 2 }), [
    '/A must be a name in lower case',
  ]);
});

t.test('no problem contains the value', async (t) => {
  const secret = 'clk_s3cret';
  const schema = {
    type: 'object',
    additionalProperties: { type: 'string', pattern: '^x', maxLength: 2, format: 'date' },
  };
  t.notMatch(JSON.stringify(check(schema, { key: secret })), secret);
});
