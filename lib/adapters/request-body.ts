// Reads request bodies within a size and a time limit. Every read ends with the body or an error.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { mustBeNumber, mustBeWhole, type OptionChecks } from '../core/assert-options.js';
import { ClaimlinkError } from '../core/errors.js';
import { withinTime } from '../core/time-limit.js';

/** Options that every adapter has. */
export interface BodyOptions {
  /** Maximum size of a request body in bytes: 1024 to 10_485_760. Default: 65_536. A larger body gets a 413. */
  bodyLimitBytes?: number;
  /** Maximum time for a request body to arrive, in seconds: 1 to 600. Default: 30. A slower body gets a 408. */
  bodyTimeoutSeconds?: number;
}

/** The options with defaults filled in. */
export type BodyLimits = Readonly<Required<BodyOptions>>;

/** The checks of the options. */
export const BODY_CHECKS: OptionChecks<BodyOptions> = {
  bodyLimitBytes: mustBeWhole(1024, 10_485_760, 'a whole number of bytes'),
  bodyTimeoutSeconds: mustBeNumber(1, 600, 'a number of seconds'),
};

/** Fills in the defaults of checked options. */
export function resolveBodyLimits({
  bodyLimitBytes = 65_536,
  bodyTimeoutSeconds = 30,
}: BodyOptions): BodyLimits {
  return { bodyLimitBytes, bodyTimeoutSeconds };
}

/** Checks the header Content-Length. @throws `body_too_large` if it exceeds the limit. */
export function assertDeclaredLength(headers: IncomingHttpHeaders, limits: BodyLimits): void {
  if (Number(headers['content-length']) > limits.bodyLimitBytes) throw bodyTooLarge(limits);
}

/** What the response of `node:http2` has in addition. */
interface Http2Response {
  stream?: {
    headersSent: boolean;
    writableEnded: boolean;
    once(event: 'finish', listener: () => void): unknown;
    destroy(): void;
  };
}

/**
 * Ends the upload of an unread body with the response, and returns the headers of the response for it. The rest of the
 * body would be taken for the next request, so the connection is closed after the response (RFC 9112, 9.6). Over HTTP/2
 * the stream is closed instead (RFC 9113, 8.1). Call it directly before the response is sent.
 */
export function endUnreadBody(
  request: IncomingMessage,
  response: ServerResponse & Http2Response,
  body: Readable = request,
): { connection?: 'close' } {
  // A hook of the host may have replaced the stream of the body and not read the request.
  if (body.readableEnded && (body === request || request.complete)) return {};
  // A request that has arrived and has nothing to read has no body.
  if (body === request && request.complete && request.readableLength === 0) return {};
  if (request.httpVersionMajor < 2) return declaresBody(request) ? { connection: 'close' } : {};
  const { stream } = response;
  // A stream that is closed at once stays open until Node sends another frame, and one that is closed and not destroyed
  // can keep its session open.
  const close = () => setTimeout(() => stream?.headersSent && stream.destroy());
  // The response itself is only finished when its stream is closed. Node ends the stream of a HEAD request before its
  // response (https://github.com/nodejs/node/issues/38916).
  if (stream?.writableEnded) close();
  else stream?.once('finish', close);
  return {};
}

/**
 * Checks that the stream of an HTTP/2 request is open. A request whose client cancels it ends as if it had no body.
 * @throws `request_aborted`
 */
export function assertNotCancelled(request: IncomingMessage & { stream?: { destroyed: boolean } }): void {
  if (request.httpVersionMajor >= 2 && request.stream?.destroyed) throw new ClaimlinkError('request_aborted');
}

/** Reads the headers on the wire: a hook of the host may have changed `headers`. */
function declaresBody({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.some((name, index) => {
    const lowerCase = index % 2 === 0 ? name.toLowerCase() : '';
    if (lowerCase === 'content-length') return Number(rawHeaders[index + 1]) !== 0;
    return lowerCase === 'transfer-encoding';
  });
}

const NO_BYTES: Uint8Array = new Uint8Array();

/**
 * Collects the chunks of a body in one buffer. A list of chunks would take about 100 bytes for a chunk of one byte, and
 * a client decides how large its chunks are.
 */
function createCollector(limits: BodyLimits) {
  let buffer = NO_BYTES;
  let length = 0;
  return {
    /** @throws `body_too_large` */
    add(chunk: Uint8Array | string): void {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const newLength = length + bytes.length;
      if (newLength > limits.bodyLimitBytes) throw bodyTooLarge(limits);
      // Most bodies have one chunk, which needs no copy.
      if (length === 0) buffer = bytes;
      else {
        if (newLength > buffer.length) {
          const larger = new Uint8Array(Math.max(newLength, buffer.length * 2));
          larger.set(buffer);
          buffer = larger;
        }
        buffer.set(bytes, length);
      }
      length = newLength;
    },
    read: () => (length === buffer.length ? buffer : buffer.subarray(0, length)),
  };
}

/**
 * Reads a stream to its end.
 * @throws `body_too_large` as soon as the limit is exceeded, without reading the rest; `request_timeout`;
 * `request_aborted` if the stream fails or closes before its end.
 */
export function readStream(stream: Readable, limits: BodyLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const collector = createCollector(limits);
    const timer = setTimeout(() => stop(requestTimeout(limits)), limits.bodyTimeoutSeconds * 1000);

    function stop(error?: ClaimlinkError): void {
      clearTimeout(timer);
      stream.off('data', onData).off('end', stop).off('error', onLost).off('close', onLost);
      if (error === undefined) {
        resolve(collector.read());
        return;
      }
      stream.pause();
      // The stream may still fail. Without a listener its error event would end the process.
      stream.on('error', () => {});
      reject(error);
    }
    function onData(chunk: Buffer | string): void {
      try {
        collector.add(chunk);
      } catch (error) {
        stop(error as ClaimlinkError);
      }
    }
    function onLost(): void {
      stop(new ClaimlinkError('request_aborted'));
    }

    if (stream.destroyed) onLost();
    else stream.on('data', onData).on('end', stop).on('error', onLost).on('close', onLost);
  });
}

/**
 * Iterates the chunks of a body as they arrive. A caller that stops leaves the rest unread and the connection open.
 * @throws `request_aborted` if the stream fails or closes before its end, or has another length than the headers declare.
 */
export async function* streamChunks(
  chunks: AsyncIterable<Uint8Array | string>,
  headers: IncomingHttpHeaders,
): AsyncGenerator<Uint8Array, void, undefined> {
  const declared = headers['content-length'];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      length += bytes.length;
      yield bytes;
    }
  } catch {
    throw new ClaimlinkError('request_aborted');
  }
  if (declared !== undefined && Number(declared) !== length) throw new ClaimlinkError('request_aborted');
}

/** Returns the chunks of a stream. It may fail while no caller reads it, or after a caller has stopped. */
export function chunksOf(stream: Readable): AsyncIterable<Uint8Array | string> {
  // Without a listener its error event would end the process.
  stream.on('error', () => {});
  return stream.iterator({ destroyOnReturn: false });
}

/** Reads a web stream to its end. If the read fails, it cancels the stream, so that its source can stop. */
export async function readWebStream(
  stream: NonNullable<Request['body']>,
  limits: BodyLimits,
): Promise<Uint8Array> {
  const reader = stream.getReader();
  async function readChunks(): Promise<Uint8Array> {
    const collector = createCollector(limits);
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new ClaimlinkError('request_aborted');
      });
      if (done) return collector.read();
      collector.add(value);
    }
  }
  try {
    return await withinTime(readChunks(), limits.bodyTimeoutSeconds, () => requestTimeout(limits));
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}

/** Creates the error for a body over the limit. */
export function bodyTooLarge({ bodyLimitBytes }: BodyLimits): ClaimlinkError {
  return new ClaimlinkError('body_too_large', `The body must not be larger than ${bodyLimitBytes} bytes.`);
}

function requestTimeout({ bodyTimeoutSeconds }: BodyLimits): ClaimlinkError {
  return new ClaimlinkError(
    'request_timeout',
    `The body did not arrive within ${bodyTimeoutSeconds} seconds. Send the request again.`,
  );
}
