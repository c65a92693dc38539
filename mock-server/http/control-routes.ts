// The HTTP routes of the control methods below `/__mock`, and their OpenAPI document.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nearestName } from '../../lib/core/assert-options.js';
import { PHOTO_TYPES } from '../../lib/core/photo-types.js';
import { ClaimlinkError } from '../../lib/index.js';
import { checkWith } from '../control/check.js';
import { controlError, invalidValue, problemAt, toControlError } from '../control/errors.js';
import { METHODS, type Method, type MethodName } from '../control/methods.js';
import type { ClientSelection } from '../control/types.js';
import { eventSchema, members, problemSchema, selectionSchema } from '../schemas/control.js';
import { excessOffset, MAX_VALUES } from '../schemas/levels.js';
import { closed } from '../schemas/parts.js';
import { abortedWith } from '../state/abort.js';
import { runMethod } from '../state/in-process.js';
import type { Mock } from '../state/mock.js';
import type { MockClientState } from '../state/mock-client.js';
import { createEventStreams } from './event-streams.js';
import type { Log } from './log.js';
import { sendProblem } from './problem-response.js';
import { createTurns } from './turns.js';
import { createUploadLimit } from './uploads.js';

const BODY_LIMIT_BYTES = 64 * 1024;
const CLIENT_CONTROL = { area: 'control', forClient: true } as const;
const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** A photo is shown by an image or saved as a file. Opened by itself it runs nothing, and has no origin. */
const PHOTO_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'attachment',
  'cross-origin-resource-policy': 'same-origin',
};

const PHOTO_QUERY = closed({ link: members.link, id: { type: 'string' }, ...selectionSchema.properties }, [
  'link',
  'id',
]);

const methods = Object.entries(METHODS) as [MethodName, Method][];

/** Routes beside the methods that need no token. */
const PUBLIC_ROUTES = {
  health: {
    operationId: 'health',
    summary: 'Responds as soon as the mock is ready. Needs no token.',
    respond: () => ({ status: 'ok' }),
  },
  'openapi.json': {
    operationId: 'openapi',
    summary: 'The OpenAPI document of this control API. Needs no token.',
    respond: (mock: Mock) => createDocument(mock.publicUrl),
  },
  'service-openapi.json': {
    operationId: 'serviceOpenapi',
    summary: 'The OpenAPI document of the service. Needs no token.',
    respond: (mock: Mock) => mock.serviceWithoutClient.claimlink.openapi,
  },
};

/** Methods of HTTP by path. A HEAD request for events would never end. */
const HTTP_METHODS = new Map<string, readonly string[]>([
  ...Object.keys(PUBLIC_ROUTES).map((name) => [name, ['GET', 'HEAD']] as const),
  ['events', ['GET']],
  ['photo', ['GET', 'HEAD']],
  ...methods.map(([name, { isRead }]) => [name, isRead ? ['GET', 'HEAD', 'POST'] : ['POST']] as const),
]);

export function registerControl(app: FastifyInstance, mock: Mock, log: Log): void {
  /** Returns whether the client of a token still exists: a wait or a stream may outlive it. */
  const isCurrent = (client: MockClientState | undefined) =>
    client === undefined || mock.find(client.clientId) === client;
  const streams = createEventStreams(mock.events, isCurrent);
  const turns = createTurns();
  const countUpload = createUploadLimit();

  // A well-formed error of the caller, or an unexpected one.
  app.setErrorHandler((error, request, reply) => {
    const expected = toControlError(error);
    if (expected === undefined)
      log.error(error, { method: request.method, path: request.routeOptions.url ?? '/*' });
    return sendProblem(reply, expected ?? controlError('internal', 'An unexpected error occurred.'));
  });
  parseJsonOnly(app);
  app.addHook('onSend', async (_request, reply) => void reply.headers(NO_STORE));
  app.addHook('preParsing', async (request, reply) => countUpload(request, reply));

  for (const [name, { respond }] of Object.entries(PUBLIC_ROUTES)) {
    // Anyone may ask for it: it is written once.
    let text: string | undefined;
    app.get(`/__mock/${name}`, { config: { area: 'public' } }, async (_request, reply) => {
      text ??= JSON.stringify(respond(mock));
      return reply.type('application/json; charset=utf-8').send(text);
    });
  }
  const events = { ...CLIENT_CONTROL, area: 'stream' } as const;
  app.get('/__mock/events', { config: events, exposeHeadRoute: false }, (request, reply) => {
    const selection = forTokenClient(request, request.query) as ClientSelection;
    const problems = checkWith('events', selection);
    if (problems.length > 0) throw invalidValue('The query', problems);
    streams.open(reply, selection, request.tokenClient);
  });
  registerPhoto(app, mock);
  for (const [name, method] of methods) {
    const { input, isRead, isForMock, isWait, output, bodyLimitBytes = BODY_LIMIT_BYTES } = method;
    const forClient = !isForMock && Object.hasOwn(input.properties, 'clientId');
    app.route({
      method: isRead ? ['GET', 'POST'] : 'POST',
      url: `/__mock/${name}`,
      config: { area: isWait ? 'stream' : 'control', forClient },
      bodyLimit: bodyLimitBytes,
      async handler(request, reply) {
        const ended = abortedWith(mock.closing);
        reply.raw.once('close', () => ended.abort(controlError('caller_gone')));
        const value = request.method === 'POST' ? (request.body ?? {}) : fromQuery(input, request.query);
        const { tokenClient } = request;
        // The client may be removed while a body arrives, a call waits for its turn, or the method waits.
        const assertCurrent = () => {
          if (!isCurrent(tokenClient)) throw controlError('control_unauthorized');
        };
        const start = async () => {
          assertCurrent();
          return runMethod(name, forTokenClient(request, value), mock, ended.signal);
        };
        const write = (result: unknown) => {
          assertCurrent();
          return output && JSON.stringify(result);
        };
        // What is waited for is no work: the result of a wait has its turn afterwards.
        const result = tokenClient === undefined || isWait ? await start() : undefined;
        const call = isWait ? { start: async () => result, write } : { start, write };
        const text = await (tokenClient ? turns(tokenClient.clientId, call, ended.signal) : write(result));
        if (text === undefined) return reply.code(204).send();
        return reply.type('application/json; charset=utf-8').send(text);
      },
    });
  }
  registerOtherMethods(app);
}

/** Serves the bytes of a photo, for the dashboard. */
function registerPhoto(app: FastifyInstance, mock: Mock): void {
  app.get('/__mock/photo', { config: CLIENT_CONTROL }, async (request, reply) => {
    const { link, id, clientId } = forTokenClient(request, request.query) as Record<string, unknown>;
    const selection = clientId === undefined ? {} : { clientId: String(clientId) };
    const photo = await mock.methods.readPhoto({
      link: String(link),
      photoId: String(id),
      ...selection,
    });
    if (photo === undefined) throw new ClaimlinkError('photo_not_found');
    const { type, size, body } = photo;
    return reply
      .headers({ ...PHOTO_HEADERS, 'content-type': type, 'content-length': size })
      .send(Readable.from(body, { objectMode: false }));
  });
}

/** Limits an input to the client of the token. @throws `control_forbidden` if it names another client */
function forTokenClient({ tokenClient }: FastifyRequest, input: unknown): object {
  const value = Object(input);
  if (tokenClient === undefined) return value;
  const { clientId } = tokenClient;
  if (value.clientId !== undefined && value.clientId !== clientId) throw controlError('control_forbidden');
  return { ...value, clientId };
}

/** Returns a query with its whole numbers, which arrive as text. */
function fromQuery({ properties }: Method['input'], texts: unknown): object {
  return Object.fromEntries(
    Object.entries(Object(texts)).map(([name, text]) => {
      const { type } = Object(properties[name]);
      const isNumber = [type].flat().includes('integer') && /^\d{1,15}$/.test(String(text));
      return [name, isNumber ? Number(text) : text];
    }),
  );
}

/** Accepts JSON only. A client that sends the JSON content type with every request may send an empty body. */
function parseJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    if (text === '') done(null, undefined);
    else {
      // Values of one partner take time and memory that all share.
      const excess = excessOffset(text, request.tokenClient && MAX_VALUES);
      if (excess === undefined) parse(request, text, done);
      else done(invalidValue('The input', [problemAt('', 'size', excess.detail)]));
    }
  });
}

/** Responds with 405 (RFC 9110, 15.5.6) to other methods, and with 404 to other paths. Reads no body. */
function registerOtherMethods(app: FastifyInstance): void {
  for (const url of ['/__mock', '/__mock/*']) {
    app.route({
      method: app.supportedMethods,
      url,
      config: CLIENT_CONTROL,
      async onRequest(request, reply) {
        const [path = ''] = request.url.split('?', 1);
        const allowed = HTTP_METHODS.get(path.slice('/__mock/'.length));
        if (allowed === undefined) {
          const nearest = nearestName(path.slice('/__mock/'.length, 100), [...HTTP_METHODS.keys()]);
          const hint = nearest && `Did you mean ${HTTP_METHODS.get(nearest)?.at(-1)} /__mock/${nearest}?`;
          return sendProblem(reply, controlError('route_not_found', hint));
        }
        return sendProblem(reply.header('allow', allowed.join(', ')), controlError('method_not_allowed'));
      },
      handler: async () => undefined,
    });
  }
}

function createDocument(publicUrl: string): object {
  const publicPaths = Object.entries(PUBLIC_ROUTES).map(([name, { operationId, summary }]) => {
    const get = { ...operation(operationId, summary, { type: 'object' }), security: [] };
    return [`/${name}`, { get }];
  });
  return {
    openapi: '3.1.0',
    info: { title: 'claimlink mock: control API', version: '1' },
    servers: [{ url: `${publicUrl}/__mock` }],
    paths: {
      ...Object.fromEntries(publicPaths),
      '/events': {
        get: {
          ...operation(
            'events',
            'Server-sent events: `request`, `link`, `sessions`, `changed`. At most 50 readers.',
          ),
          parameters: toParameters(selectionSchema),
          responses: {
            200: { description: 'Events.', content: { 'text/event-stream': { schema: eventSchema } } },
          },
        },
      },
      '/photo': {
        get: {
          ...operation('photo', 'The bytes of a photo of a link, as an attachment.'),
          parameters: toParameters(PHOTO_QUERY),
          responses: {
            200: {
              description: 'The photo.',
              content: Object.fromEntries(PHOTO_TYPES.map((type) => [type, {}])),
            },
          },
        },
      },
      ...Object.fromEntries(methods.map(([name, method]) => [`/${name}`, toOperations(name, method)])),
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  };
}

function toOperations(name: MethodName, { summary, input, isRead, output }: Method) {
  return {
    ...(isRead && {
      get: { ...operation(`${name}ByQuery`, summary, output), parameters: toParameters(input) },
    }),
    post: { ...operation(name, summary, output), requestBody: json(input) },
  };
}

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

function toParameters({ properties, required = [] }: Method['input']) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    schema,
  }));
}

function operation(operationId: string, summary: string, output?: object) {
  const problem = { content: { 'application/problem+json': { schema: problemSchema } } };
  return {
    operationId,
    summary,
    // Without a control token none is needed.
    security: [{ bearer: [] }, { basic: [] }, {}] as object[],
    responses: {
      [output ? 200 : 204]: { description: 'Done.', ...(output && json(output)) },
      default: { description: 'A problem (RFC 9457).', ...problem },
    },
  };
}
