// The answers of a claim as lines of text, for the last step of the form, the receipt, and a text to copy.
import { formatDay } from './dates.js';
import {
  CONTACT_MEMBERS,
  FIELDS,
  type Field,
  type FieldPointer,
  isCalendarDate,
  STEP_KEYS,
  type StepKey,
  stepOf,
} from './fields.js';
import { fillIn, type Texts } from './locales/texts.js';
import type { FormValues } from './values.js';

/** One line: a field, or a person. */
export interface Answer {
  label: string;
  /** '' without an answer. */
  text: string;
  isRequired: boolean;
  /** A code, a phone number or an address, which a right-to-left page must not reorder. */
  isLeftToRight: boolean;
}

/** The answers of one step of the form. */
export interface AnswerGroup {
  step: StepKey;
  title: string;
  answers: readonly Answer[];
}

type AnswerTexts = Pick<Texts, 'fields' | 'script' | 'steps'>;

/** Returns the answers of each step that asks something, in the order of the form. */
export function answerGroups(values: FormValues, texts: AnswerTexts, locale: string): AnswerGroup[] {
  const pointers = Object.keys(FIELDS) as FieldPointer[];
  const fieldAnswers = (step: StepKey) =>
    pointers
      .filter((pointer) => stepOf(pointer) === step)
      .map((pointer) => fieldAnswer(FIELDS[pointer], values.fields[pointer], texts, locale));
  return STEP_KEYS.map((step) => ({
    step,
    title: texts.steps[step].title,
    answers: [...fieldAnswers(step), ...(step === 'contact' ? peopleAnswers(values, texts) : [])],
  })).filter(({ answers }) => answers.length > 0);
}

function fieldAnswer(field: Field, value: string, { fields }: AnswerTexts, locale: string): Answer {
  const isDate = field.kind === 'date' && isCalendarDate(value);
  return {
    label: fields[field.text].label,
    text: isDate ? formatDay(value, locale) : value,
    isRequired: field.need === undefined,
    isLeftToRight: field.code === true || field.kind === 'tel' || field.kind === 'email',
  };
}

function peopleAnswers({ contacts }: FormValues, { script }: AnswerTexts): Answer[] {
  return contacts.map((contact, index) => {
    const [firstName = '', lastName = '', ...others] = CONTACT_MEMBERS.map((member) => contact[member]);
    const text = [`${firstName} ${lastName}`.trim(), ...others].filter(Boolean).join(', ');
    const label = fillIn(script.person, { number: index + 1 });
    return { label, text, isRequired: true, isLeftToRight: false };
  });
}

/** Returns the answers that are not empty, and the steps that have some. */
export function givenAnswers(groups: readonly AnswerGroup[]): AnswerGroup[] {
  return groups
    .map((group) => ({ ...group, answers: group.answers.filter(({ text }) => text !== '') }))
    .filter(({ answers }) => answers.length > 0);
}

/** Returns the answers that are not empty as plain text. */
export function answersText(groups: readonly AnswerGroup[]): string {
  return givenAnswers(groups)
    .map(({ title, answers }) => [title, ...answers.map(({ label, text }) => `${label}: ${text}`)].join('\n'))
    .join('\n\n');
}
