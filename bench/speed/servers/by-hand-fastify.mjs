// The same service as an app of its own on Fastify, with what Fastify offers: ajv, fast-json-stringify, hooks.
import Fastify from 'fastify';
import { createClaims, DATA_HEADERS, linkSchema, listingSchema, Problem } from './by-hand.mjs';
import { host, port } from './listen.mjs';

const claims = await createClaims();
const app = Fastify({ bodyLimit: 65_536 });

app.setErrorHandler((error, _request, reply) => {
  const problem =
    error instanceof Problem
      ? error
      : error.validation
        ? new Problem(400, 'request_invalid', 'The request is not valid', error.message)
        : new Problem(500, 'internal', 'Something went wrong on our side', 'Try again in a moment.');
  if (problem.status === 500) console.error(error);
  reply.code(problem.status).headers(problem.headers).send(JSON.stringify(problem.body));
});

/** Before the body is read. */
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

app.get('/verify/:accessCode', (request, reply) => {
  const { headers, html } = claims.openPage(request.params.accessCode, request.query.token);
  reply.headers(headers).send(html);
});

await app.listen({ port, host });
