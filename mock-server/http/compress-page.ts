// Compresses pages. JSON is sent uncompressed, and so is a response with a fault: its bytes are what the fault says.
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import Negotiator from 'negotiator';
import type { CoreResponse } from '../../lib/index.js';
import { FAULT_HEADER } from './fault-response.js';

/** The header is read up to here: the time of Negotiator grows with the number of its values. */
const NEGOTIATED_LENGTH = 1024;

/** How a page is sent. */
interface EncodedPage {
  headers: Record<string, string>;
  /** Absent: as text, or the request is a HEAD. */
  bytes?: Buffer;
}

/**
 * Returns how a page is sent, by Accept-Encoding (RFC 9110, 12.5.3), or undefined for a response that is never compressed. A
 * caller that accepts neither gzip nor identity gets the page uncompressed: it tells more than a 406.
 */
export function encodePage(
  request: IncomingMessage,
  { headers, body }: CoreResponse,
): EncodedPage | undefined {
  if (!headers['content-type']?.startsWith('text/html') || FAULT_HEADER in headers) return undefined;
  const accepted = String(request.headers['accept-encoding'] ?? '').slice(0, NEGOTIATED_LENGTH);
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } });
  if (negotiator.encoding(['gzip', 'identity']) !== 'gzip') return { headers };
  const { 'content-length': _, ...others } = headers;
  const encoded = { ...others, 'content-encoding': 'gzip' };
  // A HEAD has no page to compress, and need not have its length (RFC 9110, 9.3.2).
  if (body === '') return { headers: encoded };
  const bytes = gzipSync(body);
  return { headers: { ...encoded, 'content-length': String(bytes.length) }, bytes };
}
