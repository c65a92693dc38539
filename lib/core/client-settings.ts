// Checks a client before it is stored.
import { nameHint } from './assert-options.js';
import { assertCallbackOrigins, isWebUrl } from './callback-url.js';
import { contrast, isHexColour, MIN_CONTRAST, withContrast } from './colour.js';
import { invalidParameter } from './errors.js';
import type { Branding, Client } from './types.js';
import { parseUrl } from './url.js';
import { assertClientId } from './validators.js';

const WHITE = '#ffffff';
const MAX_NAME_LENGTH = 100;
const MAX_URL_LENGTH = 2048;

type Check = (value: unknown) => string | undefined;

const BRANDING: Record<keyof Branding, Check> = {
  displayName: (value) =>
    isText(value, MAX_NAME_LENGTH)
      ? undefined
      : `must be a text of 1 to ${MAX_NAME_LENGTH} UTF-16 code units`,
  logoUrl: httpsUrlProblem,
  primaryColor: colourProblem,
  supportUrl: httpsUrlProblem,
  imprintUrl: httpsUrlProblem,
};

const MEMBERS = [
  'clientId',
  'name',
  'callbackOrigins',
  'locale',
  'branding',
  'frameAncestors',
] as const satisfies readonly (keyof Client)[];

/** Checks a client before it is stored. @throws `request_invalid` for an invalid id, an unknown or an invalid setting. */
export function assertClient(client: Client): void {
  for (const name of Object.keys(client)) {
    if ((MEMBERS as readonly string[]).includes(name)) continue;
    throw invalidParameter(
      name,
      'unknown_option',
      `is not a setting of a client (${nameHint(name, MEMBERS)})`,
    );
  }
  assertClientId(client.clientId);
  assertClientSettings(client);
}

/**
 * Checks the settings of a client: callback origins, locale, branding and frame ancestors.
 * @throws `request_invalid` for a setting that is not valid.
 */
export function assertClientSettings(client: Client): void {
  const { callbackOrigins, locale, branding = {}, frameAncestors = [] } = client;
  assertCallbackOrigins(callbackOrigins);
  if (locale !== undefined && !isLanguageTag(locale)) {
    throw invalidParameter('locale', 'value', 'must be a BCP 47 language tag, such as de or pt-BR');
  }
  for (const origin of frameAncestors) {
    if (/^https?:\/\/[a-z0-9.:-]+$/.test(origin) && parseUrl(origin)?.origin === origin) continue;
    const detail = 'has an entry that is not an origin, such as https://app.example.com';
    throw invalidParameter('frameAncestors', 'value', detail);
  }
  const checks = new Map<string, Check>(Object.entries(BRANDING));
  for (const [name, value] of Object.entries(branding)) {
    if (value === undefined) continue;
    const check = checks.get(name);
    if (check === undefined) throw invalidParameter('branding', 'unknown_option', `has no member ${name}`);
    const detail = check(value);
    if (detail !== undefined) throw invalidParameter(`branding.${name}`, 'value', detail);
  }
}

/** Returns whether a text is a BCP 47 language tag in its canonical form. */
export function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag;
  } catch {
    return false;
  }
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && value.isWellFormed();
}

function httpsUrlProblem(value: unknown): string | undefined {
  const isHttps = isText(value, MAX_URL_LENGTH) && isWebUrl(value) && parseUrl(value)?.protocol === 'https:';
  return isHttps ? undefined : 'must be an https URL';
}

/** White text on the colour, and text of the colour on white, must be readable. */
function colourProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !isHexColour(value)) return 'must be a colour such as #14508c';
  if (contrast(value, WHITE) >= MIN_CONTRAST) return undefined;
  return `must reach a contrast of ${MIN_CONTRAST}:1 against white; the nearest colour of this hue that does is ${withContrast(value, WHITE)}`;
}
