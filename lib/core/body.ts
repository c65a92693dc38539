// Request bodies: content type, decoding and secure JSON parsing. Adapters bound the size, this gives the meaning.
import sjson from 'secure-json-parse';
import { chain } from './awaitable.js';
import { ClaimlinkError, invalidBody } from './errors.js';
import { type CoreRequest, headerOf } from './http.js';
import type { Awaitable } from './types.js';

const JSON_TYPES = ['application/json'] as const;
const FORM_TYPES = ['application/x-www-form-urlencoded'] as const;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const PROTOTYPE_POISONING = { protoAction: 'error', constructorAction: 'error' } as const;

/** The media type of a request, lower case, without parameters; undefined without a header. */
export function mediaTypeOf(request: CoreRequest): string | undefined {
  return headerOf(request, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

/**
 * The body as JSON.
 * @throws `content_type_unsupported` unless it is application/json in UTF-8, `request_invalid` for what is no JSON
 * or holds a `__proto__` or `constructor.prototype` member, and whatever the adapter's reader throws.
 */
export function readJson(request: CoreRequest): Awaitable<unknown> {
  assertMediaType(request, JSON_TYPES);
  return obtain(request, parseJson);
}

function parseJson(body: unknown): unknown {
  try {
    if (typeof body === 'string')
      return isSuspicious(body) ? sjson.parse(body, null, PROTOTYPE_POISONING) : JSON.parse(body);
    // A parser of the host's may have let poisoned members through.
    if (typeof body === 'object' && body !== null) sjson.scan(body, PROTOTYPE_POISONING);
    return body;
  } catch (error) {
    throw notJson(error);
  }
}

/** Whether a text may name a prototype, if only by escapes: most do not, and need not be searched for how. */
function isSuspicious(text: string): boolean {
  return (
    text.includes('__proto__') ||
    text.includes('constructor') ||
    text.includes('\\u') ||
    text.startsWith('\ufeff')
  );
}

/**
 * The body as form fields.
 * @throws `content_type_unsupported` unless it is application/x-www-form-urlencoded, and whatever the reader throws.
 */
export function readForm(request: CoreRequest): Awaitable<URLSearchParams> {
  assertMediaType(request, FORM_TYPES);
  return obtain(request, parseForm);
}

function parseForm(body: unknown): URLSearchParams {
  if (typeof body === 'string') return new URLSearchParams(body);
  const fields = new URLSearchParams();
  if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) {
      const first: unknown = Array.isArray(value) ? value[0] : value;
      if (typeof first === 'string') fields.append(name, first);
    }
  }
  return fields;
}

/** @throws `content_type_unsupported` unless the request's media type is one of these, in UTF-8 and not compressed. */
export function assertMediaType(request: CoreRequest, accepted: readonly string[]): void {
  const encoding = headerOf(request, 'content-encoding');
  if (request.headers['content-type'] === accepted[0] && encoding === undefined) return;
  const mediaType = mediaTypeOf(request);
  if (mediaType === undefined || !accepted.includes(mediaType)) {
    throw new ClaimlinkError(
      'content_type_unsupported',
      `Send the body with Content-Type: ${accepted.join(' or ')}.`,
    );
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headerOf(request, 'content-type') ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new ClaimlinkError('content_type_unsupported', 'Send the body in UTF-8.');
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ClaimlinkError('content_type_unsupported', 'Send the body without Content-Encoding.');
  }
}

/** What `parse` makes of the body: bytes decoded, an absent one as the empty string, a parsed one as it is. */
function obtain<T>({ body }: CoreRequest, parse: (body: unknown) => T): Awaitable<T> {
  if (typeof body !== 'function') return parse(decode(body));
  return chain(body() as Awaitable<unknown>, (given) => parse(decode(given)));
}

function decode(body: unknown): unknown {
  if (body === undefined || body === null) return '';
  if (!(body instanceof Uint8Array)) return body;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = bytes.toString('utf8');
  // What is no UTF-8 has become U+FFFD, which may also have been sent, and a byte order mark has to go: rare, and left
  // to the decoder, which is strict and slower.
  if (!text.includes('\ufffd') && !text.startsWith('\ufeff')) return text;
  try {
    return utf8.decode(body);
  } catch {
    throw invalidBody([{ pointer: '', rule: 'utf8', detail: 'must be UTF-8' }]);
  }
}

function notJson(error: unknown): ClaimlinkError {
  const isPoisoned = error instanceof Error && error.message.includes('forbidden prototype');
  const detail = isPoisoned ? 'must not have __proto__ or constructor.prototype members' : 'must be JSON';
  return invalidBody([{ pointer: '', rule: isPoisoned ? 'json_prototype' : 'json', detail }]);
}
