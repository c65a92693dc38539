// The Fastify plugin: an encapsulated scope that leaves the host's routes, parsers and error handler alone.
import type { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import fp from 'fastify-plugin';
import type { Claimlink } from '../claimlink.js';
import { answerOf } from '../core/answers.js';
import { isPromiseLike } from '../core/awaitable.js';
import { ClaimlinkError } from '../core/errors.js';
import type { CoreResponse } from '../core/http.js';
import { type OpenApiDocument, type OpenApiParameter, toOpenApiPath } from '../core/openapi.js';
import { originForm, type Route } from '../core/routes.js';
import type { Awaitable } from '../core/types.js';
import { assertDeclaredLength, readStream, resolveBodyLimit } from './read-body.js';

/** Options of the plugin, beside Fastify's own `prefix`. */
export interface ClaimlinkPluginOptions {
  /** What `createClaimlink` made. */
  claimlink: Claimlink;
  /** Largest request body: 1024 .. 10_485_760. Default 65_536. The host's `bodyLimit` does not apply. */
  bodyLimitBytes?: number;
}

const plugin: FastifyPluginAsync<ClaimlinkPluginOptions> = async (app, options) => {
  const { claimlink } = options;
  if (typeof claimlink?.handle !== 'function') {
    throw new ClaimlinkError(
      'options_invalid',
      'claimlink options: claimlink must be what createClaimlink returned.',
      {
        details: [{ pointer: '/claimlink', rule: 'value', detail: 'must be what createClaimlink returned' }],
      },
    );
  }
  const bodyLimitBytes = resolveBodyLimit(options.bodyLimitBytes);
  const prefixDepth = app.prefix.split('/').filter(Boolean).length;

  // The stream goes through unread: core authenticates first, and bounds and parses the body itself.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));

  const answer = answerOf(claimlink);

  function handler(request: FastifyRequest, reply: FastifyReply): unknown {
    const url = belowPrefix(request.raw.url ?? '/', prefixDepth);
    const answered = answer({
      method: request.method,
      url,
      headers: request.headers,
      body: () => bodyOf(request, bodyLimitBytes),
    });
    if (isPromiseLike(answered)) return answered.then((response) => send(reply, url, response));
    send(reply, url, answered);
    // Not the reply: Fastify would wait for it as for a promise.
    return undefined;
  }

  function send(reply: FastifyReply, url: string, { status, headers, body, bytes }: CoreResponse): unknown {
    // A host may have what is not claimlink's: names that no client can have.
    if (status === 404 && !claimlink.owns(url)) return reply.callNotFound();
    // An empty string would be given a content type by Fastify.
    return reply
      .code(status)
      .headers(headers)
      .send(body === '' ? undefined : (bytes ?? body));
  }

  const shared = {
    handler,
    exposeHeadRoute: false,
    // Fastify's own validation and serialisation coerce and drop; core has done both. The schemas only document.
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

  const config: object = { swaggerTransform: toSwaggerTransform(claimlink.openapi) };
  const undocumented = { schema: { hide: true } as FastifySchema, ...shared };
  for (const [path, routes] of groupByPath(claimlink.routes)) {
    for (const route of routes) {
      app.route({
        method: route.method,
        url: path,
        schema: toFastifySchema(route, claimlink.openapi),
        config,
        ...shared,
      });
      // Apart from GET: in the host's document the two would share an operationId.
      if (route.method === 'GET') app.route({ method: 'HEAD', url: path, ...undocumented });
    }
    const answered = new Set(routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
    // Core answers 405 to the others; a host's 404 would hide that the path exists.
    app.route({
      method: app.supportedMethods.filter((method) => !answered.has(method)),
      url: path,
      ...undocumented,
    });
  }
  // Fastify answers over-long parameters itself, but not wildcards; and whatever is below /verify may hold a token,
  // which must not reach the host's log.
  const wildcards = ['/:clientId/sessions/*', ...(claimlink.owns('/verify') ? ['/verify', '/verify/*'] : [])];
  for (const url of wildcards) app.route({ method: app.supportedMethods, url, ...undocumented });
};

/** `app.register(claimlinkPlugin, { claimlink, prefix: '/claims' })` */
const claimlinkPlugin = fp(plugin, { name: 'claimlink', fastify: '5.x', encapsulate: true });
export default claimlinkPlugin;

function bodyOf(request: FastifyRequest, limitBytes: number): Awaitable<unknown> {
  assertDeclaredLength(request.headers, limitBytes);
  const { body } = request;
  if (body === undefined) return undefined;
  const stream = body as Readable;
  if (!stream.readableDidRead && !stream.readableEnded) return readStream(stream, limitBytes);
  throw new ClaimlinkError(
    'body_consumed',
    'A hook of the host read the request body. Read it elsewhere, or hand on a new stream from preParsing.',
  );
}

/** Takes as many segments off as the prefix has; counted and not compared, for a prefix may hold parameters. */
function belowPrefix(target: string, depth: number): string {
  const url = originForm(target);
  let start = 0;
  for (let i = 0; i < depth && start !== -1; i++) start = url.indexOf('/', start + 1);
  return start <= 0 ? (depth === 0 ? url : '/') : url.slice(start);
}

function groupByPath(routes: readonly Route[]): Map<string, Route[]> {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  return byPath;
}

/** Arguments that @fastify/swagger gives a transform of a route. */
interface SwaggerRoute {
  schema: FastifySchema & { security?: unknown };
  url: string;
  /** Absent in a document of Swagger 2. */
  openapiObject?: { components: { securitySchemes?: object } };
}

/**
 * Declares the security scheme of the routes in the host's document, unless the host has declared it.
 * @fastify/swagger fails on a route that names a scheme without a declaration.
 */
function toSwaggerTransform(document: OpenApiDocument) {
  return ({ schema, url, openapiObject }: SwaggerRoute) => {
    if (openapiObject === undefined) {
      const { security: _, ...rest } = schema;
      return { schema: rest, url };
    }
    const { components } = openapiObject;
    components.securitySchemes = {
      ...structuredClone(document.components.securitySchemes),
      ...components.securitySchemes,
    };
    return { schema, url };
  };
}

/** Returns what @fastify/swagger needs to document a route; Fastify itself does not use it. */
function toFastifySchema({ method, path, schema }: Route, document: OpenApiDocument): FastifySchema {
  const operation = document.paths[toOpenApiPath(path)]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${path} is not in the OpenAPI document.`);
  const { operationId, summary, security, parameters, responses } = operation;
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query');
  const inlineResponses = Object.entries(schema.response).map(([status, byType]) => [
    status,
    {
      description: responses[status]?.description,
      ...(Object.keys(byType).length > 0 && toInlineContent(byType)),
    },
  ]);
  return {
    operationId,
    summary,
    security: structuredClone(security),
    params: toObjectSchema(parameters.filter((parameter) => parameter.in === 'path')),
    ...(queryParameters.length > 0 && { querystring: toObjectSchema(queryParameters) }),
    ...(schema.body && { body: toInlineContent(schema.body) }),
    response: Object.fromEntries(inlineResponses),
  } as FastifySchema;
}

function toObjectSchema(parameters: readonly OpenApiParameter[]): object {
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

function toInlineContent(byType: Readonly<Record<string, object>>): object {
  const content = Object.entries(byType).map(([type, schema]) => [type, { schema: withoutId(schema) }]);
  return { content: Object.fromEntries(content) };
}

/** Removes the `$id` of a schema, which the host would otherwise register twice. */
function withoutId(schema: object): object {
  if (!('$id' in schema)) return schema;
  const { $id: _, ...rest } = schema;
  return 'items' in rest && typeof rest.items === 'object' && rest.items !== null
    ? { ...rest, items: withoutId(rest.items) }
    : rest;
}
