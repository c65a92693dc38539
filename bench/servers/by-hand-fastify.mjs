// The hand-written service on Fastify, with ajv, fast-json-stringify and hooks.
import Fastify from 'fastify';
import { createClaims, DATA_HEADERS, linkSchema, listingSchema, Problem } from './by-hand.mjs';
import { host, port } from './listen.mjs';

const claims = createClaims();
const app = Fastify({ bodyLimit: 65_536 });

app.setErrorHandler((error, _request, reply) => {
  const invalid = error.validation && new Problem('request_invalid', error.message);
  const problem = error instanceof Problem ? error : (invalid ?? new Problem('internal'));
  if (problem.status === 500) console.error(error);
  reply.code(problem.status).headers(problem.headers).send(problem.body);
});

/** Runs before Fastify reads the body. */
function authenticate(request, _reply, done) {
  request.client = claims.authenticate(request.headers['x-api-key'], request.params.clientId);
  done();
}
app.decorateRequest('client', null);

app.route({
  method: 'GET',
  url: '/:clientId/sessions/:userId',
  onRequest: authenticate,
  schema: { response: { 200: listingSchema } },
  handler(request, reply) {
    reply.headers(DATA_HEADERS).send(claims.listSessions(request.client.clientId, request.params.userId));
  },
});

app.route({
  method: 'POST',
  url: '/:clientId/link',
  onRequest: authenticate,
  schema: {
    body: linkSchema,
    response: { 200: { type: 'object', properties: { data: { type: 'string' } } } },
  },
  handler(request, reply) {
    reply.headers(DATA_HEADERS).send(claims.createLink(request.client, request.body));
  },
});

await app.listen({ port, host });
