// The rows of the documents that describe the members of a request: from its JSON Schema.
import { CLAIM_FIELDS, needOf } from '../../lib/core/claim-fields.js';
import type { Row } from './markdown.js';

export const code = (text: string) => `\`${text}\``;
export const number = (value: number) => value.toLocaleString('en');

/** The parts of a JSON Schema that the tables of members show. */
interface Schema {
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
}

/** Returns a row for each member of a value that a schema describes: its path, whether it is required, and its limits. */
export function memberRows(schema: Schema, path = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]): Row[] => {
    const inner = member.items ?? member;
    const memberPath = `${path}${name}${member.items === undefined ? '' : '[]'}`;
    if (inner.properties !== undefined) return memberRows(inner, `${memberPath}.`);
    return [[code(memberPath), schema.required?.includes(name) ? 'yes' : 'no', limitOf(inner)]];
  });
}

/** Returns the row of a member of a claim with what a client without a form requires. */
export function withNeed([member = '', required = '', limit = '']: Row): Row {
  const field = CLAIM_FIELDS.find((pointer) => code(pointer.slice(1).replaceAll('/', '.')) === member);
  const isRequired = field ? needOf(undefined, field) === 'required' : /linkedContacts.*email/.test(member);
  return [member, isRequired ? 'yes' : required, limit];
}

function limitOf({ type, format, minLength, maxLength = 0, enum: choices }: Schema): string {
  if (type === 'object' || type === 'boolean' || type === 'integer') return type;
  if (choices !== undefined) return choices.map((choice) => code(String(choice))).join(', ');
  if (format === 'date') return 'calendar date';
  return `${minLength === undefined ? 'up' : minLength} to ${number(maxLength)} UTF-16 code units`;
}
