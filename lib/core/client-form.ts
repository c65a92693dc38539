// Checks the form of a client before it is stored, and the answers of a claim against it.
import { assertOptions, mustBeBoolean, mustBeWhole, type OptionCheck } from './assert-options.js';
import { ANSWERS_POINTER, CLAIM_FIELDS, type ClaimField, MAX_ANSWER_LENGTH, needOf } from './claim-fields.js';
import { isCalendarDate, visibleText } from './claim-rules.js';
import { type ErrorRule, invalidParameter, type RuleProblem } from './errors.js';
import { isRecord } from './plain-data.js';
import type {
  ClientForm,
  EmergencyCall,
  FormChoice,
  FormOrder,
  FormPhotos,
  FormQuestion,
  RecipientQuestion,
} from './types.js';

/** Maximum size of a form, and of a question to the recipient, as JSON. */
const MAX_FORM_BYTES = 65_536;
export const MAX_QUESTIONS = 20;
const MAX_CHOICES = 30;
const EMERGENCY_PHONE = /^(?=.{3,20}$)\+?[\d ]+$/;
const KEY = /^[a-z][\w-]{0,49}$/i;

/** Throws `request_invalid` for a value that is not valid. `path` is the name of the value. */
export type FormCheck = (value: unknown, path: string) => void;

function reject(path: string, detail: string, rule: ErrorRule = 'value'): never {
  throw invalidParameter(path, rule, detail);
}

/** Returns the check of a value that has a name. */
export function accepts(check: OptionCheck): FormCheck {
  return (value, path) => {
    const detail = check(value);
    if (detail !== undefined) reject(path, detail);
  };
}

/** Accepts these texts. */
export function oneOf(...values: readonly string[]): FormCheck {
  return accepts((value) =>
    values.includes(value as string) ? undefined : `must be ${values.join(' or ')}`,
  );
}

/** Accepts a text that a person can see, and that is not too long. Lines may end in it. */
function textUpTo(maxLength: number): FormCheck {
  return accepts((value) => {
    const isText = typeof value === 'string' && visibleText(value) !== '' && value.length <= maxLength;
    return isText && value.isWellFormed() && !value.includes('\0')
      ? undefined
      : `must be a text of 1 to ${maxLength} UTF-16 code units`;
  });
}

const key: FormCheck = accepts((value) =>
  typeof value === 'string' && KEY.test(value)
    ? undefined
    : 'must have 1 to 50 letters, digits, "_" and "-", and begin with a letter',
);

/** Accepts an object with these members and no other. */
function closed<T>(checks: Readonly<Record<keyof T & string, FormCheck>>, required: readonly string[] = []) {
  return (value: unknown, path: string): void => {
    assertRecord(value, path);
    assertOptions(value, Object.keys(checks), { parameter: path, required });
    for (const [name, check] of Object.entries<FormCheck>(checks))
      if (value[name] !== undefined) check(value[name], `${path}.${name}`);
  };
}

function listOf(check: FormCheck, min: number, max: number): FormCheck {
  return (value, path) => {
    if (!Array.isArray(value) || value.length < min || value.length > max)
      reject(path, `must be a list of ${min} to ${max} entries`);
    const keys = new Set<unknown>();
    for (const [index, entry] of value.entries()) {
      check(entry, `${path}.${index}`);
      if (keys.has(entry.key)) reject(`${path}.${index}.key`, 'is that of another entry already', 'unique');
      keys.add(entry.key);
    }
  };
}

/** Accepts an object with a member for each language, at least one. */
function byLanguage(check: FormCheck): FormCheck {
  return (value, path) => {
    assertRecord(value, path);
    const languages = Object.keys(value);
    if (languages.length === 0) reject(path, 'must have a text in at least one language');
    for (const language of languages) {
      if (!isCanonicalTag(language))
        reject(path, 'has a name that is not a BCP 47 language tag, such as de or pt-BR');
      check(value[language], `${path}.${language}`);
    }
  };
}

/** Returns whether a text is a BCP 47 language tag in its canonical form. */
export function isCanonicalTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag;
  } catch {
    return false;
  }
}

function assertRecord(value: unknown, path: string): asserts value is Record<string, unknown> {
  if (!isRecord(value) || Array.isArray(value)) reject(path, 'must be an object', 'type');
}

const need = oneOf('required', 'optional', 'hidden');
const label = textUpTo(200);
const note = textUpTo(2000);

const choice = closed<FormChoice>({ key, texts: byLanguage(label) }, ['key', 'texts']);

const questionTexts = byLanguage(closed({ label, hint: textUpTo(500) }, ['label']));

const recipientQuestion = closed<RecipientQuestion>(
  { id: key, kind: oneOf('text', 'date'), texts: questionTexts },
  ['id', 'kind', 'texts'],
);

const question = closed<FormQuestion>(
  {
    key,
    step: oneOf('policy', 'incident', 'contact'),
    required: accepts(mustBeBoolean),
    kind: oneOf('text', 'textarea', 'date', 'boolean', 'choice'),
    texts: questionTexts,
    options: listOf(choice, 2, MAX_CHOICES),
  },
  ['key', 'step', 'kind', 'texts'],
);

const emergency = closed<EmergencyCall>({
  phone: accepts((value) =>
    typeof value === 'string' && EMERGENCY_PHONE.test(value) && value.replaceAll(/\D/g, '').length >= 3
      ? undefined
      : 'must have 3 to 20 digits and spaces, at least three digits, and perhaps "+" before them',
  ),
  first: accepts(mustBeBoolean),
});

const photos = closed<FormPhotos>({ need, most: accepts(mustBeWhole(1, 50)), heic: accepts(mustBeBoolean) }, [
  'need',
]);

const names = accepts((value) =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')
    ? undefined
    : 'must be a list of texts',
);

/** Returns the step of the form with a field. */
export function stepOf(field: ClaimField): FormQuestion['step'] {
  if (field.startsWith('/incident/')) return 'incident';
  return field.startsWith('/policy/holder/') || field === '/policy/linkedContacts' ? 'contact' : 'policy';
}

/** Checks that an order names the fields and the questions of its step, each once. */
function assertOrder({ order = {}, questions = [] }: ClientForm, path: string): void {
  for (const [step, entries] of Object.entries<readonly string[]>({ ...order })) {
    const places = [
      ...CLAIM_FIELDS.filter((field) => stepOf(field) === step),
      ...questions.filter((other) => other.step === step).map((other) => other.key),
    ];
    for (const [index, entry] of entries.entries()) {
      const place = `${path}.order.${step}.${index}`;
      if (!places.includes(entry))
        reject(place, 'must be a JSON Pointer or the key of a question of this step');
      if (entries.indexOf(entry) < index) reject(place, 'is named in this list already', 'unique');
    }
  }
}

const form = closed<ClientForm>({
  fields: closed<Record<ClaimField, unknown>>(
    Object.fromEntries(CLAIM_FIELDS.map((field) => [field, need])) as Record<ClaimField, FormCheck>,
  ),
  incidentTypes: listOf(choice, 1, MAX_CHOICES),
  questions: listOf(
    (value, path) => {
      question(value, path);
      const { kind, options } = value as FormQuestion;
      if ((kind === 'choice') === (options !== undefined)) return;
      reject(`${path}.options`, 'must be there for a choice, and for no other kind', 'combination');
    },
    0,
    MAX_QUESTIONS,
  ),
  contacts: oneOf('email', 'email_or_phone'),
  noticeConfirmation: accepts(mustBeBoolean),
  noticePlace: oneOf('review', 'first'),
  emailSuggestion: accepts(mustBeBoolean),
  order: closed<FormOrder>({ policy: names, incident: names, contact: names }),
  emergency,
  photos,
  texts: byLanguage(
    closed({
      introduction: note,
      nextSteps: note,
      emergency: note,
      policyNumber: note,
      contacts: note,
      renewal: note,
    }),
  ),
});

/** Checks the form of a client. @throws `request_invalid` for a form that is not valid. */
export function assertClientForm(value: unknown, path: string): void {
  form(value, path);
  const checked = value as ClientForm;
  const isReachable = (['phone', 'email'] as const).some(
    (member) => needOf(checked, `/policy/holder/${member}`) === 'required',
  );
  if (!isReachable)
    reject(`${path}.fields`, 'must require the phone or the email of the holder', 'combination');
  if (needOf(checked, '/incident/type') !== 'hidden' && checked.incidentTypes === undefined)
    reject(`${path}.incidentTypes`, 'is required if the form asks for /incident/type', 'combination');
  assertOrder(checked, path);
  assertSize(value, path);
}

/** Checks a question of the host to the recipient. @throws `request_invalid` for a question that is not valid. */
export function assertRecipientQuestion(value: unknown, path: string): void {
  recipientQuestion(value, path);
  assertSize(value, path);
}

function assertSize(value: unknown, path: string): void {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_FORM_BYTES)
    reject(path, `must not be larger than ${MAX_FORM_BYTES} bytes as JSON`, 'size');
}

/** Returns the rule that an answer to a question of the client breaks. */
export function answerProblem(
  { kind, options = [] }: FormQuestion,
  answer: unknown,
): RuleProblem | undefined {
  if (kind === 'boolean')
    return typeof answer === 'boolean' ? undefined : { rule: 'type', detail: 'must be true or false' };
  if (typeof answer !== 'string') return { rule: 'type', detail: 'must be string' };
  if (kind === 'date') return dateProblem(answer);
  if (kind === 'choice') return choiceProblem(options, answer);
  const max = MAX_ANSWER_LENGTH[kind];
  return answer.length <= max
    ? undefined
    : { rule: 'maxLength', detail: `must not be longer than ${max} UTF-16 code units` };
}

/** Returns the rule that a date breaks which a person enters. */
export function dateProblem(date: string): RuleProblem | undefined {
  return isCalendarDate(date)
    ? undefined
    : { rule: 'format', detail: 'must be a date from 1900-01-01 on, YYYY-MM-DD' };
}

/** Returns the rule that a key breaks which is to be one of a list in the form. */
export function choiceProblem(choices: readonly FormChoice[], answer: string): RuleProblem | undefined {
  return choices.some(({ key }) => key === answer)
    ? undefined
    : { rule: 'choice', detail: 'must be a key of the list in the form of the client' };
}

/** Returns the JSON Pointer of the answer to a question. */
export function answerPointer(key: string): string {
  return `${ANSWERS_POINTER}/${key}`;
}
