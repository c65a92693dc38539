// The answers of a claim as lines of text, for the last step of the form, the receipt, and a text to copy.
import { formatDay } from './dates.js';
import {
  type AskedField,
  CONTACT_MEMBERS,
  contactPointer,
  isCalendarDate,
  STEP_KEYS,
  type StepKey,
} from './fields.js';
import { fillIn, type Texts } from './locales/texts.js';
import type { FormValues } from './values.js';

/** One line: a field, or a person. */
export interface Answer {
  label: string;
  /** Language of the label, if it is not that of the page. */
  lang?: string | undefined;
  /** Shown with commas between them; empty without an answer. Each has a direction of its own. */
  values: readonly string[];
  /** The fields with these values. */
  pointers: readonly string[];
  isRequired: boolean;
}

/** The answers of one step of the form. */
export interface AnswerGroup {
  step: StepKey;
  title: string;
  answers: readonly Answer[];
}

/** The texts that answers need. */
export interface AnswerTexts extends Pick<Texts, 'script'> {
  /** Absent in the form: its headings have them. */
  steps?: Readonly<Record<StepKey, { title: string }>> | undefined;
}

/** Returns the answers of each step that asks something, in the order of the form. */
export function answerGroups(
  values: FormValues,
  fields: readonly AskedField[],
  texts: AnswerTexts,
  locale: string,
): AnswerGroup[] {
  return STEP_KEYS.map((step) => ({
    step,
    title: texts.steps?.[step].title ?? '',
    answers: [
      ...fields.filter((field) => field.step === step).map((field) => fieldAnswer(field, values, locale)),
      ...(step === 'contact' ? peopleAnswers(values, texts) : []),
    ],
  })).filter(({ answers }) => answers.length > 0);
}

function fieldAnswer(
  { pointer, label, lang, isRequired, isDate, options = [] }: AskedField,
  values: FormValues,
  locale: string,
) {
  const value = values.fields[pointer] ?? '';
  const [, chosen = value] = options.find(([key]) => key === value) ?? [];
  const shown = isDate && isCalendarDate(value) ? formatDay(value, locale) : chosen;
  return { label, lang, values: [shown].filter(Boolean), pointers: [pointer], isRequired };
}

function peopleAnswers({ contacts }: FormValues, { script }: AnswerTexts): Answer[] {
  return contacts.map((contact, index) => {
    const [firstName = '', lastName = '', ...others] = CONTACT_MEMBERS.map((member) => contact[member]);
    const values = [`${firstName} ${lastName}`.trim(), ...others].filter(Boolean);
    const pointers = CONTACT_MEMBERS.map((member) => contactPointer(index, member));
    return { label: fillIn(script.person, { number: index + 1 }), values, pointers, isRequired: true };
  });
}

/** Returns the answers that are not empty, and the steps that have some. */
export function givenAnswers(groups: readonly AnswerGroup[]): AnswerGroup[] {
  return groups
    .map((group) => ({ ...group, answers: group.answers.filter(({ values }) => values.length > 0) }))
    .filter(({ answers }) => answers.length > 0);
}

/** Returns the answers that are not empty as plain text. */
export function answersText(groups: readonly AnswerGroup[]): string {
  return givenAnswers(groups)
    .map(({ title, answers }) =>
      [title, ...answers.map(({ label, values }) => `${label}: ${values.join(', ')}`)].join('\n'),
    )
    .join('\n\n');
}
