// Turns the moments of JSON into Dates, where a schema has them.
import { isRecord } from '../../lib/core/plain-data.js';
import type { JsonValue } from '../../lib/index.js';

/** JSON Schema of a moment. */
export const MOMENT = { type: 'string', format: 'date-time' } as const;

/** The keywords of a JSON Schema that lead to its moments. */
interface DateSchema {
  format?: string;
  properties?: Readonly<Record<string, DateSchema>>;
  items?: DateSchema;
}

/**
 * The schema of each Date in `T`, at any depth. Where it is required, a Date without a schema is an error of the compiler:
 * it would come back from JSON as a text. Types of the same member in a union are joined.
 */
export type DatesOf<T> = Joined<DatesOfEach<T>>;

/** `never` for a type without a Date. */
type DatesOfEach<T> = T extends Date
  ? typeof MOMENT
  : T extends JsonValue
    ? never
    : T extends readonly (infer Item)[]
      ? [DatesOfEach<Item>] extends [never]
        ? never
        : { items: DatesOf<Item> }
      : T extends object
        ? DatedMembers<T>
        : never;

type DatedMembers<T> = {
  [K in keyof T as [DatesOfEach<T[K]>] extends [never] ? never : K]-?: DatesOf<T[K]>;
} extends infer Members
  ? keyof Members extends never
    ? never
    : { properties: Members }
  : never;

/** The intersection of the types of a union. */
type Joined<U> = (U extends unknown ? (type: U) => void : never) extends (type: infer I) => void ? I : never;

/** Returns a copy of a JSON value with a Date for each text whose schema has the format `date-time`. */
export function withDates(schema: DateSchema, value: unknown): unknown {
  const { format, items, properties } = schema;
  if (format === MOMENT.format && typeof value === 'string') return new Date(value);
  if (items && Array.isArray(value)) return value.map((item) => withDates(items, item));
  if (!properties || !isRecord(value)) return value;
  const dated = Object.entries(properties).flatMap(([name, member]) =>
    Object.hasOwn(value, name) ? [[name, withDates(member, value[name])]] : [],
  );
  return { ...value, ...Object.fromEntries(dated) };
}
