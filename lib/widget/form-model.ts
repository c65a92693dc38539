// What the form of a client asks, in one language: its fields, its questions and its texts.
import { CLAIM_FIELDS, type ClaimField, MAX_ANSWER_LENGTH, needOf } from '../core/claim-fields.js';
import { answerPointer } from '../core/client-form.js';
import type { ClientForm, FormChoice, FormQuestion, FormTexts, TextsByLanguage } from '../core/types.js';
import {
  type AskedField,
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  type ContactMember,
  contactPointer,
  NOTICE_POINTER,
  STEP_KEYS,
  type StepKey,
} from './fields.js';
import type { Language } from './locales/languages.js';
import { fillIn, type Texts } from './locales/texts.js';

/** Kind of an input. */
export type FieldKind = 'text' | 'email' | 'tel' | 'date' | 'time' | 'textarea' | 'select';

/** What an input looks like. */
interface InputShape {
  /** Default: one line of text. */
  kind?: FieldKind | undefined;
  maxLength?: number | undefined;
  /** Autofill field name of the HTML standard. Default: that of the form, `off`. */
  autocomplete?: string;
  /** The text is a code: upper case, without spell checking. */
  code?: boolean;
}

/** A field of claimlink. Its limits are those of the claim's JSON Schema. */
interface KnownField extends InputShape {
  /** Its texts: the label, and what to do if it is empty. */
  text: keyof Texts['fields'];
  hint?: keyof Texts['form'];
  isBoolean?: boolean;
}

type SingleField = Exclude<ClaimField, typeof CONTACTS_POINTER>;

const FIELDS: Readonly<Record<SingleField, KnownField>> = {
  '/policy/provider': { text: 'provider', maxLength: 200 },
  '/policy/number': { text: 'policyNumber', maxLength: 100, code: true },
  '/policy/validFrom': { text: 'validFrom', kind: 'date' },
  '/policy/validTo': { text: 'validTo', kind: 'date' },
  '/policy/vehicle/licensePlate': { text: 'licensePlate', maxLength: 32, code: true },
  '/incident/date': { text: 'incidentDate', kind: 'date' },
  '/incident/time': { text: 'incidentTime', kind: 'time' },
  '/incident/place': { text: 'place', maxLength: 200 },
  '/incident/type': { text: 'incidentType', kind: 'select' },
  '/incident/description': {
    text: 'description',
    kind: 'textarea',
    maxLength: 4000,
    hint: 'descriptionHint',
  },
  '/incident/injured': { text: 'injured', kind: 'select', isBoolean: true },
  '/incident/policeReference': { text: 'policeReference', maxLength: 100, code: true },
  '/incident/otherVehicle/licensePlate': { text: 'otherLicensePlate', maxLength: 32, code: true },
  '/incident/otherVehicle/insurer': { text: 'otherInsurer', maxLength: 200 },
  '/policy/holder/firstName': { text: 'firstName', maxLength: 100, autocomplete: 'given-name' },
  '/policy/holder/lastName': { text: 'lastName', maxLength: 100, autocomplete: 'family-name' },
  '/policy/holder/phone': { text: 'phone', kind: 'tel', maxLength: 40, autocomplete: 'tel' },
  '/policy/holder/email': { text: 'email', kind: 'email', maxLength: 254, autocomplete: 'email' },
};

/** Fields of one row of contacts. */
const CONTACT_FIELDS: Readonly<Record<ContactMember, KnownField>> = {
  firstName: { text: 'firstName', maxLength: 100 },
  lastName: { text: 'lastName', maxLength: 100 },
  email: { text: 'email', kind: 'email', maxLength: 254 },
  phone: { text: 'phone', kind: 'tel', maxLength: 40 },
};

/** A field of the form that is no contact. */
export interface FormField extends AskedField, InputShape {
  hint?: string | undefined;
  /** The form does not ask. A prefilled value is sent all the same. */
  isHidden: boolean;
  isBoolean?: boolean | undefined;
  isQuestion?: boolean;
}

/** A field of a row of contacts. */
export interface ContactField extends InputShape {
  label: string;
  missing: string;
  /** `row`: required as soon as a field of its row has a text. `either`: and if the row has no phone number. */
  need?: 'row' | 'either' | undefined;
  /** The label says that the field is optional. */
  isOptional: boolean;
}

/** The list of contacts. */
export interface ContactsModel {
  label: string;
  missing: string;
  hint: string;
  /** Language of the hint, if it is not that of the page. */
  hintLang: string | undefined;
  isRequired: boolean;
  fields: Readonly<Record<ContactMember, ContactField>>;
}

/** What a form asks. */
export interface FormModel {
  /** In the order of the form, also those that it does not ask. */
  fields: readonly FormField[];
  /** Absent if the form does not ask for contacts. */
  contacts: ContactsModel | undefined;
  /** The confirmation of the privacy policy in the last step, if the client and the link ask for one. */
  confirmation: MessageField | undefined;
  /** The texts of the client. */
  clientTexts: FormTexts;
  /** Their language, if it is not that of the page. */
  clientLang: string | undefined;
}

/**
 * Returns the text of a language: of its tag, of the tag without a region, in English, or in the first language. `lang` is
 * present if it is in another language.
 */
export function textIn<T>(
  texts: TextsByLanguage<T>,
  locale: string,
): { text?: T | undefined; lang?: string } {
  const tag = [locale, locale.split('-', 1)[0] ?? ''].find((each) => Object.hasOwn(texts, each));
  if (tag !== undefined) return { text: texts[tag] };
  const lang = Object.hasOwn(texts, 'en') ? 'en' : Object.keys(texts)[0];
  return lang === undefined ? {} : { text: texts[lang], lang };
}

/** Returns the label of a question without the mark at its end, for a sentence. */
export function withoutMark(label: string): string {
  return label.replace(/\s*[?:]$/, '');
}

function optionsOf(choices: readonly FormChoice[], locale: string) {
  return choices.map(({ key, texts }) => {
    const { text = key, lang } = textIn(texts, locale);
    return [key, text, lang] as const;
  });
}

function stepOf(field: SingleField): StepKey {
  if (field.startsWith('/incident/')) return 'incident';
  return field.startsWith('/policy/holder/') ? 'contact' : 'policy';
}

/**
 * Returns what the form of a client asks.
 * @param privacyPolicyUrl The privacy policy of the link, for a form that is shown.
 */
export function formModel(
  form: ClientForm | undefined,
  { locale, texts }: Language,
  privacyPolicyUrl?: string,
): FormModel {
  const yesOrNo = [
    ['true', texts.form.yes],
    ['false', texts.form.no],
  ] as const;

  function knownField(pointer: SingleField): FormField {
    const { text, hint, isBoolean, ...shape } = FIELDS[pointer];
    const need = needOf(form, pointer);
    return {
      ...shape,
      ...texts.fields[text],
      pointer,
      step: stepOf(pointer),
      isRequired: need === 'required',
      isHidden: need === 'hidden',
      isDate: shape.kind === 'date',
      hint: hint && texts.form[hint],
      isBoolean,
      options: isBoolean
        ? yesOrNo
        : pointer === '/incident/type'
          ? optionsOf(form?.incidentTypes ?? [], locale)
          : undefined,
    };
  }

  function questionField({
    key,
    step,
    kind,
    required,
    texts: textsByLanguage,
    options,
  }: FormQuestion): FormField {
    const { text: { label = key, hint } = {}, lang } = textIn(textsByLanguage, locale);
    return {
      pointer: answerPointer(key),
      step,
      label,
      lang,
      // "Which room: enter an answer"
      missing: fillIn(texts.problems.answer, { label: withoutMark(label) }),
      hint,
      isRequired: required === true,
      isHidden: false,
      isQuestion: true,
      isDate: kind === 'date',
      isBoolean: kind === 'boolean',
      kind: kind === 'boolean' || kind === 'choice' ? 'select' : kind,
      maxLength: kind === 'text' || kind === 'textarea' ? MAX_ANSWER_LENGTH[kind] : undefined,
      options: kind === 'boolean' ? yesOrNo : options && optionsOf(options, locale),
    };
  }

  const standard = CLAIM_FIELDS.filter((pointer) => pointer !== CONTACTS_POINTER).map(knownField);
  const questions = (form?.questions ?? []).map(questionField);
  const { text: clientTexts = {}, lang: clientLang } = textIn(form?.texts ?? {}, locale);
  return {
    fields: STEP_KEYS.flatMap((step) => [...standard, ...questions].filter((field) => field.step === step)),
    contacts: contactsModel(form, texts, clientTexts, clientLang),
    confirmation:
      form?.noticeConfirmation && privacyPolicyUrl !== undefined
        ? { ...texts.fields.notice, pointer: NOTICE_POINTER, step: 'review' }
        : undefined,
    clientTexts,
    clientLang,
  };
}

function contactsModel(
  form: ClientForm | undefined,
  texts: Texts,
  clientTexts: FormTexts,
  clientLang: string | undefined,
): ContactsModel | undefined {
  const need = needOf(form, CONTACTS_POINTER);
  if (need === 'hidden') return undefined;
  const isEither = form?.contacts === 'email_or_phone';
  const fields = CONTACT_MEMBERS.map((member): [ContactMember, ContactField] => {
    const { text, ...shape } = CONTACT_FIELDS[member];
    const isEmail = member === 'email';
    const isPhone = member === 'phone';
    return [
      member,
      {
        ...shape,
        ...texts.fields[text],
        ...(isEmail && isEither && { missing: texts.problems.contact }),
        need: isPhone ? undefined : isEmail && isEither ? 'either' : 'row',
        isOptional: isPhone && !isEither,
      },
    ];
  });
  return {
    ...texts.fields.contacts,
    hintLang: clientTexts.contacts === undefined ? undefined : clientLang,
    hint: clientTexts.contacts ?? (isEither ? texts.form.contactsHintEither : texts.form.contactsHint),
    isRequired: need === 'required',
    fields: Object.fromEntries(fields) as Record<ContactMember, ContactField>,
  };
}

/** Returns the steps that ask something, and the last one, in their order. */
export function stepsOf({ fields, contacts }: FormModel): StepKey[] {
  return STEP_KEYS.filter(
    (key) =>
      key === 'review' ||
      (key === 'contact' && contacts !== undefined) ||
      fields.some(({ step, isHidden }) => step === key && !isHidden),
  );
}

/** A field that a message belongs to. */
export type MessageField = Pick<AskedField, 'pointer' | 'label' | 'missing' | 'maxLength'> & {
  step: StepKey;
};

/** Returns the fields that a message can stand beside: those that the form asks, and this many rows of contacts. */
export function messageFields({ fields, contacts, confirmation }: FormModel, rows: number): MessageField[] {
  const step: StepKey = 'contact';
  const members = contacts
    ? [
        { pointer: CONTACTS_POINTER, step, label: contacts.label, missing: contacts.missing },
        ...Array.from({ length: rows }, (_, row) =>
          CONTACT_MEMBERS.map((member) => {
            const { label, missing, maxLength } = contacts.fields[member];
            return { pointer: contactPointer(row, member), step, label, missing, maxLength };
          }),
        ).flat(),
      ]
    : [];
  const asked = fields.filter(({ isHidden }) => !isHidden);
  const order = (key: StepKey) => asked.filter((field) => field.step === key);
  const contactFields = order('contact');
  return [
    ...order('policy'),
    ...order('incident'),
    ...contactFields.filter(({ isQuestion }) => !isQuestion),
    ...members,
    ...contactFields.filter(({ isQuestion }) => isQuestion),
    ...(confirmation ? [confirmation] : []),
  ];
}

/** Returns the fields as the scripts of a page without a form need them: to show what was typed. */
export function answerFields({ fields }: FormModel): AskedField[] {
  return fields.map(({ pointer, step, label, lang, isDate, options }) => ({
    pointer,
    step,
    label,
    ...(lang && { lang }),
    missing: '',
    isRequired: false,
    ...(isDate && { isDate }),
    ...(options && { options }),
  }));
}
