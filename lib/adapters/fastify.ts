/**
 * The Fastify plugin: an encapsulated scope that does not affect the host's routes, parsers and error handler.
 *
 * @module claimlink/fastify
 */

import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import type { Claimlink } from '../claimlink.js';
import { anyValue, assertOptions, missingMethods } from '../core/assert-options.js';
import { ClaimlinkError } from '../core/errors.js';
import { withoutSlashes } from '../http/base-path.js';
import { FORM_TYPE, JSON_TYPE } from '../http/body.js';
import { type OpenApiDocument, toOpenApiPath } from '../http/openapi.js';
import type { OpenApiParameter } from '../http/operation.js';
import { allowedMethods, groupByPath, originForm, type Route } from '../http/routes.js';
import {
  assertDeclaredLength,
  assertNotCancelled,
  BODY_CHECKS,
  type BodyLimits,
  type BodyOptions,
  chunksOf,
  endUnreadBody,
  readStream,
  resolveBodyLimits,
  streamChunks,
} from './request-body.js';
import { bodyToSend, chunksToSend } from './response-body.js';

/** Options of the plugin, in addition to Fastify's `prefix`. The host's `bodyLimit` does not apply. */
export interface ClaimlinkPluginOptions extends BodyOptions {
  /** The service that `createClaimlink` returned. */
  claimlink: Claimlink;
}

const CHECKS = {
  ...BODY_CHECKS,
  claimlink: (value: unknown) =>
    missingMethods(value, ['handle', 'owns', 'redact']).length === 0
      ? undefined
      : 'must be what createClaimlink returned',
  // Fastify passes its own options of `register` on.
  prefix: anyValue,
  logLevel: anyValue,
  logSerializers: anyValue,
};

const plugin: FastifyPluginAsync<ClaimlinkPluginOptions> = async (app, options) => {
  const { claimlink } = options;
  assertOptions(options, CHECKS, { required: ['claimlink'] });
  const limits = resolveBodyLimits(options);
  const prefix = withoutSlashes(app.prefix);
  const prefixDepth = prefix.split('/').filter(Boolean).length;
  const targetOf = (request: FastifyRequest) => belowPrefix(request.raw.url ?? '/', prefixDepth);

  // Passes the body on as an unread stream: core authenticates the caller first, then limits and parses the body.
  app.removeAllContentTypeParsers();
  // Fastify caches the parser of a type with a name, and parses the header of any other type for each request.
  app.addContentTypeParser([JSON_TYPE, FORM_TYPE, '*'], (_request, payload, done) => {
    // The stream of a preParsing hook may fail before core reads it, for example while it decompresses the body.
    // Without a listener its error event would end the process. `readStream` rejects a failed stream.
    payload.on('error', () => {});
    done(null, payload);
  });

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const target = { method: request.method, url: targetOf(request) };
    const { stream, ...response } = await claimlink.handle({
      ...target,
      headers: request.headers,
      body: () => readBody(request, limits),
      stream: () => streamBody(request),
      bodyLimitBytes: limits.bodyLimitBytes,
    });
    reply.code(response.status).headers(response.headers);
    if (stream === undefined)
      return reply.send(response.body === '' ? undefined : bodyToSend(reply.raw, response));
    const report = (error: unknown) => claimlink.reportError(error, target);
    const chunks = chunksToSend(stream, response.headers, report);
    return reply.send(Readable.from(chunks, { objectMode: false }));
  }

  const routeOptions: Omit<RouteOptions, 'method' | 'url'> = {
    handler,
    // The last hook before Fastify sends a response, also one of a hook of the host.
    onSend(request, reply, payload, done) {
      const { connection } = endUnreadBody(request.raw, reply.raw, bodyStream(request));
      if (connection !== undefined) reply.header('connection', connection);
      done(null, payload);
    },
    exposeHeadRoute: false,
    // Core validates requests and serialises responses. Fastify would coerce values and drop members.
    validatorCompiler: () => () => true,
    serializerCompiler: () => (data: unknown) => String(data),
    logSerializers: {
      req(request: FastifyRequest) {
        const { method, path } = claimlink.redact({ method: request.method, url: targetOf(request) });
        return { method, path: `${prefix}${path}`, host: request.host, remoteAddress: request.ip };
      },
    },
  };

  const undocumented = { schema: { hide: true } as FastifySchema, ...routeOptions };
  for (const [url, routes] of groupByPath(claimlink.routes)) {
    for (const route of routes) {
      // @fastify/swagger calls it if the host wants a document. So other hosts do not build one.
      const swaggerTransform = (target: SwaggerRoute) => documentRoute(target, route, claimlink.openapi);
      app.route({ method: route.method, url, config: { swaggerTransform } as object, ...routeOptions });
      // A route of its own: in the host's OpenAPI document GET and HEAD would share an operationId.
      if (route.method === 'GET') app.route({ method: 'HEAD', url, ...undocumented });
    }
    // Core responds to other methods with 405. Fastify's 404 would say that the path does not exist.
    const allowed = allowedMethods(routes);
    const method = app.supportedMethods.filter((name) => !allowed.includes(name));
    app.route({ method, url, ...undocumented });
  }
  // Fastify logs the URL of a request that has no route. A misspelt URL of a listing or a page still contains a user id
  // or a token. So such URLs get routes, which log redacted paths. The router applies the regular expression to the
  // decoded parameter, so it finds an encoded slash after `verify`. An empty parameter is that of `//verify`, which a
  // router with `ignoreDuplicateSlashes` takes for `/verify`.
  const pages = [
    '/verify',
    '/verify/*',
    '/:none(^$)/verify/*',
    '/:page(^verify\\/.*$)',
    '/:page(^verify\\/.*$)/*',
  ];
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
  return readStream(unreadStream(request), limits);
}

/** Returns the bytes of the body as they arrive. */
async function* streamBody(request: FastifyRequest) {
  // Fastify reads no body of a request without a media type.
  const stream = request.body === undefined ? undefined : unreadStream(request);
  if (stream !== undefined) yield* streamChunks(chunksOf(stream), request.headers);
}

/** @throws `body_consumed` if the host has read the body. */
function unreadStream(request: FastifyRequest): Readable {
  const stream = bodyStream(request);
  if (!stream.readableDidRead && !stream.readableEnded) return stream;
  assertNotCancelled(request.raw);
  throw new ClaimlinkError(
    'body_consumed',
    'A hook of the host read the request body before claimlink. Return a new stream with the same bytes from a preParsing hook, or add the hook in a scope without claimlink.',
  );
}

/** Removes as many segments as the prefix has. Counts them, because a prefix may contain parameters. */
function belowPrefix(target: string, depth: number): string {
  const url = originForm(target);
  if (depth === 0) return url;
  const segments = url.split('/').slice(1 + depth);
  return `/${segments.join('/')}`;
}

/** Arguments that @fastify/swagger gives a transform of a route. */
interface SwaggerRoute {
  url: string;
  /** Absent in a document of Swagger 2. */
  openapiObject?: { components: { securitySchemes?: object } };
}

/**
 * Returns what @fastify/swagger needs to document a route. Declares the security scheme of the route in the host's
 * document, unless the host has declared it: @fastify/swagger fails on a route that names a scheme without a declaration.
 */
function documentRoute({ url, openapiObject }: SwaggerRoute, route: Route, document: OpenApiDocument) {
  const { security, ...schema } = toFastifySchema(route, document);
  if (openapiObject === undefined) return { schema, url };
  const { components } = openapiObject;
  components.securitySchemes = {
    ...structuredClone(document.components.securitySchemes),
    ...components.securitySchemes,
  };
  return { schema: { ...schema, security }, url };
}

function toFastifySchema({ method, path }: Route, { paths, components }: OpenApiDocument) {
  const operation = paths[toOpenApiPath(path)]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${path} is not in the OpenAPI document.`);
  const { operationId, summary, security, parameters, requestBody, responses } = operation;
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query');
  const toContent = (content: Readonly<Record<string, { schema: object }>>) => {
    const schemas = Object.entries(content).map(([type, { schema }]) => [
      type,
      { schema: withoutReferences(schema, components.schemas) },
    ]);
    return { content: Object.fromEntries(schemas) };
  };
  const inlineResponses = Object.entries(responses).map(([status, { description, headers, content }]) => [
    status,
    {
      description,
      ...(headers && { headers: toHeaderSchemas(headers) }),
      ...(content && toContent(content)),
    },
  ]);
  return {
    operationId,
    summary,
    security: structuredClone(security),
    params: toObjectSchema(parameters.filter((parameter) => parameter.in === 'path')),
    ...(queryParameters.length > 0 && { querystring: toObjectSchema(queryParameters) }),
    ...(requestBody && { body: toContent(requestBody.content) }),
    response: Object.fromEntries(inlineResponses),
  };
}

/** Returns a schema with its components in the place of references: they are not components of the host's document. */
function withoutReferences(schema: object, schemas: Readonly<Record<string, object>>): object {
  return JSON.parse(
    JSON.stringify(schema, (_name, value) => {
      const name: string | undefined = value?.$ref?.split('/').at(-1);
      return name === undefined ? value : schemas[name];
    }),
  );
}

function toObjectSchema(parameters: readonly OpenApiParameter[]): object {
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Returns headers in the form of @fastify/swagger: the schema of each, with the description. */
function toHeaderSchemas(headers: object): object {
  const schemas = Object.entries(headers).map(([name, { description, schema }]) => [
    name,
    { ...schema, description },
  ]);
  return Object.fromEntries(schemas);
}
