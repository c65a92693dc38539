// Problem JSON (RFC 9457) of the mock's own routes, in the same form as the service's.
import type { FastifyReply } from 'fastify';

const PROBLEMS = {
  request_invalid: [400, 'The request is not valid'],
  host_not_allowed: [403, 'This host name is not allowed here'],
  origin_not_allowed: [403, 'Requests from other origins are not allowed here'],
  route_not_found: [404, 'There is nothing at this path'],
  internal: [500, 'Something went wrong on our side'],
} as const;

/** Code of a problem that the mock itself answers. */
export type MockProblemCode = keyof typeof PROBLEMS;

/** Answers with a problem. */
export function sendProblem(reply: FastifyReply, code: MockProblemCode, status?: number): FastifyReply {
  const [defaultStatus, title] = PROBLEMS[code];
  const problem = {
    type: `urn:claimlink:problem:${code}`,
    title,
    status: status ?? defaultStatus,
    detail: `${title}.`,
    code,
  };
  return reply
    .code(problem.status)
    .headers({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(JSON.stringify(problem));
}
