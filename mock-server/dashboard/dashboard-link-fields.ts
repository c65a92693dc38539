// The form that makes a link, as data: its fields by JSON Pointer, what they begin with, and the request they become.
import type { LinkRequest, PolicyPrefill, SelectedPolicy } from '../../lib/index.js';

/** Members of a person to prefill. */
export const PERSON = ['firstName', 'lastName', 'email', 'phone'] as const;

/** Rows for linked contacts that there always are. */
const LEAST_CONTACTS = 2;

/** Rows that are looked at: more than a link request may have, so that the service can say so. */
const MOST_CONTACTS = 30;

const POLICY = '/config/policy';
const CONTACTS = `${POLICY}/linkedContacts`;

/** Sent even when empty: the service says that they are required. */
const REQUIRED = ['/callbackUrl', '/config/contact/email', '/config/contact/phone', '/config/currentUserId'];

const OPTIONAL = [
  '/config/contact/link',
  '/config/initialStepKey',
  '/config/privacyPolicyUrl',
  ...['provider', 'number', 'validFrom', 'validTo', 'vehicle/licensePlate'].map(
    (name) => `${POLICY}/${name}`,
  ),
  ...PERSON.map((name) => `${POLICY}/holder/${name}`),
];

/** The name of a member of the form's n-th linked contact. */
export function contactField(index: number, member: (typeof PERSON)[number]): string {
  return `${CONTACTS}/${index}/${member}`;
}

/** How many rows for linked contacts a form has. */
export function contactRows(fields: URLSearchParams): number {
  let rows = LEAST_CONTACTS;
  while (rows < MOST_CONTACTS && PERSON.some((member) => fields.has(contactField(rows, member)))) rows++;
  return rows;
}

/** A link request with this policy to prefill: the documented members, without the holder's id. */
export function withPrefill(request: LinkRequest, policy: SelectedPolicy | undefined): LinkRequest {
  const config = { ...request.config, privacyPolicyUrl: 'https://example.com/privacy' };
  return { ...request, config: policy === undefined ? config : { ...config, policy: toPrefill(policy) } };
}

function toPrefill({ holder, ...policy }: SelectedPolicy): PolicyPrefill {
  const { id: _, ...person } = holder;
  return { ...policy, holder: person };
}

/** The fields that make this request. */
export function toFields(request: LinkRequest): URLSearchParams {
  const fields = new URLSearchParams();
  write(request, '');
  return fields;

  function write(value: unknown, pointer: string): void {
    if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) write(member, `${pointer}/${name}`);
    } else if (value !== undefined && value !== false) fields.set(pointer, String(value));
  }
}

/**
 * The same fields without the rows of contacts that are empty, so that what the service says of the third contact is
 * shown at the third row.
 */
export function tidyFields(fields: URLSearchParams): URLSearchParams {
  const tidy = new URLSearchParams();
  for (const [name, value] of fields) if (!name.startsWith(`${CONTACTS}/`)) tidy.append(name, value);
  let row = 0;
  for (let index = 0; index < contactRows(fields); index++) {
    const person = PERSON.map((member) => [member, fields.get(contactField(index, member)) ?? ''] as const);
    if (person.every(([, value]) => value === '')) continue;
    for (const [member, value] of person) tidy.set(contactField(row, member), value);
    row++;
  }
  return tidy;
}

/** The request that tidy fields make. It is as typed: only the service knows what is right. */
export function toLinkRequest(fields: URLSearchParams): LinkRequest {
  const contacts = Array.from({ length: contactRows(fields) }, (_, index) =>
    PERSON.map((member) => contactField(index, member)),
  ).flat();
  const request: Tree = { callbackOnSubmit: fields.has('/callbackOnSubmit'), config: { contact: {} } };
  for (const pointer of REQUIRED) put(request, pointer, fields.get(pointer) ?? '');
  for (const pointer of [...OPTIONAL, ...contacts]) {
    const value = fields.get(pointer) ?? '';
    if (value !== '') put(request, pointer, value);
  }
  return request as unknown as LinkRequest;
}

interface Tree {
  [name: string]: Tree | string | boolean;
}

/** Sets a value at one of the pointers above, making the objects and lists on the way. */
function put(tree: Tree, pointer: string, value: string): void {
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  let place = tree;
  for (const [depth, name] of names.entries()) {
    const isList = /^\d+$/.test(names[depth + 1] ?? '');
    const next = place[name] ?? (isList ? ([] as unknown as Tree) : {});
    place[name] = next;
    place = next as Tree;
  }
  place[last] = value;
}
