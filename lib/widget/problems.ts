// Turns the problems of a claim into sentences, each for the field that it belongs to.
import type { ErrorDetail } from '../core/errors.js';
import {
  CONTACT_FIELDS,
  CONTACTS_POINTER,
  CONTACTS_TITLE,
  type ContactMember,
  FIELDS,
  type FieldPointer,
  idOf,
  NO_FIELD,
  STEP_KEYS,
  type StepKey,
  sentence,
  stepOf,
} from './fields.js';

/** One line of the summary. */
export interface SummaryLine {
  /** Element id of the field. Absent if the problem belongs to no field. */
  target?: string;
  text: string;
}

export interface FormProblems {
  readonly summary: readonly SummaryLine[];
  /** Messages beside the fields, by pointer. */
  readonly byPointer: ReadonlyMap<string, string>;
  /** The first step with a problem. */
  readonly step?: StepKey;
}

const CONTACT = /^\/policy\/linkedContacts\/(\d+)\/(firstName|lastName|email|phone)$/;

function isContactMember(name: string): name is ContactMember {
  return Object.hasOwn(CONTACT_FIELDS, name);
}

function isFieldPointer(pointer: string): pointer is FieldPointer {
  return Object.hasOwn(FIELDS, pointer);
}

/** Returns the field to show a problem at. A problem of a contact without a row is shown at the list of contacts. */
function locate(
  pointer: string,
  contactCount: number,
): { pointer: string; label: string; row?: string } | undefined {
  if (isFieldPointer(pointer)) return { pointer, label: FIELDS[pointer].label };
  const [, index = '', member = ''] = CONTACT.exec(pointer) ?? [];
  if (isContactMember(member) && Number(index) < contactCount) {
    return { pointer, label: CONTACT_FIELDS[member].label, row: `Person ${Number(index) + 1}` };
  }
  if (pointer.startsWith(CONTACTS_POINTER)) return { pointer: CONTACTS_POINTER, label: CONTACTS_TITLE };
  return undefined;
}

/** Returns a message for the first problem of each field. The summary also has the problems without a field. */
export function formProblems(details: readonly ErrorDetail[], contactCount: number): FormProblems {
  const summary: SummaryLine[] = [];
  const byPointer = new Map<string, string>();
  const steps = new Set<StepKey>();
  for (const { pointer = '', detail } of details) {
    const field = locate(pointer, contactCount);
    if (!field) {
      summary.push({ text: sentence(NO_FIELD, detail) });
      continue;
    }
    if (byPointer.has(field.pointer)) continue;
    const text = sentence(field.label, detail);
    byPointer.set(field.pointer, text);
    summary.push({ target: idOf(field.pointer), text: field.row ? `${field.row}: ${text}` : text });
    const step = stepOf(field.pointer);
    if (step) steps.add(step);
  }
  const step = STEP_KEYS.find((key) => steps.has(key));
  return { summary, byPointer, ...(step && { step }) };
}
