// Checks a client before it is stored.
import { type AllowedOptions, assertOptions, mustBeBoolean, type OptionChecks } from './assert-options.js';
import { assertCallbackOrigins, isUrlText, isWebUrl } from './callback-url.js';
import { isCanonicalTag } from './client-form.js';
import { contrast, isHexColour, MIN_CONTRAST, withContrast } from './colour.js';
import { invalidParameter } from './errors.js';
import { isPlainObject } from './plain-data.js';
import { SETTINGS, type Setting, type SettingTable } from './settings.js';
import type { Branding, Client } from './types.js';
import { parseUrl } from './url.js';
import { assertClientId, assertObject, labelProblem } from './validators.js';

const WHITE = '#ffffff';
const MAX_LOCALE_LENGTH = 100;
const MAX_ORIGINS = 1000;

/** The members of `branding`, and their checks. */
export const BRANDING: OptionChecks<Branding> = {
  displayName: nameProblem,
  logoUrl: httpsUrlProblem,
  nameInLogo: mustBeBoolean,
  primaryColor: colourProblem,
  supportUrl: httpsUrlProblem,
  imprintUrl: httpsUrlProblem,
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
  assertSettings(settings);
}

/** Checks further settings. @throws `request_invalid` */
export function assertSettings(values: object, settings: SettingTable = SETTINGS): void {
  assertMembers('settings', values, Object.keys(settings));
  assertValues(values, Object.entries(settings));
}

function assertValues(
  values: object,
  settings: readonly (readonly [name: string, setting: Setting])[],
): void {
  for (const [name, { check }] of settings) {
    const value: unknown = Reflect.get(values, name);
    if (value !== undefined) check(value, `settings.${name}`);
  }
}

const CLAIM_SETTINGS = Object.entries(SETTINGS).filter(([, { decidesClaims }]) => decidesClaims);

/**
 * Returns whether this version of claimlink knows each member of the settings. A newer process may have stored others: a
 * claim that this version accepted could lack what they ask for.
 */
export function knowsSettings({ settings = {} }: Client): boolean {
  if (Object.keys(settings).some((name) => !Object.hasOwn(SETTINGS, name))) return false;
  try {
    assertValues(settings, CLAIM_SETTINGS);
    return true;
  } catch {
    return false;
  }
}

/** Checks an object that a client is stored with, against a closed list. @throws `request_invalid` */
function assertMembers<T extends object>(name: string, value: T, checks: AllowedOptions<T>): void {
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

/** White text on the colour, and text of the colour on white, must be readable. */
function colourProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !isHexColour(value)) return 'must be a colour such as #14508c';
  if (contrast(value, WHITE) >= MIN_CONTRAST) return undefined;
  return `must reach a contrast of ${MIN_CONTRAST}:1 against white; the nearest colour of this hue that does is ${withContrast(value, WHITE)}`;
}
