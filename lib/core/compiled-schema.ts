// JSON Schemas compiled by ajv, each when it is first used.
import { _, Ajv, type Code, type Name, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/** A schema in its compiled form. */
export interface Validator<T> {
  /** The lists that it bounds, wherever they are but in other lists. */
  readonly lists: readonly ListNode[];
  readonly validate: ValidateFunction<T>;
}

/** What of a schema leads to the strings and lists in a document. */
interface SchemaNode {
  readonly maxItems?: number;
  /** The name of a JSON type, or a list of names. */
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** A list in a document. */
export interface ListNode {
  readonly path: readonly string[];
  readonly maxItems: number;
}

/**
 * Keyword that every string gets: no NUL and no lone surrogates, which databases refuse in text. Refused here, they
 * cannot become a 500 there. Members that the schema does not know may hold any, for they are not stored.
 */
export const STORABLE = 'storable';

let ajv: Ajv | undefined;

/** Compiling takes longer than everything else at start-up: it waits for the first body. */
export function createValidator<T>(schema: SchemaNode): Validator<T> {
  let compiled: ValidateFunction<T> | undefined;
  return {
    lists: listsOf(schema, []),
    get validate() {
      ajv ??= createAjv();
      compiled ??= ajv.compile<T>(withStorable(schema));
      return compiled;
    },
  };
}

function listsOf({ maxItems, properties = {} }: SchemaNode, path: readonly string[]): ListNode[] {
  const below = Object.entries(properties).flatMap(([name, child]) => listsOf(child, [...path, name]));
  return maxItems === undefined ? below : [{ path, maxItems }, ...below];
}

function createAjv(): Ajv {
  const created = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true });
  formats.default(created, ['date']);
  created.addKeyword({
    keyword: STORABLE,
    type: 'string',
    schemaType: 'boolean',
    code: (context) => context.fail(_`${context.data}.includes("\\0") || !${context.data}.isWellFormed()`),
  });
  // ajv's own count the characters of every text, one by one. There are as many as UTF-16 code units, or fewer, down to
  // half of them: only where that does not decide are they counted.
  redefineLength(
    created,
    'maxLength',
    (text, limit) =>
      _`${text}.length > 2 * ${limit} || (${text}.length > ${limit} && [...${text}].length > ${limit})`,
  );
  redefineLength(
    created,
    'minLength',
    (text, limit) => _`${text}.length < 2 * ${limit} && [...${text}].length < ${limit}`,
  );
  return created;
}

function redefineLength(
  created: Ajv,
  keyword: 'maxLength' | 'minLength',
  failsIf: (text: Name, limit: Code | number) => Code,
): void {
  created.removeKeyword(keyword).addKeyword({
    keyword,
    type: 'string',
    schemaType: 'number',
    // As ajv has its own: an empty e-mail address is told to be empty first.
    before: 'pattern',
    error: { params: ({ schemaCode }) => _`{limit: ${schemaCode}}`, message: '' },
    code: (context) => context.fail(failsIf(context.data, context.schemaCode as Code | number)),
  });
}

/** The schema with the keyword at every string; the one that was given is also documentation, and stays as it is. */
function withStorable(schema: SchemaNode): SchemaNode {
  const { type, items, properties } = schema;
  return {
    ...schema,
    ...([type].flat().includes('string') && { [STORABLE]: true }),
    ...(items && { items: withStorable(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, withStorable(child)]),
      ),
    }),
  };
}
