// Fastify with its router and its JSON parser, which sends claimlink's own responses as constants.
import Fastify from 'fastify';
import { createResponses } from '../service.mjs';
import { host, port } from './listen.mjs';

const { listing, link } = await createResponses();
const app = Fastify();
app.get('/:clientId/sessions/:userId', (_request, reply) => respond(reply, listing));
app.post('/:clientId/link', (_request, reply) => respond(reply, link));
await app.listen({ port, host });

function respond(reply, { status, headers, body }) {
  return reply.code(status).headers(headers).send(body);
}
