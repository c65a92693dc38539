// The fields of a claim whose need a client may change, as one table, and the answers to its own questions.

/** Whether the form of a client asks for a field, and whether it insists on an answer. */
export type FieldNeed = 'required' | 'optional' | 'hidden';

/** What a field holds. Codes, email addresses and phone numbers lose the invisible characters that are pasted along. */
type TextKind = 'text' | 'textarea' | 'code' | 'email' | 'phone';

/** Its kind decides how a field is checked, and which input the form has. `maxLength` counts UTF-16 code units. */
export type FieldShape =
  | { kind: TextKind; maxLength: number }
  | { kind: 'date' | 'time' | 'choice' | 'boolean' | 'contacts' };

/** A field of the claim. */
export type FieldEntry = FieldShape & {
  /** The need of a client without a form. */
  need: FieldNeed;
  /** Description in the JSON Schema of the claim. Default: that the form decides, for a required field. */
  description?: string;
};

/** The form of a client decides what is required; the validators check it. */
export const NEEDED = 'Required, unless the form of the client says otherwise.';
/** The validators check it, because a pattern for the digits of every script is not portable. */
export const PHONE_RULE = 'At least three digits.';
const FIRST_DATE = 'From 1900-01-01 on';

/** The members of a person: the holder, and each of the contacts. */
export const PERSON = {
  firstName: { kind: 'text', maxLength: 100 },
  lastName: { kind: 'text', maxLength: 100 },
  email: { kind: 'email', maxLength: 254 },
  phone: { kind: 'phone', maxLength: 40 },
} as const satisfies Readonly<Record<string, FieldShape>>;

/** The fields whose need a client may change, by the JSON Pointer of their member, in the order of the form. */
export const FIELDS = {
  '/policy/provider': { need: 'required', kind: 'text', maxLength: 200 },
  '/policy/number': { need: 'required', kind: 'code', maxLength: 100 },
  '/policy/validFrom': { need: 'required', kind: 'date', description: `${NEEDED} ${FIRST_DATE}.` },
  '/policy/validTo': { need: 'required', kind: 'date', description: `${NEEDED} ${FIRST_DATE}.` },
  '/policy/vehicle/licensePlate': { need: 'required', kind: 'code', maxLength: 32 },
  '/incident/date': {
    need: 'optional',
    kind: 'date',
    description: `${FIRST_DATE}, and not after today; one day later is accepted, because of time zones.`,
  },
  '/incident/time': { need: 'hidden', kind: 'time', description: 'About when it was, HH:MM.' },
  '/incident/place': { need: 'hidden', kind: 'text', maxLength: 200 },
  '/incident/type': {
    need: 'hidden',
    kind: 'choice',
    description: 'Key of one of the incidentTypes in the form of the client.',
  },
  '/incident/description': { need: 'optional', kind: 'textarea', maxLength: 4000 },
  '/incident/injured': { need: 'optional', kind: 'boolean' },
  '/incident/policeReference': { need: 'hidden', kind: 'code', maxLength: 100 },
  '/incident/otherVehicle/licensePlate': { need: 'hidden', kind: 'code', maxLength: 32 },
  '/incident/otherVehicle/insurer': { need: 'hidden', kind: 'text', maxLength: 200 },
  '/policy/holder/firstName': { need: 'required', ...PERSON.firstName },
  '/policy/holder/lastName': { need: 'required', ...PERSON.lastName },
  '/policy/holder/phone': { need: 'required', ...PERSON.phone, description: `${PHONE_RULE} ${NEEDED}` },
  '/policy/holder/email': { need: 'required', ...PERSON.email },
  '/policy/linkedContacts': { need: 'optional', kind: 'contacts' },
} as const satisfies Readonly<Record<string, FieldEntry>>;

/** JSON Pointer of a field whose need a client may change. */
export type ClaimField = keyof typeof FIELDS;

export const CLAIM_FIELDS = Object.keys(FIELDS) as readonly ClaimField[];

/** Returns whether a form asks for a field. */
export function needOf(
  form: { fields?: { readonly [field in ClaimField]?: FieldNeed } } | undefined,
  field: ClaimField,
): FieldNeed {
  return form?.fields?.[field] ?? FIELDS[field].need;
}

/** Returns the fields of these kinds. */
export function fieldsOf(...kinds: readonly FieldShape['kind'][]): readonly ClaimField[] {
  return CLAIM_FIELDS.filter((field) => kinds.includes(FIELDS[field].kind));
}

/** Names of the members of a claim that are codes. Invisible characters, which are pasted along, are no part of them. */
export const CODE_MEMBERS: ReadonlySet<string> = new Set(
  fieldsOf('code', 'email', 'phone').map((field) => field.slice(field.lastIndexOf('/') + 1)),
);

/**
 * Returns an object with what `memberOf` makes of each field below a pointer, by the names of their members. `wrap` makes
 * the value of a member that has fields itself. A member whose value is undefined is left out.
 */
export function membersBelow(
  parent: string,
  memberOf: (field: FieldEntry, pointer: ClaimField) => unknown,
  wrap: (members: Record<string, unknown>) => unknown,
): Record<string, unknown> {
  const members = new Map<string, unknown>();
  for (const pointer of CLAIM_FIELDS) {
    const [name = '', ...inner] = pointer.startsWith(`${parent}/`)
      ? pointer.slice(parent.length + 1).split('/')
      : [];
    if (name === '' || members.has(name)) continue;
    const place = `${parent}/${name}`;
    members.set(
      name,
      inner.length > 0 ? wrap(membersBelow(place, memberOf, wrap)) : memberOf(FIELDS[pointer], pointer),
    );
  }
  return Object.fromEntries([...members].filter(([, value]) => value !== undefined));
}

/** JSON Pointer of the answers to a client's own questions. */
export const ANSWERS_POINTER = '/incident/answers';

/** Maximum number of UTF-16 code units of an answer, by the kind of its question. */
export const MAX_ANSWER_LENGTH = { text: 200, textarea: 2000 } as const;
