// JSON Schemas compiled by ajv, each when it is first used.
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/** A schema with its compiled form. */
export interface Validator<T> {
  readonly schema: SchemaNode;
  /** The lists that it bounds, wherever they are but in other lists. */
  readonly lists: readonly ListNode[];
  readonly validate: ValidateFunction<T>;
}

/** What of a schema leads to the strings in a document. */
export interface SchemaNode {
  readonly maxItems?: number;
  readonly type: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** A list in a document. */
export interface ListNode {
  readonly path: readonly string[];
  readonly maxItems: number;
}

let ajv: Ajv | undefined;

/** Compiling takes longer than everything else at start-up: it waits for the first body. */
export function createValidator<T>(schema: SchemaNode): Validator<T> {
  let compiled: ValidateFunction<T> | undefined;
  return {
    schema,
    lists: listsOf(schema, []),
    get validate() {
      ajv ??= createAjv();
      compiled ??= ajv.compile<T>(schema);
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
  return created;
}
