// Responses with a problem (RFC 9457) of the mock's own routes, in the form of the service's.
import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import { endUnreadBody } from '../lib/adapters/request-body.js';
import { jsonResponse } from '../lib/http/messages.js';
import type { CoreResponse } from '../lib/index.js';
import type { MockControlError } from './control-error.js';
import { titleOf } from './control-problems.js';

export function problemResponse({ status, code, message, problems }: MockControlError): CoreResponse {
  const body = JSON.stringify({
    type: `urn:claimlink:problem:${code}`,
    title: titleOf(code) ?? STATUS_CODES[status] ?? 'Injected fault',
    status,
    detail: message,
    code,
    ...(problems.length > 0 && { errors: problems }),
  });
  return jsonResponse(status, body, { 'content-type': 'application/problem+json; charset=utf-8' });
}

/** Sends an error. Closes the connection if the request may have an unread body. */
export function sendProblem(reply: FastifyReply, error: MockControlError): FastifyReply {
  const { status, headers, body } = problemResponse(error);
  reply.problem = error;
  return reply
    .code(status)
    .headers({ ...headers, ...endUnreadBody(reply.request.raw, reply.raw) })
    .send(body);
}
