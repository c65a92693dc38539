// The body of a request that sends a photo.
import { ClaimlinkError, invalidHeader } from '../../core/errors.js';
import { isBytes } from '../../core/plain-data.js';
import { isCrossSite } from '../body.js';
import type { CoreRequest } from '../messages.js';

/** @throws `request_invalid` for the request of another site. */
export function assertSameSite(request: CoreRequest): void {
  if (!isCrossSite(request)) return;
  const detail = 'must not be cross-site: no page of another site sends photos';
  throw invalidHeader('sec-fetch-site', 'value', detail);
}

/** Returns the bytes of a body as they arrive, or at once from an adapter that cannot stream. @throws `body_consumed` */
export function bodyOf(request: CoreRequest): AsyncIterable<Uint8Array> {
  return request.stream?.() ?? wholeBody(request);
}

async function* wholeBody({ body }: CoreRequest): AsyncGenerator<Uint8Array, void, undefined> {
  const value: unknown = typeof body === 'function' ? await body() : body;
  if (value === undefined || value === null) return;
  if (!isBytes(value)) throw new ClaimlinkError('body_consumed');
  yield value;
}
