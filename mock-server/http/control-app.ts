// Registers the control routes: checks with their schemas, errors as problems, and their OpenAPI document.
import type { FastifyInstance } from 'fastify';
import { toOpenApiPath } from '../../lib/core/openapi.js';
import { invalidValue } from '../problems.js';
import { checkWith } from '../scenario/schema-check.js';
import {
  type ControlContext,
  type ControlRequest,
  type ControlRoute,
  createControlRoutes,
} from './control-routes.js';
import { BODIES, COMPONENTS, component, QUERIES } from './control-schemas.js';
import type { Log } from './log.js';
import { controlError, sendProblem, toControlError } from './problem.js';

const BODY_LIMIT_BYTES = 64 * 1024;
const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Registers the routes below `/__mock`. */
export function registerControl(
  app: FastifyInstance,
  { log, ...context }: Omit<ControlContext, 'document'> & { log: Log },
): void {
  const { state } = context;
  const routes: ControlRoute[] = createControlRoutes({
    ...context,
    document: () => createDocument(routes, state.publicUrl),
  });

  // A well-formed error of the caller, or an unexpected one.
  app.setErrorHandler((error, request, reply) => {
    const known = toControlError(error);
    if (known === undefined)
      log.error(error, { method: request.method, path: request.routeOptions.url ?? '/*' });
    return sendProblem(reply, known ?? controlError('internal', 'An unexpected error occurred.'));
  });
  parseJsonOnly(app);
  app.addHook('onSend', async (request, reply) => {
    reply.headers(NO_STORE);
    // A response says that the state is saved.
    if (request.method !== 'GET' && request.method !== 'HEAD') await state.saved();
  });
  for (const route of routes) registerRoute(app, route);
  registerOtherMethods(app, routes);
}

function registerRoute(app: FastifyInstance, route: ControlRoute): void {
  app.route({
    method: route.method,
    url: `/__mock${route.path}`,
    exposeHeadRoute: hasHead(route.method, route.path),
    config: { area: route.isPublic ? 'public' : 'control' },
    bodyLimit: route.bodyLimitBytes ?? BODY_LIMIT_BYTES,
    async handler(request, reply) {
      const body = route.body && checkBody(route.body, request.body);
      const filter = toFilter(checkQuery(route.query, request.query));
      const params = request.params as ControlRequest['params'];
      const result = await route.handle({ params, body, filter }, reply);
      if (reply.sent) return reply;
      if (result === undefined) return reply.code(204).send();
      return reply.code(route.status ?? 200).send(result);
    },
  });
}

/** Parameters that have other names in the control interface. */
const NAMES: Readonly<Record<string, string>> = { client: 'clientId', user: 'userId', timeout: 'timeoutMs' };

/** Returns a checked query with the names of the control interface. */
function toFilter(query: object): ControlRequest['filter'] {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      NAMES[name] ?? name,
      name === 'status' && /^\d+$/.test(value) ? Number(value) : value,
    ]),
  );
}

/** @throws `request_invalid` */
function checkBody(name: keyof typeof BODIES, value: unknown): unknown {
  const body = value ?? {};
  const problems = checkWith(`body_${name}`, body);
  if (problems.length > 0) throw invalidValue('The body', problems);
  return body;
}

/** Returns the query with its whole numbers, which arrive as text. @throws `request_invalid` */
function checkQuery(name: keyof typeof QUERIES, texts: unknown): object {
  const properties: Record<string, { type?: unknown }> = QUERIES[name].properties;
  const query = Object.fromEntries(
    Object.entries(Object(texts)).map(([parameter, text]) => {
      const isNumber = properties[parameter]?.type === 'integer' && /^\d{1,15}$/.test(String(text));
      return [parameter, isNumber ? Number(text) : text];
    }),
  );
  const problems = checkWith(`query_${name}`, query).map(({ pointer = '', ...problem }) => ({
    parameter: pointer.slice(1),
    ...problem,
  }));
  if (problems.length > 0) throw invalidValue('The query', problems);
  return query;
}

/** Accepts JSON only. A client that sends the JSON content type with every request may send an empty body. */
function parseJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, String(body), done);
  });
}

/** Responds with 405 (RFC 9110, 15.5.6) to other methods, and with 404 to other paths. Reads no body. */
function registerOtherMethods(app: FastifyInstance, routes: readonly ControlRoute[]): void {
  const paths = routes.map(({ method, path }) => ({
    methods: hasHead(method, path) ? ['GET', 'HEAD'] : [method],
    pattern: new RegExp(`^/__mock${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
  for (const url of ['/__mock', '/__mock/*']) {
    app.route({
      method: app.supportedMethods,
      url,
      config: { area: 'control' },
      async onRequest(request, reply) {
        const [path = ''] = request.url.split('?', 1);
        const allowed = paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
        if (allowed.length === 0) return sendProblem(reply, controlError('route_not_found'));
        return sendProblem(reply.header('allow', allowed.join(', ')), controlError('method_not_allowed'));
      },
      handler: async () => undefined,
    });
  }
}

/** A HEAD request for events would never end. */
function hasHead(method: ControlRoute['method'], path: string): boolean {
  return method === 'GET' && path !== '/events';
}

/** Creates the OpenAPI 3.1 document of the routes. */
function createDocument(routes: readonly ControlRoute[], publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = toOpenApiPath(route.path);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = toOperation(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'claimlink mock: control API', version: '1' },
    servers: [{ url: `${publicUrl}/__mock` }],
    paths,
    components: {
      schemas: COMPONENTS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  };
}

function toOperation({ method, path, summary, query, body, response, status, isPublic }: ControlRoute) {
  const { properties } = QUERIES[query];
  const type = path === '/events' ? 'text/event-stream' : 'application/json';
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const problem = {
    description: 'A problem (RFC 9457).',
    content: { 'application/problem+json': { schema: component('Problem') } },
  };
  const success = response === undefined ? {} : { content: { [type]: { schema: response } } };
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[/:.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    // Without a control token none is needed.
    ...(isPublic ? { security: [] } : { security: [{ bearer: [] }, { basic: [] }, {}] }),
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema })),
    ],
    ...(body && { requestBody: json(BODIES[body]) }),
    responses: {
      [status ?? (response === undefined ? 204 : 200)]: { description: 'Done.', ...success },
      default: problem,
    },
  };
}
