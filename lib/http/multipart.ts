// Reads a form in parts (RFC 7578) while it arrives. It is loaded on use: only a form with photos has parts.
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ClaimlinkError, invalidBody } from '../core/errors.js';
import { untilAborted } from '../core/until-aborted.js';
import { assertMediaType, MULTIPART_TYPE, unsupported } from './body.js';
import { type CoreRequest, headerOf } from './messages.js';

/** A file of the form. Its body throws if the form is cut or breaks a limit meanwhile. */
export interface FilePart {
  /** Name of the field. */
  field: string | undefined;
  /** Name of the file, without folders. Empty if the person chose no file. */
  name: string;
  body: AsyncIterable<Uint8Array>;
}

/** Limits of a form in parts. */
export interface MultipartLimits {
  /** Maximum size of all names and texts in bytes. */
  maxTextBytes: number;
  /** Maximum size of the body in bytes. */
  maxBytes: number;
  /** Maximum time for the body to arrive, in seconds. */
  seconds: number;
}

/** Takes a file of the form. `fields` are the texts before it. What it leaves of the file is read and dropped. */
type TakeFile = (file: FilePart, fields: URLSearchParams) => Promise<void>;

/** Parts that a form may have. The form of a claim with every field has fewer than 200. */
const MAX_PARTS = 1000;
const MAX_HEADERS = 20;
const MAX_HEADER_BYTES = 8192;

/** Longest Content-Type. A boundary has at most 70 characters (RFC 2046, 5.1.1). */
const MAX_TYPE_LENGTH = 256;

const NOT_WHOLE = 'must be a whole form in parts';

/** Bytes that the parser gets at once: it holds as many of files that no one reads yet. */
const STEP_BYTES = 16_384;

/**
 * Reads a form in parts. Its files are taken one after another, and the form is read only as fast as that.
 * @throws `content_type_unsupported` without a boundary; `request_invalid` for what is no form in parts; `body_too_large`;
 * `request_timeout`; what `takeFile` throws; errors of the body. No file is being taken then.
 */
export async function readMultipart(
  request: CoreRequest,
  body: AsyncIterable<Uint8Array>,
  limits: MultipartLimits,
  takeFile: TakeFile,
): Promise<URLSearchParams> {
  assertMediaType(request, MULTIPART_TYPE);
  if (Number(headerOf(request, 'content-length')) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const form = parseForm(createParser(request), limits, takeFile);
  const controller = new AbortController();
  const timer = setTimeout(() => {
    const error = timeoutError(limits);
    form.fail(error);
    controller.abort(error);
  }, limits.seconds * 1000);
  try {
    let length = 0;
    for await (const chunk of untilAborted(body, controller.signal)) {
      length += chunk.length;
      if (length > limits.maxBytes) throw tooLarge(limits.maxBytes);
      for (let start = 0; start < chunk.length; start += STEP_BYTES)
        await form.write(chunk.subarray(start, start + STEP_BYTES));
    }
    await form.end();
    return form.fields;
  } catch (error) {
    form.fail(error);
    await form.settled();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function createParser(request: CoreRequest): BusboyInstance {
  const type = headerOf(request, 'content-type') ?? '';
  try {
    if (type.length > MAX_TYPE_LENGTH) throw new RangeError();
    return new Busboy({
      headers: { 'content-type': type },
      isPartAFile: (_field, _type, name) => name !== undefined,
      limits: { parts: MAX_PARTS, headerPairs: MAX_HEADERS, headerSize: MAX_HEADER_BYTES },
    });
  } catch {
    throw unsupported('Send the form with the boundary of its parts, which has at most 70 characters.');
  }
}

/** Parses a form. Its functions reject with the first error of the form or of a file. */
function parseForm(parser: BusboyInstance, { maxTextBytes }: MultipartLimits, takeFile: TakeFile) {
  const fields = new URLSearchParams();
  const files = new Set<Readable>();
  let failure: unknown;
  /** Ends what waits for the parser: it goes on no more after an error. */
  let wake = () => {};
  let textBytes = 0;
  /** Until the files before the last one are taken, and until the last one is as well. */
  let earlier: Promise<void> = Promise.resolve();
  let last: Promise<void> = earlier;

  /** The first error counts. The files get it as well, so that no one waits for the rest of them. */
  function fail(error: unknown): void {
    failure ??= error;
    for (const file of files) file.destroy(failure as Error);
    wake();
  }

  /** Counts names and values. */
  function count(...texts: readonly (string | undefined)[]): void {
    for (const text of texts) textBytes += Buffer.byteLength(text ?? '');
    if (textBytes > maxTextBytes) fail(tooLarge(maxTextBytes));
  }

  /** Waits for a step of the parser. @throws the first error. */
  async function step(start: (done: () => void) => void): Promise<void> {
    if (failure === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        start(resolve);
      });
    }
    await earlier;
    if (failure !== undefined) throw failure;
  }

  /** Iterates a file. The parser ends it like a whole one when the form is cut. */
  async function* chunksOf(file: Readable): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of file.iterator({ destroyOnReturn: false })) yield chunk;
    if (failure !== undefined) throw failure;
  }

  async function take(field: string | undefined, file: Readable, name: string | undefined): Promise<void> {
    if (failure === undefined)
      await takeFile({ field, name: name ?? '', body: chunksOf(file) }, fields).catch(fail);
    files.delete(file);
    file.resume();
  }

  parser.on('field', (name: string | undefined, value, _nameTruncated, isTruncated) => {
    // A part without a name is not a field.
    if (name === undefined) return;
    count(name, value);
    if (isTruncated) fail(tooLarge(maxTextBytes));
    if (failure === undefined) fields.append(name, value);
  });
  parser.on('file', (field, file, name) => {
    count(field, name);
    // Without a listener its error event would end the process.
    file.on('error', () => {});
    files.add(file);
    earlier = last;
    last = earlier.then(() => take(field, file, name));
  });
  parser.on('partsLimit', () => fail(malformed(`must have at most ${MAX_PARTS} parts`)));
  parser.on('error', () => fail(malformed(NOT_WHOLE)));

  return {
    fields,
    fail,
    /** Parses bytes. Resolves when the parser takes more, and no file but the last one waits. */
    write: (bytes: Uint8Array) => step((done) => parser.write(bytes, done)),
    async end(): Promise<void> {
      const isRead = step((done) => parser.once('finish', done).end());
      // After some faults the parser never says that it has ended. It needs no more turn of the event loop than this one.
      const timer = last.then(() => setImmediate(() => fail(malformed(NOT_WHOLE))));
      await isRead;
      clearImmediate(await timer);
      if (failure !== undefined) throw failure;
    },
    /** Waits until no file is being taken. */
    settled: () => last,
  };
}

function tooLarge(bytes: number): ClaimlinkError {
  return new ClaimlinkError('body_too_large', `The form must not be larger than ${bytes} bytes.`);
}

function malformed(detail: string): ClaimlinkError {
  return invalidBody([{ pointer: '', rule: 'value', detail }]);
}

function timeoutError({ seconds }: MultipartLimits): ClaimlinkError {
  return new ClaimlinkError(
    'request_timeout',
    `The form did not arrive within ${seconds} seconds. Send it again.`,
  );
}
