// The Fastify plugin: an encapsulated scope that does not affect the host's routes, parsers and error handler.
import type { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import fp from 'fastify-plugin';
import type { Claimlink } from '../claimlink.js';
import { ClaimlinkError, invalidOptions } from '../core/errors.js';
import { allowedMethods, groupByPath, originForm, type Route } from '../core/routes.js';
import {
  assertDeclaredLength,
  type BodyLimits,
  type BodyOptions,
  connectionHeaders,
  readStream,
  resolveBodyLimits,
} from './request-body.js';

/** Options of the plugin, in addition to Fastify's `prefix`. The host's `bodyLimit` does not apply. */
export interface ClaimlinkPluginOptions extends BodyOptions {
  /** The service that `createClaimlink` returned. */
  claimlink: Claimlink;
}

const plugin: FastifyPluginAsync<ClaimlinkPluginOptions> = async (app, options) => {
  const { claimlink } = options;
  if (typeof claimlink?.handle !== 'function') {
    throw invalidOptions([{ pointer: '/claimlink', detail: 'must be what createClaimlink returned' }]);
  }
  const limits = resolveBodyLimits(options);
  const prefixDepth = app.prefix.split('/').filter(Boolean).length;

  // Passes the body on as an unread stream: core authenticates the caller first, then limits and parses the body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { status, headers, body } = await claimlink.handle({
      method: request.method,
      url: belowPrefix(request.raw.url ?? '/', prefixDepth),
      headers: request.headers,
      body: () => readBody(request, limits),
    });
    return reply
      .code(status)
      .headers({ ...headers, ...connectionHeaders(request.raw, bodyStream(request)) })
      .send(body === '' ? undefined : body);
  }

  const shared = {
    handler,
    exposeHeadRoute: false,
    // Core validates requests and serialises responses. Fastify would coerce values and drop members.
    validatorCompiler: () => () => true,
    serializerCompiler: () => (data: unknown) => String(data),
    logSerializers: {
      req: (request: FastifyRequest) => ({
        ...claimlink.redact({
          method: request.method,
          url: belowPrefix(request.raw.url ?? '/', prefixDepth),
        }),
        host: request.host,
        remoteAddress: request.ip,
      }),
    },
  };

  const undocumented = { schema: { hide: true } as FastifySchema, ...shared };
  for (const [url, routes] of groupByPath(claimlink.routes)) {
    for (const route of routes) {
      const method = route.method === 'GET' ? ['GET', 'HEAD'] : route.method;
      app.route({ method, url, schema: toFastifySchema(route), ...shared });
    }
    // Core responds to other methods with 405. Fastify's 404 would say that the path does not exist.
    const allowed = allowedMethods(routes);
    const method = app.supportedMethods.filter((name) => !allowed.includes(name));
    app.route({ method, url, ...undocumented });
  }
  // Fastify logs the URL of a request without a route. A misspelt URL of a session or page contains a user id or a
  // token, so these URLs have routes, which log redacted paths. A router parameter is matched after decoding: the
  // regular expressions find an encoded slash behind `verify`.
  const pages = ['/verify', '/verify/*', '//verify/*', '/:page(^verify\\/.*$)', '/:page(^verify\\/.*$)/*'];
  const nearMisses = ['/:clientId/sessions/*', ...(claimlink.owns('/verify') ? pages : [])];
  for (const url of nearMisses) app.route({ method: app.supportedMethods, url, ...undocumented });
};

/** `app.register(claimlinkPlugin, { claimlink, prefix: '/claims' })` */
const claimlinkPlugin = fp(plugin, { name: 'claimlink', fastify: '5.x', encapsulate: true });
export default claimlinkPlugin;

/** Returns the stream of the body. A preParsing hook of the host may have replaced the raw request. */
function bodyStream(request: FastifyRequest): Readable {
  return (request.body as Readable | null | undefined) ?? request.raw;
}

async function readBody(request: FastifyRequest, limits: BodyLimits): Promise<Uint8Array | undefined> {
  assertDeclaredLength(request.headers, limits);
  if (request.body === undefined) return undefined;
  const stream = bodyStream(request);
  if (!stream.readableDidRead && !stream.readableEnded) return readStream(stream, limits);
  throw new ClaimlinkError(
    'body_consumed',
    'A hook of the host read the request body. Read it after claimlink, or return a new stream from a preParsing hook.',
  );
}

/** Removes as many segments as the prefix has. Counts them, because a prefix may contain parameters. */
function belowPrefix(target: string, depth: number): string {
  const url = originForm(target);
  let start = 0;
  for (let i = 0; i < depth && start !== -1; i++) start = url.indexOf('/', start + 1);
  if (depth === 0) return url;
  return start <= 0 ? '/' : url.slice(start);
}

function toFastifySchema({ operationId, summary, path, schema }: Route): FastifySchema {
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, { type: 'string' }]);
  const content = (byType: Readonly<Record<string, object>>) => ({
    content: Object.fromEntries(
      Object.entries(byType).map(([type, body]) => [type, { schema: withoutId(body) }]),
    ),
  });
  const responses = Object.entries(schema.response).map(([status, byType]) => [
    status,
    { description: status, ...(Object.keys(byType).length > 0 && content(byType)) },
  ]);
  return {
    operationId,
    summary,
    params: { type: 'object', properties: Object.fromEntries(params) },
    ...(schema.body && { body: content(schema.body) }),
    response: Object.fromEntries(responses),
  } as FastifySchema;
}

/** Removes `$id`: the host would refuse to register the same id twice. */
function withoutId(schema: object): object {
  if (!('$id' in schema)) return schema;
  const { $id: _, ...rest } = schema;
  return 'items' in rest && typeof rest.items === 'object' && rest.items !== null
    ? { ...rest, items: withoutId(rest.items) }
    : rest;
}
