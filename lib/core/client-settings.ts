// Checks a client before it is stored.
import { anyValue, assertOptions, mustBeBoolean, mustBeWhole, type OptionChecks } from './assert-options.js';
import { assertCallbackOrigins, isUrlText, isWebUrl } from './callback-url.js';
import { assertClientForm, assertRecipientQuestion, isCanonicalTag } from './client-form.js';
import { contrast, isHexColour, MIN_CONTRAST, withContrast } from './colour.js';
import { invalidParameter } from './errors.js';
import { isPlainObject } from './plain-data.js';
import { type Branding, type Client, type ClientSettings, RECIPIENT_MEMBERS } from './types.js';
import { parseUrl } from './url.js';
import { assertClientId, assertObject, labelProblem } from './validators.js';

const WHITE = '#ffffff';
const MAX_LOCALE_LENGTH = 100;
const MAX_ORIGINS = 1000;

/** The members of `branding`, and their checks. */
export const BRANDING: OptionChecks<Branding> = {
  displayName: nameProblem,
  logoUrl: httpsUrlProblem,
  primaryColor: colourProblem,
  supportUrl: httpsUrlProblem,
  imprintUrl: httpsUrlProblem,
};

const redirectSecondsProblem = mustBeWhole(5, 300, "'never' or a whole number of seconds");

/** The members of `settings`, and their checks. */
export const SETTINGS: OptionChecks<ClientSettings> = {
  redirectAfterSeconds: (value) => (value === 'never' ? undefined : redirectSecondsProblem(value)),
  continueOnPhone: mustBeBoolean,
  allowDecline: mustBeBoolean,
  // The checks in `assertNested` name the place of a problem.
  form: anyValue,
  recipientCheck: anyValue,
};

/** The members of a client. */
export const MEMBERS = [
  'clientId',
  'name',
  'callbackOrigins',
  'locale',
  'branding',
  'frameAncestors',
  'settings',
] as const satisfies readonly (keyof Client)[];

/** Checks a client before it is stored. @throws `request_invalid` for an invalid id, an unknown or an invalid setting. */
export function assertClient(client: Client): void {
  assertObject(client, 'client');
  assertOptions(client, MEMBERS, { parameter: '' });
  assertClientId(client.clientId);
  assertClientSettings(client);
}

/**
 * Checks settings of a client: name, callback origins, locale, branding, frame ancestors and `settings`.
 * @throws `request_invalid` for a setting that is not valid.
 */
export function assertClientSettings(client: Partial<Client>): void {
  const { name, callbackOrigins = [], locale, branding = {}, frameAncestors = [], settings = {} } = client;
  const problem = name === undefined ? undefined : nameProblem(name);
  if (problem !== undefined) throw invalidParameter('name', 'value', problem);
  for (const [list, origins] of Object.entries({ callbackOrigins, frameAncestors })) {
    if (Array.isArray(origins) && origins.length <= MAX_ORIGINS) continue;
    throw invalidParameter(list, 'type', `must be a list of at most ${MAX_ORIGINS} origins`);
  }
  assertCallbackOrigins(callbackOrigins);
  if (locale !== undefined && !(isCanonicalTag(locale) && locale.length <= MAX_LOCALE_LENGTH)) {
    throw invalidParameter('locale', 'value', 'must be a BCP 47 language tag, such as de or pt-BR');
  }
  for (const origin of frameAncestors) {
    if (isUrlText(origin) && /^https?:\/\/[a-z0-9.:-]+$/.test(origin) && parseUrl(origin)?.origin === origin)
      continue;
    const detail = 'has an entry that is not an origin, such as https://app.example.com';
    throw invalidParameter('frameAncestors', 'value', detail);
  }
  assertMembers('branding', branding, BRANDING);
  assertMembers('settings', settings, SETTINGS);
  assertNested(settings);
}

/** Checks the settings that have members of their own. */
function assertNested({ form, recipientCheck }: ClientSettings): void {
  if (form !== undefined) assertClientForm(form, 'settings.form');
  if (recipientCheck !== undefined) assertRecipientCheck(recipientCheck, 'settings.recipientCheck');
}

/**
 * Returns whether this version of claimlink knows each member of the settings. A newer process may have stored others: a
 * claim that this version accepted could lack what they ask for.
 */
export function knowsSettings({ settings = {} }: Client): boolean {
  if (Object.keys(settings).some((name) => !Object.hasOwn(SETTINGS, name))) return false;
  try {
    assertNested(settings);
    return true;
  } catch {
    return false;
  }
}

/** Checks an object that a client is stored with, against a closed list. @throws `request_invalid` */
function assertMembers<T extends object>(name: string, value: T, checks: OptionChecks<T>): void {
  if (!isPlainObject(value)) throw invalidParameter(name, 'type', 'must be a plain object');
  assertOptions(value, checks, { parameter: name });
}

function nameProblem(value: unknown): string | undefined {
  if (labelProblem(value) === undefined) return undefined;
  return 'must be a text of 1 to 100 UTF-16 code units without control characters';
}

function httpsUrlProblem(value: unknown): string | undefined {
  const isHttps = isUrlText(value) && isWebUrl(value) && parseUrl(value)?.protocol === 'https:';
  return isHttps ? undefined : 'must be an https URL';
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

/** White text on the colour, and text of the colour on white, must be readable. */
function colourProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !isHexColour(value)) return 'must be a colour such as #14508c';
  if (contrast(value, WHITE) >= MIN_CONTRAST) return undefined;
  return `must reach a contrast of ${MIN_CONTRAST}:1 against white; the nearest colour of this hue that does is ${withContrast(value, WHITE)}`;
}
