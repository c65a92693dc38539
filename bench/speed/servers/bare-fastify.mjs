// Fastify that knows nothing: its router and its JSON parser, and constant strings with the same headers.
import Fastify from 'fastify';
import { createAnswers } from '../answers.mjs';
import { host, port } from './listen.mjs';

const { byPath, link, verify } = await createAnswers();

const app = Fastify();
app.get('/:clientId/sessions/:userId', (request, reply) => send(reply, byPath.get(request.url)));
app.post('/:clientId/link', (_request, reply) => send(reply, link));
app.get('/verify/:accessCode', (_request, reply) => send(reply, verify));
await app.listen({ port, host });

function send(reply, { status, headers, body }) {
  return reply.code(status).headers(headers).send(body);
}
