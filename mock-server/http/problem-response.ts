// Problems (RFC 9457) of the mock itself, in the form of the service's.
import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import { endUnreadBody } from '../../lib/adapters/request-body.js';
import { jsonResponse } from '../../lib/http/messages.js';
import type { Outcome } from '../../lib/http/routes.js';
import type { MockControlError } from '../control/control-error.js';
import { titleOf } from '../control/errors.js';

/** An outcome, also with the codes that only the mock has. */
export type MockOutcome = Omit<Outcome, 'code'> & { code?: string };

export function problemOutcome({ status, code, message, problems }: MockControlError): MockOutcome {
  const body = JSON.stringify({
    type: `urn:claimlink:problem:${code}`,
    title: titleOf(code) ?? STATUS_CODES[status] ?? 'Injected fault',
    status,
    detail: message,
    code,
    ...(problems.length > 0 && { errors: problems }),
  });
  const response = jsonResponse(status, body, {
    'content-type': 'application/problem+json; charset=utf-8',
    ...(status === 429 && { 'retry-after': '1' }),
  });
  return { response, code, detail: message, problems: problems.length > 0 ? problems : undefined };
}

/** Sends an error. Closes the connection if the request may have an unread body. */
export function sendProblem(reply: FastifyReply, error: MockControlError): FastifyReply {
  const { status, headers, body } = problemOutcome(error).response;
  reply.problem = error;
  return reply
    .code(status)
    .headers({ ...headers, ...endUnreadBody(reply.request.raw, reply.raw) })
    .send(body);
}
