// The bounded reader of the Node adapters: a body up to a limit, or an error, but never a hang.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { ClaimlinkError } from '../core/errors.js';

/** Largest body, when the adapter is given no `bodyLimitBytes`. */
export const DEFAULT_BODY_LIMIT_BYTES = 65_536;

/** @throws `options_invalid` unless the limit is a whole number of bytes from 1024 to 10 MiB. */
export function resolveBodyLimit(bodyLimitBytes: number = DEFAULT_BODY_LIMIT_BYTES): number {
  if (Number.isInteger(bodyLimitBytes) && bodyLimitBytes >= 1024 && bodyLimitBytes <= 10_485_760)
    return bodyLimitBytes;
  const detail = 'must be a whole number of bytes, 1024 to 10485760';
  throw new ClaimlinkError('options_invalid', `claimlink options: bodyLimitBytes ${detail}.`, {
    details: [{ pointer: '/bodyLimitBytes', rule: 'value', detail }],
  });
}

/** @throws `body_too_large` when the headers already say so. */
export function assertDeclaredLength(headers: IncomingHttpHeaders, limitBytes: number): void {
  if (Number(headers['content-length']) > limitBytes) throw tooLarge(limitBytes);
}

/**
 * Reads a stream to its end.
 * @throws `body_too_large` as soon as the limit is passed, without reading the rest; `request_aborted` when the
 * stream closes or fails before its end.
 */
export function readStream(stream: Readable, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    // The listeners stay when it is over, and hold nothing: taking four off costs more than four that do nothing.
    let isOver = false;

    function onData(chunk: Buffer | string): void {
      if (isOver) return;
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      length += bytes.length;
      chunks.push(bytes);
      if (length <= limitBytes) return;
      isOver = true;
      chunks = [];
      stream.pause();
      reject(tooLarge(limitBytes));
    }
    function onEnd(): void {
      if (isOver) return;
      isOver = true;
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks, length));
      chunks = [];
    }
    /** Also hears what fails later, which is nobody's: an unheard error would end the process. */
    function onLost(): void {
      if (isOver) return;
      isOver = true;
      chunks = [];
      reject(new ClaimlinkError('request_aborted'));
    }

    if (stream.destroyed) onLost();
    else stream.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}

/** A body over the limit. */
export function tooLarge(limitBytes: number): ClaimlinkError {
  return new ClaimlinkError('body_too_large', `The body must not be larger than ${limitBytes} bytes.`);
}
