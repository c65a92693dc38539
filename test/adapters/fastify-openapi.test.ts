// The OpenAPI document that @fastify/swagger makes of a host with the plugin.
import fastifySwagger from '@fastify/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import fastify from 'fastify';
import t from 'tap';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import { createTestService, KEYS } from './service.js';

interface Operation {
  operationId?: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string }[];
  responses: Record<string, { description: string; headers?: Record<string, object> }>;
}

interface HostDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, { type: string; in: string; name: string }> };
}

const { claimlink } = await createTestService();

async function createHost(components: object) {
  const app = fastify();
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Host', version: '1.0.0' },
      components,
    },
  });
  app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
  app.get('/own', { schema: { operationId: 'own' } }, () => 'own');
  await app.ready();
  return { app, document: app.swagger() as unknown as HostDocument };
}

const { app, document } = await createHost({});

function operationAt(method: string, path: string): Operation | undefined {
  return document.paths[path]?.[method];
}

t.test('the document of a host is valid OpenAPI 3.1', async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  t.ok(valid, 'valid', { errors });
});

t.test('every operationId of a host occurs once', async (t) => {
  const ids = Object.values(document.paths).flatMap((byMethod) =>
    Object.values(byMethod).flatMap(({ operationId }) => operationId ?? []),
  );
  t.strictSame(ids.toSorted(), ['createLink', 'listSessions', 'openLink', 'own', 'submitClaim']);
});

t.test('HEAD is answered, although the document does not have it', async (t) => {
  t.equal(operationAt('head', '/claims/{clientId}/sessions/{userId}'), undefined);
  const response = await app.inject({
    method: 'HEAD',
    url: '/claims/acme/sessions/user-1',
    headers: { 'x-api-key': KEYS.good },
  });
  t.equal(response.statusCode, 200);
  t.equal(response.body, '');
});

t.test('Swagger UI of a host can call both endpoints with the API key', async (t) => {
  const listing = operationAt('get', '/claims/{clientId}/sessions/{userId}');
  const link = operationAt('post', '/claims/{clientId}/link');
  t.strictSame(listing?.security, [{ apiKey: [] }]);
  t.strictSame(link?.security, [{ apiKey: [] }]);
  t.match(document.components.securitySchemes, {
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  });
  const scheme = document.components.securitySchemes['apiKey'];
  const response = await app.inject({
    url: '/claims/acme/sessions/user-1',
    headers: { [scheme?.name ?? '']: KEYS.good },
  });
  t.equal(response.statusCode, 200, 'the header that the scheme names is the one that the API reads');
});

t.test('a host can declare the security scheme itself', async (t) => {
  const securitySchemes = {
    apiKey: { ...claimlink.openapi.components.securitySchemes.apiKey, description: 'Ask us for a key.' },
    bearer: { type: 'http', scheme: 'bearer' },
  };
  const host = await createHost({ securitySchemes: structuredClone(securitySchemes) });
  t.strictSame(host.document.components.securitySchemes, securitySchemes);
});

t.test('a host with a Swagger 2 document gets it without the security scheme', async (t) => {
  const host = fastify();
  await host.register(fastifySwagger, { swagger: { info: { title: 'Host', version: '1.0.0' } } });
  host.register(claimlinkPlugin, { claimlink });
  await host.ready();
  const { paths } = host.swagger() as unknown as HostDocument;
  t.equal(paths['/{clientId}/link']?.['post']?.operationId, 'createLink');
  t.notOk(paths['/{clientId}/link']?.['post']?.security);
});

t.test('the pages of a host need no API key', async (t) => {
  t.strictSame(operationAt('get', '/claims/verify/{accessCode}')?.security, []);
  t.strictSame(operationAt('post', '/claims/verify/{accessCode}')?.security, []);
});

t.test('the document of a host has the parameters and the descriptions of the service', async (t) => {
  const { parameters = [], responses = {} } =
    operationAt('get', '/claims/{clientId}/sessions/{userId}') ?? {};
  t.strictSame(
    parameters.map(({ in: place, name, required = false }) => `${place} ${name} ${required}`).toSorted(),
    [
      'path clientId true',
      'path userId true',
      'query cursor false',
      'query limit false',
      'query status false',
    ],
  );
  t.ok(parameters.every(({ description }) => description));
  t.equal(responses['401']?.description, 'The API key is missing, invalid or unauthorized.');
});

t.test('the document of a host has the headers of the responses', async (t) => {
  const { responses: ofListing = {} } = operationAt('get', '/claims/{clientId}/sessions/{userId}') ?? {};
  const { responses: ofClaim = {} } = operationAt('post', '/claims/verify/{accessCode}') ?? {};
  t.match(ofListing['200']?.headers, { Link: { schema: { type: 'string' }, description: String } });
  t.match(ofListing['401']?.headers, { 'WWW-Authenticate': { schema: { type: 'string' } } });
  t.match(ofListing['405']?.headers, { Allow: { schema: { type: 'string' } } });
  t.match(ofListing['503']?.headers, { 'Retry-After': { schema: { type: 'integer' } } });
  t.match(ofClaim['303']?.headers, { Location: { schema: { type: 'string' } } });
});
