// Schema checks: every problem at once, pointed at, in words that hold no value.
import t from 'tap';
import { checkWith, compileCheck } from '../../../mock-server/scenario/schema-check.js';

/** `<pointer> <sentence>` for each problem. */
function problemsOf(schema: object, value: unknown): string[] {
  return checkWith(schema, value).map(({ pointer, detail }) => `${pointer} ${detail}`);
}

t.test('a problem names its rule: the keyword, if that is a rule', async (t) => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['a'],
    properties: { a: {}, b: { type: 'integer' }, c: { enum: ['cut', 'lose'] } },
  };
  const rules = checkWith(schema, { b: 'x', c: 'x', d: 1 }).map(({ pointer, rule }) => `${pointer} ${rule}`);
  t.strictSame(rules.toSorted(), ['/a required', '/b type', '/c value', '/d unknown_option']);
});

t.test('a valid value has no problem', async (t) => {
  t.strictSame(checkWith({ type: 'object', required: ['a'] }, { a: 1 }), []);
});

t.test('a check returns all problems, missing and unknown members at their own place', async (t) => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['userId', 'a/b~c'],
    properties: { userId: { type: 'string' }, 'a/b~c': {}, count: { type: 'integer' } },
  };
  t.strictSame(problemsOf(schema, { useriD: 'x', count: 1.5 }).sort(), [
    '/a~1b~0c is required',
    '/count must be integer',
    '/userId is required',
    '/useriD is not known here; did you mean userId?',
  ]);
  t.strictSame(problemsOf(schema, { userId: '', 'a/b~c': 0, zzzzzzzz: 1 }), ['/zzzzzzzz is not known here']);
  t.strictSame(problemsOf(schema, []), [' must be object']);
});

/** A schema, a value that does not fit, and the sentence about it. */
const SENTENCES: [schema: object, value: unknown, sentence: string][] = [
  [{ type: ['string', 'null'] }, 1, 'must be string or null'],
  [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
  [{ type: 'string', minLength: 3 }, 'a', 'must not be shorter than 3 characters'],
  [{ type: 'string', maxLength: 2 }, 'abc', 'must not be longer than 2 characters'],
  [{ type: 'array', minItems: 1 }, [], 'must have at least one item'],
  [{ type: 'array', minItems: 2 }, [1], 'must have at least 2 items'],
  [{ type: 'array', maxItems: 1 }, [1, 2], 'must not have more than one item'],
  [{ type: 'array', uniqueItems: true }, [1, 1], 'must not have the same item twice'],
  [{ type: 'object', minProperties: 1 }, {}, 'must have at least one member'],
  [{ type: 'number', minimum: 4 }, 3, 'must be 4 or more'],
  [{ type: 'number', maximum: 4 }, 5, 'must be 4 or less'],
  [{ type: 'number', exclusiveMinimum: 4 }, 4, 'must be more than 4'],
  [{ type: 'number', exclusiveMaximum: 4 }, 4, 'must be less than 4'],
  [{ type: 'number', multipleOf: 5 }, 4, 'must be a multiple of 5'],
  [{ enum: ['cut', 'lose'] }, 'x', 'must be one of: cut, lose'],
  [{ const: 'world' }, 'x', 'must be "world"'],
  [{ type: 'string', format: 'date' }, '2025-02-30', 'must be a date, YYYY-MM-DD'],
  [{ type: 'string', format: 'date-time' }, 'now', 'must be a date and time, such as 2026-01-31T12:00:00Z'],
  [{ type: 'string', format: 'uri' }, 'a b', 'must be an absolute URL'],
  [{ type: 'string', pattern: '^a', description: 'A text in a. More about it.' }, 'b', 'must be a text in a'],
  [{ type: 'string', pattern: '^a' }, 'b', 'is not valid'],
];

for (const [schema, value, sentence] of SENTENCES) {
  t.test(`${JSON.stringify(schema)} has the problem "${sentence}"`, async (t) => {
    t.strictSame(problemsOf(schema, value), [` ${sentence}`]);
  });
}

t.test('of several shapes that are tried, their description is told and not each try', async (t) => {
  const delayMs = {
    description: 'A number of milliseconds, or a range of two',
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'array', minItems: 2, maxItems: 2, items: { type: 'integer' } },
    ],
  };
  const schema = { type: 'object', properties: { delayMs, rate: { type: 'number' } } };
  t.strictSame(problemsOf(schema, { delayMs: ['x', 'y', 'z'], rate: 'often' }), [
    '/delayMs must be a number of milliseconds, or a range of two',
    '/rate must be number',
  ]);
  t.strictSame(problemsOf(schema, { delayMs: [1, 2] }), []);
});

t.test('names are held against their own schema', async (t) => {
  const names = { pattern: '^[a-z]+$', description: 'A name in lower case' };
  t.strictSame(problemsOf({ type: 'object', propertyNames: names }, { A: 1, b: 2 }), [
    '/A must be a name in lower case',
  ]);
});

t.test('a member that another one needs is told with it', async (t) => {
  const schema = { type: 'object', dependencies: { reference: ['submittedAt'] } };
  t.strictSame(problemsOf(schema, { reference: 'x' }), ['/submittedAt is required beside reference']);
});

t.test('two schemas of one $id are told apart', async (t) => {
  t.strictSame(compileCheck({ $id: 'same', type: 'string' })(1)[0]?.detail, 'must be string');
  t.strictSame(compileCheck({ $id: 'same', type: 'array' })(1)[0]?.detail, 'must be array');
});

t.test('no value is told', async (t) => {
  const secret = 'clk_s3cret';
  const schema = {
    type: 'object',
    additionalProperties: { type: 'string', pattern: '^x', maxLength: 2, format: 'date' },
  };
  t.notMatch(JSON.stringify(checkWith(schema, { key: secret })), secret);
});

t.test('a schema that is none is a bug, which is thrown', async (t) => {
  t.throws(() => compileCheck({ type: 'strng' }));
});
