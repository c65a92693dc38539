// The form in which a response body is sent.
import type { ServerResponse } from 'node:http';
import { ClaimlinkError } from '../core/errors.js';
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

/**
 * Returns the chunks of a streamed response. A failure goes to `report`, and the caller gets an error that names no cause: a
 * host may show it to the client. A body of another length is a failure: the client would wait for the rest of it.
 */
export async function* chunksToSend(
  stream: AsyncIterable<Uint8Array>,
  headers: CoreResponse['headers'],
  report: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  let rest = Number(headers['content-length']);
  /** Reads the next chunk. Only its own failures are reported, and not that the client has gone. */
  async function readChunk(): Promise<Uint8Array | undefined> {
    try {
      const result = await iterator.next();
      rest -= result.done ? 0 : result.value.length;
      if (rest < 0 || (result.done && rest > 0))
        throw new RangeError('The streamed body does not have the length that its response declares.');
      return result.done ? undefined : result.value;
    } catch (error) {
      report(error);
      throw new ClaimlinkError('internal');
    }
  }
  try {
    for (let chunk = await readChunk(); chunk !== undefined; chunk = await readChunk()) yield chunk;
  } finally {
    await iterator.return?.();
  }
}
