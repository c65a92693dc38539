// What the form of a client asks, in one language: its fields, its questions and its texts.
import {
  CLAIM_FIELDS,
  type ClaimField,
  FIELDS,
  type FieldNeed,
  type FieldShape,
  MAX_ANSWER_LENGTH,
  needOf,
  PERSON,
} from '../core/claim-fields.js';
import { answerPointer, stepOf } from '../core/client-form.js';
import { photosOf, type ResolvedFormPhotos } from '../core/photo-settings.js';
import type {
  ClientForm,
  EmergencyCall,
  FormChoice,
  FormQuestion,
  FormTexts,
  TextsByLanguage,
} from '../core/types.js';
import {
  type AskedField,
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  type ContactMember,
  contactPointer,
  NOTICE_POINTER,
  PHOTOS_POINTER,
  STEP_KEYS,
  type StepKey,
  withoutMark,
} from './fields.js';
import type { Language } from './locales/languages.js';
import { fillIn, type Texts } from './locales/texts.js';

/** Kind of an input. */
export type FieldKind = 'text' | 'email' | 'tel' | 'date' | 'time' | 'textarea' | 'select' | 'radio';

/** A longer list to choose from does not show all its options at once. */
const MAX_RADIOS = 5;

/** What an input looks like. */
interface InputShape {
  /** Default: one line of text. */
  kind?: FieldKind | undefined;
  maxLength?: number | undefined;
  /** Autofill field name of the HTML standard. Default: that of the form, `off`. */
  autocomplete?: string | undefined;
  /** The text is a code: upper case, without spell checking. */
  code?: boolean;
}

type SingleField = Exclude<ClaimField, typeof CONTACTS_POINTER>;

/** What the page adds to a field of the claim. */
interface FieldTexts {
  /** Its texts: the label, and what to do if it is empty. */
  text: keyof Texts['fields'];
  hint?: keyof Texts['form'];
  autocomplete?: string;
}

const FIELD_TEXTS: Readonly<Record<SingleField, FieldTexts>> = {
  '/policy/provider': { text: 'provider' },
  '/policy/number': { text: 'policyNumber' },
  '/policy/validFrom': { text: 'validFrom' },
  '/policy/validTo': { text: 'validTo' },
  '/policy/vehicle/licensePlate': { text: 'licensePlate' },
  '/incident/date': { text: 'incidentDate' },
  '/incident/time': { text: 'incidentTime' },
  '/incident/place': { text: 'place' },
  '/incident/type': { text: 'incidentType' },
  '/incident/description': { text: 'description', hint: 'descriptionHint' },
  '/incident/injured': { text: 'injured' },
  '/incident/policeReference': { text: 'policeReference' },
  '/incident/otherVehicle/licensePlate': { text: 'otherLicensePlate' },
  '/incident/otherVehicle/insurer': { text: 'otherInsurer' },
  '/policy/holder/firstName': { text: 'firstName', autocomplete: 'given-name' },
  '/policy/holder/lastName': { text: 'lastName', autocomplete: 'family-name' },
  '/policy/holder/phone': { text: 'phone', autocomplete: 'tel' },
  '/policy/holder/email': { text: 'email', autocomplete: 'email' },
};

/** The inputs of the kinds that are not one line of text. */
const INPUTS: Readonly<Partial<Record<FieldShape['kind'], InputShape & { isBoolean?: boolean }>>> = {
  textarea: { kind: 'textarea' },
  code: { code: true },
  email: { kind: 'email' },
  phone: { kind: 'tel' },
  date: { kind: 'date' },
  time: { kind: 'time' },
  choice: { kind: 'select' },
  boolean: { kind: 'radio', isBoolean: true },
};

/** Returns the input of a field of the claim. Its limit is that of the JSON Schema. */
function inputOf(field: FieldShape): InputShape & { isBoolean?: boolean } {
  return { ...INPUTS[field.kind], ...('maxLength' in field && { maxLength: field.maxLength }) };
}

/** A field of the form that is no contact. */
export interface FormField extends AskedField, InputShape {
  hint?: string | undefined;
  /** Language of the hint, if it is neither that of the label nor that of the page. */
  hintLang?: string | undefined;
  /** The value of a field that the form does not ask, unless the link prefills it. */
  preset?: string | undefined;
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

/** The photos of a form. */
export interface PhotosModel extends MessageField, Omit<ResolvedFormPhotos, 'need'> {
  isRequired: boolean;
}

/** What a form asks. */
export interface FormModel {
  /** In the order of the form, also those that it does not ask. */
  fields: readonly FormField[];
  /** Absent if the form does not ask for contacts. */
  contacts: ContactsModel | undefined;
  /** Absent if the form takes no photos. */
  photos: PhotosModel | undefined;
  /** Pointers of the fields, and of the list of contacts, in the order of the form. */
  order: readonly string[];
  /** The step with the privacy policy and its confirmation. */
  noticeStep: StepKey;
  /** The confirmation of the privacy policy, if the client and the link ask for one. */
  confirmation: MessageField | undefined;
  /** The call for help, if the client has one. */
  emergency: Required<EmergencyCall> | undefined;
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

function optionsOf(choices: readonly FormChoice[], locale: string) {
  return choices.map(({ key, texts }) => {
    const { text = key, lang } = textIn(texts, locale);
    return [key, text, lang] as const;
  });
}

function choiceKind(options: readonly unknown[] = []): FieldKind {
  return options.length > MAX_RADIOS ? 'select' : 'radio';
}

export const COVER: readonly string[] = ['/policy/validFrom', '/policy/validTo'];

/** Moves the members of a group to the first of them. */
function together(pointers: readonly string[], isMember: (pointer: string) => boolean): string[] {
  const [first] = pointers.filter(isMember);
  return pointers.flatMap((pointer) => {
    if (pointer === first) return pointers.filter(isMember);
    return isMember(pointer) ? [] : pointer;
  });
}

/** Returns the pointers of a step: those that the client names first, then the others. */
function orderOf(form: ClientForm | undefined, step: StepKey, fields: readonly FormField[]): string[] {
  if (step === 'review') return [];
  const named = (form?.order?.[step] ?? []).map((name) =>
    name.startsWith('/') ? name : answerPointer(name),
  );
  const asked = fields.filter((field) => field.step === step);
  const others = [
    ...asked.filter(({ isQuestion }) => !isQuestion).map(({ pointer }) => pointer),
    ...(step === 'contact' ? [CONTACTS_POINTER] : []),
    ...asked.filter(({ isQuestion }) => isQuestion).map(({ pointer }) => pointer),
  ].filter((pointer) => !named.includes(pointer));
  const pointers = together([...named, ...others], (pointer) => COVER.includes(pointer));
  return together(pointers, (pointer) => pointer.startsWith('/policy/holder/'));
}

const PROVIDER = '/policy/provider';
export const INJURED = '/incident/injured';
/** The fields in the order of the form: in its step, safety comes first. */
const FORM_ORDER = [INJURED, ...CLAIM_FIELDS.filter((field) => field !== INJURED)].filter(
  (field): field is SingleField => field !== CONTACTS_POINTER,
);

/** Returns the need of a field. A form that asks nothing else about the incident asks for injured people only if it says so. */
function needIn(form: ClientForm | undefined, field: ClaimField): FieldNeed {
  const isAlone =
    field === INJURED &&
    form?.fields?.[field] === undefined &&
    !form?.questions?.some(({ step }) => step === 'incident') &&
    CLAIM_FIELDS.every(
      (other) => other === field || !other.startsWith('/incident/') || needOf(form, other) === 'hidden',
    );
  return isAlone ? 'hidden' : needOf(form, field);
}

/**
 * Returns what the form of a client asks.
 * @param link For a form that is shown: its privacy policy, and the name of the client.
 */
export function formModel(
  form: ClientForm | undefined,
  { locale, texts }: Language,
  link: {
    privacyPolicyUrl?: string | undefined;
    clientName?: string | undefined;
    initialStepKey?: string | undefined;
  } = {},
): FormModel {
  const { text: clientTexts = {}, lang: clientLang } = textIn(form?.texts ?? {}, locale);
  const yesOrNo = [
    ['true', texts.form.yes],
    ['false', texts.form.no],
  ] as const;

  function knownField(pointer: SingleField): FormField {
    const { text, hint, autocomplete } = FIELD_TEXTS[pointer];
    const input = inputOf(FIELDS[pointer]);
    const preset =
      pointer === PROVIDER && form?.fields?.[pointer] === undefined ? link.clientName : undefined;
    const need = preset === undefined ? needIn(form, pointer) : 'hidden';
    const options = input.isBoolean
      ? yesOrNo
      : pointer === '/incident/type'
        ? optionsOf(form?.incidentTypes ?? [], locale)
        : undefined;
    const ownHint = pointer === '/policy/number' ? clientTexts.policyNumber : undefined;
    return {
      ...input,
      ...texts.fields[text],
      autocomplete,
      pointer,
      step: stepOf(pointer),
      isRequired: need === 'required',
      isHidden: need === 'hidden',
      isDate: input.kind === 'date',
      preset,
      hint: ownHint ?? (hint && fillIn(texts.form[hint], { max: input.maxLength ?? '' })),
      hintLang: ownHint && clientLang,
      kind: options ? choiceKind(options) : input.kind,
      options,
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
    const choices = kind === 'boolean' ? yesOrNo : options && optionsOf(options, locale);
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
      kind: kind === 'boolean' || kind === 'choice' ? choiceKind(choices) : kind,
      maxLength: kind === 'text' || kind === 'textarea' ? MAX_ANSWER_LENGTH[kind] : undefined,
      options: choices,
    };
  }

  const standard = FORM_ORDER.map(knownField);
  const questions = (form?.questions ?? []).map(questionField);
  const all = [...standard, ...questions];
  const order = STEP_KEYS.flatMap((step) => orderOf(form, step, all));
  const fields = order.flatMap((pointer) => all.find((field) => field.pointer === pointer) ?? []);
  const people = contactsModel(form, texts, clientTexts, clientLang);
  const photos = photosModel(form, texts);
  const steps = stepsOf({ fields, contacts: people, photos });
  const begin = steps.find((step) => step === link.initialStepKey) ?? steps[0];
  const noticeStep = (form?.noticePlace === 'first' && begin) || 'review';
  return {
    fields,
    order,
    noticeStep,
    contacts: people,
    photos,
    confirmation:
      form?.noticeConfirmation && link.privacyPolicyUrl !== undefined
        ? { ...texts.fields.notice, pointer: NOTICE_POINTER, step: noticeStep }
        : undefined,
    emergency: form?.emergency && { phone: '112', first: false, ...form.emergency },
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
    const isEmail = member === 'email';
    const isPhone = member === 'phone';
    return [
      member,
      {
        ...inputOf(PERSON[member]),
        ...texts.fields[member],
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

function photosModel(
  form: ClientForm | undefined,
  { photos: { label, missing } }: Texts,
): PhotosModel | undefined {
  const { need, ...limits } = photosOf(form && { form });
  if (need === 'hidden') return undefined;
  return {
    pointer: PHOTOS_POINTER,
    step: 'incident',
    label,
    missing,
    isRequired: need === 'required',
    ...limits,
  };
}

/** Returns the steps that ask something, and the last one, in their order. */
export function stepsOf({
  fields,
  contacts,
  photos,
}: Pick<FormModel, 'fields' | 'contacts' | 'photos'>): StepKey[] {
  return STEP_KEYS.filter(
    (key) =>
      key === 'review' ||
      (key === 'contact' && contacts !== undefined) ||
      key === photos?.step ||
      fields.some(({ step, isHidden }) => step === key && !isHidden),
  );
}

/** A field that a message belongs to. */
export type MessageField = Pick<AskedField, 'pointer' | 'label' | 'missing' | 'maxLength'> & {
  step: StepKey;
};

/** Returns the fields that a message can stand beside: those that the form asks, and this many rows of contacts. */
export function messageFields(
  { fields, order, contacts, confirmation, photos }: FormModel,
  rows: number,
): MessageField[] {
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
  const asked = order.flatMap<MessageField>((pointer) =>
    pointer === CONTACTS_POINTER
      ? members
      : fields.filter((field) => field.pointer === pointer && !field.isHidden),
  );
  return STEP_KEYS.flatMap((key) => [
    ...(confirmation?.step === key ? [confirmation] : []),
    ...asked.filter((field) => field.step === key),
    ...(photos?.step === key ? [photos] : []),
  ]);
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
