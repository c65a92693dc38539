// JSON Schemas beside the checks that ajv compiled from them ahead of time, in lib/generated.
import type { ErrorObject } from 'ajv';

/** A schema in its compiled form. */
export interface Validator<T> {
  /** The lists that it bounds, except for lists inside lists. */
  readonly lists: readonly ListNode[];
  readonly validate: Validate<T>;
}

/** Checks a value. After each call `errors` has what is wrong with it. */
interface Validate<T> {
  (value: unknown): value is T;
  errors?: ErrorObject[] | null;
}

/** The parts of a schema that lead to the lists in a document. */
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
 * Keyword that `npm run generate` adds to every string: no NUL and no lone surrogates. Databases refuse them in text,
 * which would become a 500. Members that the schema does not know may hold them, because they are not stored.
 */
export const STORABLE = 'storable';

/** Takes the check that was compiled from this schema. */
export function createValidator<T>(schema: SchemaNode, compiled: (value: unknown) => boolean): Validator<T> {
  return { lists: listsOf(schema, []), validate: compiled as Validate<T> };
}

function listsOf({ maxItems, properties = {} }: SchemaNode, path: readonly string[]): ListNode[] {
  const below = Object.entries(properties).flatMap(([name, child]) => listsOf(child, [...path, name]));
  return maxItems === undefined ? below : [{ path, maxItems }, ...below];
}
