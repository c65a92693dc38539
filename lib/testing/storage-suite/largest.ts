// The largest records: every member that a storage keeps, each text at its maximum length.
import { CODE_MEMBERS, MAX_ANSWER_LENGTH } from '../../core/claim-fields.js';
import {
  claimSubmissionSchema,
  linkRequestSchema,
  MAX_EXTRA_BYTES,
  MAX_EXTRA_LEVELS,
  MAX_USER_ID_LENGTH,
} from '../../core/schemas.js';
import type { EventRecord } from '../../core/storage.js';
import type {
  AcceptedClaim,
  ApiKey,
  Branding,
  ClaimSubmission,
  Client,
  Incident,
  JsonObject,
  JsonValue,
  Link,
  LinkRequest,
  SelectedPolicy,
  SessionRecord,
} from '../../core/types.js';
import { END, hashOf, later, NOON } from './samples.js';

/** The characters that fill the texts. Ids and codes have no control characters, so they may have another one. */
export interface Filling {
  text: string;
  id: string;
}

/** Texts of the same number of UTF-16 code units, with more and more bytes. */
export const FILLINGS: readonly [what: string, filling: Filling][] = [
  ['ASCII', { text: 'x', id: 'x' }],
  ['four bytes and two code units a character', { text: '🚗', id: '🚗' }],
  ['three bytes a code unit', { text: '語', id: '語' }],
  ['six characters of JSON a code unit', { text: '\u0001', id: '"' }],
];

/** Every record with the members that it is inserted with, and each text at its maximum length. */
export interface LargestRecords {
  client: Client;
  apiKey: ApiKey;
  link: Link;
  session: SessionRecord;
  event: EventRecord;
}

/** The parts of a JSON Schema that decide how large a value may be. */
interface Schema {
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly enum?: readonly string[];
}

/** The beginning of a text of a claim: a text of control characters only counts as absent there. */
const VISIBLE = 'xx';
/** The beginning of a text by the name of its member: its value is one that claimlink accepts. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  email: 'a@',
  phone: '+123',
  link: 'https://example.com/',
  privacyPolicyUrl: 'https://example.com/',
  callbackUrl: 'https://example.com/',
};

/** The lists of a client have no maximum. */
const ORIGINS = Array.from({ length: 100 }, (_, index) => `https://app-${index}.example.com`);

/**
 * Returns the largest value that a schema of a request allows. A claim loses invisible characters. A prefill keeps them, and
 * so does a session that the host adds.
 */
function largest(schema: Schema, filling: Filling, isClaim: boolean, name = ''): unknown {
  const { type, properties, items, maxItems = 0, maxLength = 0, format } = schema;
  if (items) return Array.from({ length: maxItems }, () => largest(items, filling, isClaim));
  if (properties) {
    const members = Object.entries(properties);
    return Object.fromEntries(members.map(([key, member]) => [key, largest(member, filling, isClaim, key)]));
  }
  if (type === 'object') return largestExtra(filling.text);
  if (type === 'boolean') return true;
  if (type === 'integer') return Number.MAX_SAFE_INTEGER;
  if (schema.enum) return schema.enum[0];
  if (format === 'date') return '2026-12-31';
  const beginning = BEGINNINGS[name] ?? (isClaim ? VISIBLE : '');
  const isUrl = beginning.startsWith('https:');
  // Only a user id has two types.
  const isCode = isClaim && CODE_MEMBERS.has(name);
  const isText = typeof type === 'string' && !isUrl && !isCode;
  const character = isText ? filling.text : filling.id;
  return beginning + textOf(maxLength - beginning.length, character);
}

/** Returns a text of this number of UTF-16 code units. */
function textOf(length: number, character: string): string {
  return character.repeat(length / character.length);
}

/** Returns data of a host with the greatest number of bytes. */
function largestExtra(character: string): JsonObject {
  const bytes = MAX_EXTRA_BYTES - byteLength({ text: '' });
  const perCharacter = byteLength(character) - byteLength('');
  const text = character.repeat(bytes / perCharacter) + 'x'.repeat(bytes % perCharacter);
  return { text };
}

function byteLength(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Returns data of a host with the greatest number of levels: objects and arrays in turn. */
export function deepestExtra(): JsonObject {
  let value: JsonValue = 'x';
  for (let level = MAX_EXTRA_LEVELS; level > 0; level--) value = level % 2 === 0 ? [value] : { inner: value };
  return value as JsonObject;
}

/** Returns the largest link request and the largest claim that the service accepts. */
export function largestRequests(filling: Filling): { link: LinkRequest; claim: ClaimSubmission } {
  return {
    link: largest(linkRequestSchema, filling, false) as LinkRequest,
    claim: largestClaim(filling, true),
  };
}

function largestClaim(filling: Filling, isClaim: boolean): AcceptedClaim {
  const claim = largest(claimSubmissionSchema, filling, isClaim) as ClaimSubmission;
  // Without a form, a client has no list of incident types and no questions, and takes no photos.
  const { type: _, answers: __, photos: ___, ...incident } = claim.incident ?? {};
  return { ...claim, incident: { ...incident, time: '23:59' } };
}

/** Returns the incident with as many answers and photos as a claim can have, and the longest ones. */
function largestIncident(incident: Incident, filling: Filling): Incident {
  const keys = Array.from({ length: 20 }, (_, index) => `q${index}`.padEnd(50, 'a'));
  const answers = Object.fromEntries(
    keys.map((key) => [key, textOf(MAX_ANSWER_LENGTH.textarea, filling.text)]),
  );
  const photos = Array.from({ length: 50 }, (_, index) => ({
    id: hashOf(index),
    type: 'image/jpeg' as const,
    size: 52_428_800,
    name: textOf(200, filling.text),
  }));
  return { ...incident, type: 'a'.repeat(50), answers: { ...answers, [keys[0] ?? '']: true }, photos };
}

/** Returns the largest records. */
export function largestRecords(filling: Filling): LargestRecords {
  const { link } = largestRequests(filling);
  const claim = largestClaim(filling, false);
  const id = textOf(100, filling.id);
  const userId = textOf(MAX_USER_ID_LENGTH, filling.id);
  const text = textOf(100, filling.text);
  const url = largest({ type: 'string', maxLength: 2048 }, filling, false, 'link') as string;
  const { incident = {}, extra = {} } = claim;
  const branding: Branding = {
    displayName: text,
    logoUrl: url,
    nameInLogo: true,
    primaryColor: '#7a1f5c',
    supportUrl: url,
    imprintUrl: url,
  };
  return {
    client: {
      clientId: id,
      name: text,
      callbackOrigins: ORIGINS,
      locale: 'de-Latn-DE-1996-u-co-phonebk-nu-latn',
      branding,
      frameAncestors: ORIGINS,
      settings: {
        redirectAfterSeconds: 300,
        form: {
          fields: { '/policy/vehicle/licensePlate': 'hidden' },
          questions: [
            {
              key: 'q0',
              step: 'incident',
              kind: 'textarea',
              texts: { en: { label: textOf(200, filling.text) } },
            },
          ],
          noticeConfirmation: true,
          texts: { de: { introduction: textOf(2000, filling.text) } },
        },
      },
    },
    apiKey: {
      id,
      clientId: id,
      hash: hashOf(1),
      hint: id,
      createdAt: NOON,
      expiresAt: later(1),
      revokedAt: later(2),
    },
    link: {
      accessCodeHash: hashOf(1),
      clientId: id,
      userId,
      callbackUrl: link.callbackUrl,
      callbackOnSubmit: true,
      config: link.config,
      createdAt: NOON,
      expiresAt: END,
    },
    session: {
      clientId: id,
      userId,
      reference: id,
      date: later(7),
      camsReference: id,
      status: id,
      createdAt: NOON,
      selectedPolicy: claim.policy as SelectedPolicy,
      incident: largestIncident(incident, filling),
      extra,
      link: { linkId: hashOf(1), extra },
      notice: { url, at: later(7), accepted: true },
    },
    event: {
      clientId: id,
      reference: id,
      id: textOf(36, 'e'),
      attempts: 20,
      nextAttemptAt: later(1),
      failedAt: later(2),
      reason: textOf(200, 'E'),
    },
  };
}
