// The hand-written service on Fastify, with ajv, fast-json-stringify and hooks. On memory, or on PostgreSQL if DATABASE_URL is set.
import Fastify from 'fastify';
import { createPostgresClaims } from './by-hand-postgres.mjs';
import { createClaims, DATA_HEADERS, linkSchema, listingSchema, Problem } from './by-hand-service.mjs';
import { host, port } from './listen.mjs';

const { DATABASE_URL, SCHEMA, PREPARE_STATEMENTS } = process.env;
const claims = DATABASE_URL
  ? createPostgresClaims(DATABASE_URL, SCHEMA, PREPARE_STATEMENTS === 'true')
  : createClaims();
const app = Fastify({
  bodyLimit: 65_536,
  requestTimeout: 30_000,
  // The contract: wrong types are never coerced, and a response names every problem.
  ajv: { customOptions: { coerceTypes: false, allErrors: true } },
});

app.setErrorHandler((error, _request, reply) => {
  const invalid = error.validation && new Problem('request_invalid', error.message);
  const problem = error instanceof Problem ? error : (invalid ?? new Problem('internal'));
  if (problem.status === 500) console.error(error);
  reply.code(problem.status).headers(problem.headers).send(problem.body);
});

/** Runs before Fastify reads the body. */
function authenticate(request, _reply, done) {
  const client = claims.authenticate(request.headers['x-api-key'], request.params.clientId);
  const proceed = (proved) => {
    request.client = proved;
    done();
  };
  // On memory nothing waits.
  if (client instanceof Promise) client.then(proceed, done);
  else proceed(client);
}

/** Sends data, or returns its promise to Fastify. */
function respond(reply, data) {
  reply.headers(DATA_HEADERS);
  if (data instanceof Promise) return data;
  reply.send(data);
}

app.decorateRequest('client', null);

app.route({
  method: 'GET',
  url: '/:clientId/sessions/:userId',
  onRequest: authenticate,
  schema: listingSchema,
  handler(request, reply) {
    return respond(reply, claims.listSessions(request.client.clientId, request.params.userId));
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
    return respond(reply, claims.createLink(request.client, request.body));
  },
});

await app.listen({ port, host });
