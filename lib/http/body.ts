// Request bodies: media type, character decoding, JSON and form parsing. Adapters limit size and time.
import sjson from 'secure-json-parse';
import { ClaimlinkError, invalidBody } from '../core/errors.js';
import { isBytes, isError, isRecord } from '../core/plain-data.js';
import { type CoreRequest, headerOf } from './messages.js';

export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';
export const MULTIPART_TYPE = 'multipart/form-data';
const FORM_TYPES: readonly unknown[] = [FORM_TYPE, MULTIPART_TYPE];
const UTF8 = new TextDecoder('utf-8', { fatal: true });
const REJECT_PROTOTYPES = { protoAction: 'error', constructorAction: 'error' } as const;

/** Returns the media type of a request in lower case, without parameters. */
export function mediaTypeOf(request: CoreRequest): string | undefined {
  return headerOf(request, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

/** Returns whether a form was sent by a page of this service. */
export function isOwnForm(request: CoreRequest): boolean {
  return request.method === 'POST' && FORM_TYPES.includes(mediaTypeOf(request)) && !isCrossSite(request);
}

/** Returns whether a page of another site has sent a request. Browsers from before 2023 do not tell. */
export function isCrossSite(request: CoreRequest): boolean {
  return headerOf(request, 'sec-fetch-site') === 'cross-site';
}

/**
 * Reads the body as JSON.
 * @throws `content_type_unsupported` unless it is uncompressed application/json in UTF-8; `request_invalid` for
 * malformed JSON and for `__proto__` or `constructor.prototype` members; errors of the adapter's reader.
 */
export async function readJson(request: CoreRequest): Promise<unknown> {
  assertMediaType(request, JSON_TYPE);
  const body = await readBody(request);
  try {
    if (typeof body === 'string') return sjson.parse(body, null, REJECT_PROTOTYPES);
    // A body parser of the host may accept members that this one rejects.
    if (isRecord(body)) sjson.scan(body, REJECT_PROTOTYPES);
    return body;
  } catch (error) {
    const isPoisoned = isError(error) && error.message.includes('forbidden prototype');
    const detail = isPoisoned ? 'must not have __proto__ or constructor.prototype members' : 'must be JSON';
    throw invalidBody([{ pointer: '', rule: isPoisoned ? 'json_prototype' : 'json', detail }]);
  }
}

/**
 * Reads the body as form fields. If a body parser of the host made a field a list, the first value counts.
 * @throws `content_type_unsupported` unless it is uncompressed application/x-www-form-urlencoded in UTF-8; errors of
 * the adapter's reader.
 */
export async function readForm(request: CoreRequest): Promise<URLSearchParams> {
  assertMediaType(request, FORM_TYPE);
  const body = await readBody(request);
  if (typeof body === 'string') return new URLSearchParams(body);
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(body ?? {})) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string') fields.append(name, first);
  }
  return fields;
}

/** @throws `content_type_unsupported` unless a request has a media type, in UTF-8 and uncompressed. */
export function assertMediaType(request: CoreRequest, expected: string): void {
  if (mediaTypeOf(request) !== expected) throw unsupported(`Send the body with Content-Type: ${expected}.`);
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headerOf(request, 'content-type') ?? '')?.[1];
  if (!/^utf-?8$/i.test(charset ?? 'utf-8')) throw unsupported('Send the body in UTF-8.');
  const encoding = headerOf(request, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw unsupported('Send the body without Content-Encoding.');
}

/** Creates the error for a body of another type. */
export function unsupported(message: string): ClaimlinkError {
  return new ClaimlinkError('content_type_unsupported', message);
}

/** Returns the body as text, or as the value that a body parser of the host made of it. A missing body is ''. */
async function readBody(request: CoreRequest): Promise<unknown> {
  const body: unknown = typeof request.body === 'function' ? await request.body() : request.body;
  if (body === undefined || body === null) return '';
  if (!isBytes(body)) return body;
  try {
    return UTF8.decode(body);
  } catch {
    throw invalidBody([{ pointer: '', rule: 'utf8', detail: 'must be UTF-8' }]);
  }
}
