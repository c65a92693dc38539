// Answers requests of the service over HTTP: faults and delays first, then the service; everything into the journal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { RequestHandler } from '../http/http-server.js';
import type { Mock } from '../mock.js';
import { type Admission, admit } from './admission.js';
import { applyCors } from './cors.js';
import { spoil } from './fault-node.js';
import { redactHeaders, redactPath } from './journal-redaction.js';

/** Options of `createApiHandler`. */
export interface ApiHandlerOptions {
  mock: Mock;
  /** Origins that may call from a browser; `*`: any. */
  corsOrigins: readonly string[];
}

/** Makes the handler. It is given only what `claimlink.owns`. */
export function createApiHandler({ mock, corsOrigins }: ApiHandlerOptions): RequestHandler {
  const serve = createNodeHandler(mock.claimlink);

  return (request, response) => {
    // A preflight is the browser's own: it meets no fault, and is no request of the client under test.
    if (applyCors(corsOrigins, request, response)) return;
    const { method = '', url = '/', headers } = request;
    const admission = admit(mock, { method, url, headers });
    const record = createRecord(mock, admission, request);
    response.once('close', () => record(null));
    for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
    const { delayMs = 0 } = admission.fault ?? {};
    if (delayMs === 0) answer(admission, request, response, record);
    else later(response, delayMs, () => answer(admission, request, response, record));
  };

  function answer(
    { fault, answer: given, trace, target }: Admission,
    request: IncomingMessage,
    response: ServerResponse,
    record: (status: number | null) => void,
  ): void {
    if (fault?.effect !== undefined) spoil(response, fault.effect);
    if (response.destroyed) return;
    // Before the answer leaves: whoever has it finds the entry.
    const { end } = response;
    response.end = ((...parameters: Parameters<typeof end>) => {
      record(fault?.effect === 'lose' ? null : response.statusCode);
      return end.apply(response, parameters);
    }) as typeof end;
    if (given !== undefined) {
      response.writeHead(given.status, given.headers).end(given.body);
      return;
    }
    request.url = target;
    mock.clocks.runFor(trace.clientId, () => serve(request, response));
  }
}

/** Writes the journal's entry, once. */
function createRecord(
  mock: Mock,
  { trace, fault }: Admission,
  { method = '', url = '/', headers }: IncomingMessage,
): (status: number | null) => void {
  const startedAt = performance.now();
  const time = mock.clocks.nowOf(trace.clientId);
  let isRecorded = false;
  return (status) => {
    if (isRecorded) return;
    isRecorded = true;
    mock.record({
      time,
      method,
      path: redactPath(url),
      ...trace,
      status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      headers: redactHeaders(headers),
      ...(fault && { fault }),
    });
  };
}

/** Calls back after a while, unless the connection is gone before. */
function later(response: ServerResponse, ms: number, callback: () => void): void {
  const timer = setTimeout(() => {
    response.off('close', forget);
    callback();
  }, ms);
  const forget = () => clearTimeout(timer);
  response.once('close', forget);
}
