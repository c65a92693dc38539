// Spoils an answer of a Node server: it never comes, breaks off, or is not what it says it is.
import type { ServerResponse } from 'node:http';
import type { FaultEffect } from '../control.js';
import { breakBody, firstHalf, isBreakable } from './fault-body.js';

type Callback = (error?: Error | null) => void;

/**
 * Has an answer spoiled once its handler has ended it; until then its body is held back. To be called before anything
 * is written.
 * - `lose`: the connection ends, and nothing has been sent.
 * - `truncate`: head and half of the body are sent, then the connection ends; without a body as `lose`.
 * - `malformed`: the body is broken, its length is the same; redirects and empty bodies stay as they are.
 * - `cut`: the connection ends at once.
 */
export function spoil(response: ServerResponse, effect: FaultEffect): void {
  if (effect === 'cut') {
    response.destroy();
    return;
  }
  const original = { write: response.write.bind(response), end: response.end.bind(response) };
  const chunks: Uint8Array[] = [];
  let isEnded = false;

  function keep(chunk: unknown, encoding: unknown): void {
    if (typeof chunk === 'string') {
      chunks.push(Buffer.from(chunk, Buffer.isEncoding(String(encoding)) ? (encoding as 'utf8') : 'utf8'));
    } else if (chunk instanceof Uint8Array) {
      // The handler may use its buffer again.
      chunks.push(Uint8Array.from(chunk));
    }
  }

  function finish(onFinish: Callback | undefined): void {
    if (onFinish) response.once('finish', onFinish);
    const body = Buffer.concat(chunks);
    const hasBody =
      body.byteLength > 0 && response.req.method !== 'HEAD' && ![204, 304].includes(response.statusCode);
    if (effect === 'malformed') {
      const isBroken = hasBody && isBreakable(response.statusCode);
      original.end(isBroken ? breakBody(body, contentTypeOf(response)) : body);
    } else if (effect === 'truncate' && hasBody) {
      if (!response.headersSent) response.setHeader('content-length', body.byteLength);
      // Destroyed before it is written out, a connection loses what was written to it.
      original.write(firstHalf(body), () => response.destroy());
    } else {
      response.destroy();
    }
  }

  // Both take an encoding, a callback, or both; null stands for none.
  response.write = ((chunk: unknown, ...rest: readonly unknown[]) => {
    keep(chunk, rest[0]);
    const callback = callbackOf(rest);
    if (callback) process.nextTick(callback, null);
    return true;
  }) as ServerResponse['write'];
  response.end = ((...args: readonly unknown[]) => {
    if (isEnded) return response;
    isEnded = true;
    keep(args[0], args[1]);
    finish(callbackOf(args));
    return response;
  }) as ServerResponse['end'];
  response.flushHeaders = () => {};
}

function callbackOf(args: readonly unknown[]): Callback | undefined {
  return args.find((argument): argument is Callback => typeof argument === 'function');
}

/** The type that was set, or that was given to `writeHead`, which Node keeps as text. */
function contentTypeOf(response: ServerResponse): string {
  const type = response.getHeader('content-type');
  if (type !== undefined) return String(type);
  const { _header: head } = response as ServerResponse & { _header?: unknown };
  return /^content-type:(.*)$/im.exec(String(head))?.[1]?.trim() ?? '';
}
