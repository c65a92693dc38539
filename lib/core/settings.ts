// The settings of a client, one entry each. The types, the checks, the JSON Schema of a scenario, the flags of the command
// line and the table of docs/client-settings.md are made of it. The comment of an entry becomes the end of the comment of its type.
import { mustBeBoolean, mustBeWhole } from './assert-options.js';
import { accepts, assertClientForm, assertRecipientQuestion, type FormCheck, oneOf } from './client-form.js';
import { invalidParameter } from './errors.js';
import { photosOf } from './photo-settings.js';
import { isPlainObject } from './plain-data.js';
import { type ClientForm, RECIPIENT_MEMBERS } from './types.js';

/** What a setting of a client does. */
export interface SettingText {
  /** Type of its values, in TypeScript. */
  type: string;
  /** What it does, in Markdown. Flags and schemas have the first sentence, without links and marks. */
  effect: string;
  /** What holds without it, in Markdown. */
  default?: string;
  /** Types of its values in JSON. Absent for values with members: the mock has their schema, the command line their flags. */
  json?: string | readonly string[];
  /** The flag that sets it. Default: the name of the setting with true or false. */
  flag?: string;
}

/** One setting of a client. */
export interface Setting extends SettingText {
  /** Throws `request_invalid` for a value that is not valid. */
  check: FormCheck;
  /** true: a process takes no claim of a client whose value it rejects. A newer process may have stored it. */
  decidesClaims?: true;
  /** What a value needs of a service, unless it is false. */
  needs?: SettingNeeds;
}

/** What a setting needs of a service. */
export interface SettingNeeds {
  storage?: 'CheckStorage' | 'LifeStorage';
  signer?: 'derive';
  /** Whether a value needs `checkRecipient`. */
  checkRecipient?: (value: unknown) => boolean;
  /** Whether a value needs the option `photos`. */
  photos?: (value: unknown) => boolean;
}

/** The texts of settings, or the settings themselves. */
export type SettingTexts = Readonly<Record<string, SettingText>>;

export type SettingTable = Readonly<Record<string, Setting>>;

/** Returns a setting that is true or false. */
export function onOff(setting: Pick<Setting, 'effect' | 'needs'>): Setting {
  return { type: 'boolean', json: 'boolean', default: 'false', check: accepts(mustBeBoolean), ...setting };
}

const checkRedirectSeconds = accepts(mustBeWhole(5, 300, "'never' or a whole number of seconds"));

export const SETTINGS: SettingTable = {
  redirectAfterSeconds: {
    type: "number | 'never'",
    effect:
      "seconds after which the success page goes on to the callback by itself, 5 to 300, or `'never'`. Any activity of the user ends the countdown",
    default: '60',
    json: ['number', 'string'],
    check(value, path) {
      if (value !== 'never') checkRedirectSeconds(value, path);
    },
    flag: '--redirect-after <seconds|never>',
  },
  /**
   * A list has members of the prefill, 1 to 5 different ones: the page asks for the first one that the link prefills. If the link
   * prefills none of them, no prefill is shown. Do not name the address or the number that you send the link to.
   *
   * A question of your own is answered by `checkRecipient` of `createClaimlink`, also for links without prefill.
   */
  recipientCheck: {
    type: 'readonly RecipientMember[] | RecipientQuestion',
    effect:
      'members of the prefill: [the page asks for one](#ask-the-recipient) before it shows any. Or [a question of yours](#ask-a-question-of-your-own)',
    default: 'it asks nothing',
    check: assertRecipientCheck,
    decidesClaims: true,
    needs: { storage: 'CheckStorage', signer: 'derive', checkRecipient: isPlainObject },
  },
  /** It adds 3 kB to the page with a compact token, 10 kB with a JWS. */
  continueOnPhone: onOff({
    effect: 'true shows [a QR code of the link](pages.md#continue-on-a-phone) on the form in wide windows',
  }),
  /** The recipient says why. */
  allowDecline: onOff({
    effect:
      'true shows [*This is not for me*](pages.md#decline) on the form and the question: it revokes the link',
    needs: { storage: 'LifeStorage' },
  }),
  keepDraft: {
    type: "'tab' | 'device'",
    effect:
      "`'device'` keeps [what is typed](pages.md#keep-the-text-on-the-device) on the device, `'tab'` in the tab",
    default: 'tab',
    json: 'string',
    check: oneOf('tab', 'device'),
    flag: '--keep-draft <tab|device>',
  },
  /** Default: the form that docs/client-settings.md shows. At most 64 KiB as JSON. */
  form: {
    type: 'ClientForm',
    effect: 'what the claim form asks: [the form of a client](#the-form-of-a-client)',
    check: assertClientForm,
    decidesClaims: true,
    needs: { photos: (form) => photosOf({ form: form as ClientForm }).need !== 'hidden' },
  },
};

/** Returns what needs something for a setting, for messages. */
export const settingCause = (name: string) => `the client setting ${name}`;

/** Returns the first sentence of a Markdown text, without links and marks. */
export function plainText(markdown: string): string {
  return (markdown.split('. ', 1)[0] ?? '')
    .replaceAll(/\[(.*?)\]\(.*?\)/g, '$1')
    .replaceAll(/\*(.*?)\*/g, '"$1"')
    .replaceAll(/`'?(.*?)'?`/g, '$1');
}

/** Checks the setting `recipientCheck`: a list of members, or a question. @throws `request_invalid` */
function assertRecipientCheck(value: unknown, path: string): void {
  if (isPlainObject(value)) {
    assertRecipientQuestion(value, path);
    return;
  }
  const members: readonly unknown[] = RECIPIENT_MEMBERS;
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((member) => members.includes(member)) &&
    new Set(value).size === value.length;
  if (isList) return;
  const detail = `must be a list of different members: ${RECIPIENT_MEMBERS.join(', ')}; or a question`;
  throw invalidParameter(path, 'value', detail);
}
