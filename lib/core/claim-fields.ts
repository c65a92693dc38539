// The fields of a claim whose need a client may change, and the answers to its own questions.

/** Whether the form of a client asks for a field, and whether it insists on an answer. */
export type FieldNeed = 'required' | 'optional' | 'hidden';

/** The fields whose need a client may change, by the JSON Pointer of their member, with the need of a client without a form. */
export const FIELD_NEEDS = {
  '/policy/provider': 'required',
  '/policy/number': 'required',
  '/policy/validFrom': 'required',
  '/policy/validTo': 'required',
  '/policy/vehicle/licensePlate': 'required',
  '/incident/date': 'optional',
  '/incident/time': 'hidden',
  '/incident/place': 'hidden',
  '/incident/type': 'hidden',
  '/incident/description': 'optional',
  '/incident/injured': 'hidden',
  '/incident/policeReference': 'hidden',
  '/incident/otherVehicle/licensePlate': 'hidden',
  '/incident/otherVehicle/insurer': 'hidden',
  '/policy/holder/firstName': 'required',
  '/policy/holder/lastName': 'required',
  '/policy/holder/phone': 'required',
  '/policy/holder/email': 'required',
  '/policy/linkedContacts': 'optional',
} as const satisfies Readonly<Record<string, FieldNeed>>;

/** JSON Pointer of a field whose need a client may change. */
export type ClaimField = keyof typeof FIELD_NEEDS;

export const CLAIM_FIELDS = Object.keys(FIELD_NEEDS) as readonly ClaimField[];

/** Returns whether a form asks for a field. */
export function needOf(
  form: { fields?: { readonly [field in ClaimField]?: FieldNeed } } | undefined,
  field: ClaimField,
): FieldNeed {
  return form?.fields?.[field] ?? FIELD_NEEDS[field];
}

/** Names of the members of a claim that are codes. Invisible characters, which are pasted along, are no part of them. */
export const CODE_MEMBERS: ReadonlySet<string> = new Set([
  'number',
  'licensePlate',
  'policeReference',
  'phone',
  'email',
]);

/** JSON Pointer of the answers to a client's own questions. */
export const ANSWERS_POINTER = '/incident/answers';

/** Maximum number of UTF-16 code units of an answer, by the kind of its question. */
export const MAX_ANSWER_LENGTH = { text: 200, textarea: 2000 } as const;
