// Turns the moments of JSON into Dates, where a schema has them.
import { isRecord } from '../../lib/core/plain-data.js';

/** JSON Schema of a moment. */
export const MOMENT = { type: 'string', format: 'date-time' } as const;

/** The keywords of a JSON Schema that lead to its moments. */
interface DateSchema {
  format?: string;
  properties?: Readonly<Record<string, DateSchema>>;
  items?: DateSchema;
}

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
