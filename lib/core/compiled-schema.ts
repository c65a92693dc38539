// Connects JSON Schemas with the validators that ajv compiled from them ahead of time, in lib/generated.
import type { ErrorObject } from 'ajv';

/** A schema in its compiled form. */
export interface Validator<T> {
  /** The lists with a `maxItems`, except for lists inside lists. */
  readonly lists: readonly ListNode[];
  readonly validate: Validate<T>;
}

/** Checks a value. After a call that returned false, `errors` holds its problems. */
interface Validate<T> {
  (value: unknown): value is T;
  errors?: ErrorObject[] | null;
}

/** The members of a schema that are needed to find its lists. */
interface SchemaNode {
  /** The name of a JSON type, or a list of names. */
  readonly type: string | readonly string[];
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** A list in a document. */
export interface ListNode {
  readonly path: readonly string[];
  readonly maxItems: number;
}

/**
 * Keyword that `npm run generate` adds to every string of a schema: no NUL and no lone surrogates. Databases reject
 * such text, and the caller would get a 500. Unknown members are not checked, because they are not stored.
 */
export const STORABLE = 'storable';

/** Creates a validator from a schema and the function that was compiled from it. */
export function createValidator<T>(schema: SchemaNode, compiled: (value: unknown) => boolean): Validator<T> {
  return { lists: listsOf(schema, []), validate: compiled as Validate<T> };
}

function listsOf({ maxItems, properties = {} }: SchemaNode, path: readonly string[]): ListNode[] {
  const nested = Object.entries(properties).flatMap(([name, child]) => listsOf(child, [...path, name]));
  return maxItems === undefined ? nested : [{ path, maxItems }, ...nested];
}
