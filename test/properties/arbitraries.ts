// Generators of hostile values: any text, any JSON, and what is nearly valid.
import fc from 'fast-check';

const FRAGMENTS = [
  ...String.raw`. .. / // \ % %zz %00 %2f %2e%2e %ff %ED%A0%80 ? # & = ; ä 🙂 " ' { [ * -1 0 1e9`.split(' '),
  ...'<script> <!-- ]]> --> </title> __proto__ constructor null acme other sessions link verify'.split(' '),
  ...['', ' ', '\0', '\r\n', '\ud800', '\u202e', '\u2028', '9'.repeat(400), 'x'.repeat(5_000)],
];

/** Any text: also control characters, lone surrogates, markup and parts of URLs. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(fc.nat(0xffff), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom(...FRAGMENTS),
);

/** Text that a database stores: neither NUL nor lone surrogates. */
export const storableText = text.map((value) => value.toWellFormed().replaceAll('\0', ''));

/** Any JSON value. */
export const json: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constantFrom(null, -1, 1e308, [[]], { '': '' }, 'x'.repeat(20_000), '2026-02-30', 2 ** 53),
);

/** A change of a text at one place. */
export interface Edit {
  at: number;
  removed: number;
  inserted: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({ at: fc.nat(), removed: fc.nat(4), inserted: text });

/** No changes half of the time, else up to three. */
export const edits: fc.Arbitrary<Edit[]> = fc.oneof(
  fc.constant<Edit[]>([]),
  fc.array(edit, { minLength: 1, maxLength: 3 }),
);

/** Applies the changes. */
export function applyEdits(value: string, changes: readonly Edit[]): string {
  return changes.reduce((changed, { at, removed, inserted }) => {
    const start = at % (changed.length + 1);
    return changed.slice(0, start) + inserted + changed.slice(start + removed);
  }, value);
}

/** A copy of a JSON value with one member replaced, removed or added. */
export function nearJson(value: unknown): fc.Arbitrary<unknown> {
  return fc
    .record({
      path: fc.array(fc.nat(), { maxLength: 4 }),
      kind: fc.constantFrom('replace', 'replace', 'remove', 'add'),
      name: text,
      member: json,
    })
    .map((change) => changeAt(value, change.path, change));
}

interface Change {
  kind: string;
  name: string;
  member: unknown;
}

function changeAt(value: unknown, path: readonly number[], change: Change): unknown {
  const [step, ...rest] = path;
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (step === undefined || entries.length === 0) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return change.kind === 'add' && isObject ? { ...value, [change.name]: change.member } : change.member;
  }
  const index = step % entries.length;
  const isRemoved = rest.length === 0 && change.kind === 'remove';
  const changed = entries.flatMap(([name, member], at) => {
    if (at !== index) return [[name, member] as const];
    return isRemoved ? [] : [[name, changeAt(member, rest, change)] as const];
  });
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}

interface Schema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  description?: string;
}

/** Values that mostly have the types of a JSON Schema. `samples` are texts that exist in the system under test. */
export function fromSchema(schema: Schema, samples: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 29, arbitrary: fitting(schema, samples) }, { weight: 1, arbitrary: json });
}

function fitting(schema: Schema, samples: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? 'any'].flat() as string[];
  return fc.oneof(...types.map((type) => ofType(type, schema, samples)));
}

function ofType(type: string, schema: Schema, samples: readonly string[]): fc.Arbitrary<unknown> {
  const { minimum = -1e15, maximum = 1e15, properties, items } = schema;
  switch (type) {
    case 'object': {
      if (properties === undefined) return fc.dictionary(text, json, { maxKeys: 3 });
      const members = Object.entries(properties).map(([name, member]) => [name, fromSchema(member, samples)]);
      return recordOf(Object.fromEntries(members), schema.required ?? []);
    }
    case 'array':
      return fc.array(fromSchema(items ?? {}, samples), { maxLength: 3 });
    case 'integer':
      return fc.integer({ min: minimum, max: maximum });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'string':
      return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...samples) }, { weight: 1, arbitrary: text });
    case 'null':
      return fc.constant(null);
    default:
      return json;
  }
}

/** An object with these members. Those that are not required may be missing. */
export function recordOf(
  members: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  required: readonly string[],
): fc.Arbitrary<object> {
  return fc.record<Record<string, unknown>, string>(members, { requiredKeys: [...required] });
}
