// The Fastify plugin: an encapsulated scope that leaves the host's routes, parsers and error handler alone.
import type { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import fp from 'fastify-plugin';
import type { Claimlink } from '../claimlink.js';
import { answerOf } from '../core/answers.js';
import { isPromiseLike } from '../core/awaitable.js';
import { ClaimlinkError } from '../core/errors.js';
import type { CoreResponse } from '../core/http.js';
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

  const undocumented = { schema: { hide: true } as FastifySchema, ...shared };
  for (const [path, routes] of groupByPath(claimlink.routes)) {
    for (const route of routes) {
      const method = route.method === 'GET' ? ['GET', 'HEAD'] : route.method;
      app.route({ method, url: path, schema: toFastifySchema(route), ...shared });
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

/** Inlined schemas must not register their ids with the host twice. */
function withoutId(schema: object): object {
  if (!('$id' in schema)) return schema;
  const { $id: _, ...rest } = schema;
  return 'items' in rest && typeof rest.items === 'object' && rest.items !== null
    ? { ...rest, items: withoutId(rest.items) }
    : rest;
}
