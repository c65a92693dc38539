// The form in which a response body is sent.
import type { ServerResponse } from 'node:http';
import type { CoreResponse } from '../http/messages.js';

/**
 * Returns the cached bytes of a body, or its text. An interim response, such as `100 Continue`, waits until the responses
 * to earlier requests of the connection are sent. Node then puts the head of bytes before it, and the head of text behind
 * it (Node 20 to 26), so text is sent.
 */
export function bodyToSend(
  { writableLength }: ServerResponse,
  { body, bytes }: CoreResponse,
): string | Uint8Array {
  return writableLength === 0 ? (bytes ?? body) : body;
}
