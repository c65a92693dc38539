// Problem JSON (RFC 9457) of the mock's own routes, in the same form as the service's.
import type { FastifyReply } from 'fastify';
import { type ClaimlinkError, type CoreResponse, ERRORS, type ErrorDetail } from '../../lib/index.js';

const PROBLEMS = {
  request_invalid: [400, 'The request is not valid'],
  control_unauthorized: [401, 'The control token is missing or wrong'],
  host_not_allowed: [403, 'This host name is not allowed here'],
  origin_not_allowed: [403, 'Requests from other origins are not allowed here'],
  client_not_found: [404, 'The client was not found'],
  route_not_found: [404, 'There is nothing at this path'],
  fault_not_found: [404, 'There is no such fault'],
  snapshot_not_found: [404, 'There is no such snapshot'],
  method_not_allowed: [405, 'The method is not allowed here'],
  preference_invalid: [422, 'What the request asks of the mock is not valid'],
  internal: [500, 'Something went wrong on our side'],
  wait_timed_out: [504, 'The requests that were waited for did not come'],
} as const;

/** Code of a problem that the mock itself answers. */
export type MockProblemCode = keyof typeof PROBLEMS;

/** More about a problem. */
export interface ProblemExtras {
  status?: number;
  /** Default: the title. */
  detail?: string;
  errors?: readonly ErrorDetail[];
}

/** A problem of the mock as an answer. */
export function problemAnswer(code: MockProblemCode, errors?: readonly ErrorDetail[]): CoreResponse {
  const [status, title] = PROBLEMS[code];
  return toAnswer(code, status, title, errors === undefined ? {} : { errors, detail: sentencesOf(errors) });
}

/** Answers with a problem. */
export function sendProblem(
  reply: FastifyReply,
  code: MockProblemCode,
  { status, ...extras }: ProblemExtras = {},
): FastifyReply {
  const [ownStatus, title] = PROBLEMS[code];
  return send(reply, toAnswer(code, status ?? ownStatus, title, extras));
}

/** Answers with what an action of the control threw: a malformed request is a 422 (RFC 9110, 15.5.21). */
export function sendRefusal(reply: FastifyReply, error: ClaimlinkError): FastifyReply {
  const [status, title] = ERRORS[error.code];
  return send(
    reply,
    toAnswer(error.code, status === 400 ? 422 : status, title, {
      detail: error.message,
      ...(error.details && { errors: error.details }),
    }),
  );
}

function send(reply: FastifyReply, { status, headers, body }: CoreResponse): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}

function toAnswer(
  code: string,
  status: number,
  title: string,
  { detail = `${title}.`, errors }: Omit<ProblemExtras, 'status'>,
): CoreResponse {
  const type = `urn:claimlink:problem:${code}`;
  const body = JSON.stringify({ type, title, status, detail, code, ...(errors && { errors }) });
  return {
    status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}

function sentencesOf(errors: readonly ErrorDetail[]): string {
  return `${errors.map(({ parameter, pointer, detail }) => `${parameter ?? pointer} ${detail}`).join('; ')}.`;
}
