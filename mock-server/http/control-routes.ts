// The control API below /__mock: the methods of MockControl as routes. This is the only place with their logic.
import type { FastifyReply } from 'fastify';
import {
  type Claimlink,
  ClaimlinkError,
  type ClaimSubmission,
  isClaimlinkError,
  type LinkRequest,
  type Session,
} from '../../lib/index.js';
import type { Fault, LinkFilter, MockLink, NewMockClient, RequestFilter, Scope } from '../control.js';
import type { ScenarioSession } from '../scenario/session.js';
import type { ClientState, MockState } from '../state/types.js';
import { type BODIES, component, listOf, type QUERIES, RESPONSES } from './control-schemas.js';
import type { EventStreams } from './events.js';
import { controlError } from './problem.js';

/** A control route. */
export interface ControlRoute {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Path below `/__mock`, with `:name` parameters. */
  path: string;
  summary: string;
  /** Default: `none`. */
  query?: keyof typeof QUERIES;
  body?: keyof typeof BODIES;
  /** Default: 64 KiB. */
  bodyLimitBytes?: number;
  /** Schema of the response. Absent: 204 without a body. */
  response?: object;
  /** Default: 200, or 204 without a response. */
  status?: number;
  isPublic?: boolean;
  /** Responds with what it resolves to; with nothing if it has sent a response itself. */
  handle(request: ControlRequest, reply: FastifyReply): unknown;
}

/** A request whose query and body have been checked. */
export interface ControlRequest {
  params: { name: string; id: string; clientId: string; userId: string };
  query: ControlQuery;
  /** The client of the query. */
  scope: Scope;
  // biome-ignore lint/suspicious/noExplicitAny: the schema of the route has checked it
  body: any;
}

interface ControlQuery {
  client?: string;
  user?: string;
  route?: RequestFilter['route'];
  method?: string;
  status?: string;
  state?: MockLink['state'];
  after?: number;
  limit?: number;
  count?: number;
  timeout?: number;
}

/** What the routes need. */
export interface ControlContext {
  state: MockState;
  claimlink: Claimlink;
  streams: EventStreams;
  /** Aborted when the mock closes. */
  closing: AbortSignal;
  /** The OpenAPI document of the control API. */
  document(): object;
}

type RouteOptions = Omit<ControlRoute, 'method' | 'path' | 'summary' | 'handle'>;

const routeOf =
  (method: ControlRoute['method']) =>
  (path: string, summary: string, options: RouteOptions, handle: ControlRoute['handle']): ControlRoute => ({
    method,
    path,
    summary,
    ...options,
    handle,
  });

const get = routeOf('GET');
const put = routeOf('PUT');
const post = routeOf('POST');
const remove = routeOf('DELETE');

const SESSIONS_LIMIT_BYTES = 16 * 1024 * 1024;

/** Creates the routes. */
export function createControlRoutes(context: ControlContext): ControlRoute[] {
  return [
    ...generalRoutes(context),
    ...clientRoutes(context),
    ...linkRoutes(context),
    ...clockRoutes(context),
    ...trafficRoutes(context),
  ];
}

function generalRoutes({ state, claimlink, document }: ControlContext): ControlRoute[] {
  return [
    get(
      '/health',
      'Responds as soon as the mock is ready. Needs no token.',
      { isPublic: true, response: RESPONSES.health },
      () => ({ status: 'ok' }),
    ),
    get(
      '/openapi.json',
      'The OpenAPI document of this control API. Needs no token.',
      { isPublic: true, response: RESPONSES.document },
      document,
    ),
    get(
      '/service-openapi.json',
      'The OpenAPI document of the service. Needs no token.',
      { isPublic: true, response: RESPONSES.document },
      () => claimlink.openapi,
    ),
    get(
      '/state',
      'Seed, clock, and clients with their keys, users and counts.',
      { response: component('State') },
      () => ({
        publicUrl: state.publicUrl,
        seed: state.options.seed,
        refDate: state.options.refDate,
        isPersistent: state.options.persistFile !== undefined,
        clock: state.clock(),
        clients: state.clientStates().map(({ client, clock, links }) => ({
          ...client,
          clock: clock.read(),
          links: links.count(),
          requests: state.requests.count({ clientId: client.clientId }),
        })),
      }),
    ),
    post(
      '/reset',
      'Restores the initial state. Without a client, removes added clients as well.',
      { query: 'scope' },
      ({ scope }) => state.reset(scope),
    ),
    get('/snapshots', 'Lists snapshots.', { query: 'scope', response: listOf('Snapshot') }, ({ scope }) =>
      state.snapshots(scope),
    ),
    put(
      '/snapshots/:name',
      'Takes a snapshot of the client, or of everything. Replaces one of the same client and name.',
      { query: 'scope', response: component('Snapshot') },
      ({ params, scope }) => state.takeSnapshot(params.name, scope),
    ),
    post(
      '/snapshots/:name/restore',
      'Restores a snapshot of the client, or of everything.',
      { query: 'scope' },
      ({ params, scope }) => {
        if (!state.restoreSnapshot(params.name, scope)) throw controlError('snapshot_not_found');
      },
    ),
    remove(
      '/snapshots/:name',
      'Deletes a snapshot of the client, or of everything.',
      { query: 'scope' },
      ({ params, scope }) => {
        if (!state.deleteSnapshot(params.name, scope)) throw controlError('snapshot_not_found');
      },
    ),
  ];
}

function clientRoutes({ state, claimlink }: ControlContext): ControlRoute[] {
  const path = '/clients/:clientId/users/:userId/sessions';

  async function listSessions({ clientId, userId }: ControlRequest['params']): Promise<Session[]> {
    const sessions: Session[] = [];
    let cursor: string | undefined;
    do {
      const page = await state.runFor(clientId, () =>
        claimlink.listSessions(clientId, userId, cursor === undefined ? {} : { cursor }),
      );
      sessions.push(...page.sessions);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return sessions;
  }

  return [
    get('/clients', 'Lists the clients with their API keys.', { response: listOf('MockClient') }, () =>
      state.clients(),
    ),
    post(
      '/clients',
      'Adds a client. Generates what the body leaves out.',
      { body: 'client', status: 201, response: component('MockClient') },
      ({ body }) => state.addClient(body as NewMockClient),
    ),
    get(
      '/clients/:clientId',
      'Returns one client.',
      { response: component('MockClient') },
      ({ params }) => state.needClient(params.clientId).client,
    ),
    remove('/clients/:clientId', 'Removes a client that was added while the mock runs.', {}, ({ params }) => {
      if (!state.removeClient(params.clientId))
        throw controlError('client_not_found', 'There is no such client, or the mock was started with it.');
    }),
    get(
      path,
      'Lists all sessions of a user, with everything that is stored.',
      { response: listOf('Session') },
      ({ params }) => listSessions(params),
    ),
    put(
      path,
      'Replaces the sessions of a user, in the form of a scenario: exactly these, none generated.',
      { body: 'sessions', bodyLimitBytes: SESSIONS_LIMIT_BYTES, response: listOf('Session') },
      ({ params, body }) => {
        state.setSessions(params.clientId, params.userId, body as ScenarioSession[]);
        return listSessions(params);
      },
    ),
    post(
      path,
      'Adds a session to a user, in the form of a scenario.',
      { body: 'session', status: 201, response: component('Session') },
      async ({ params, body }) => {
        const reference = state.addSession(params.clientId, params.userId, body as ScenarioSession);
        return (await listSessions(params)).find((session) => session.reference === reference);
      },
    ),
  ];
}

function linkRoutes({ state, claimlink }: ControlContext): ControlRoute[] {
  /** Finds the link that a body names, within the scope of the query. */
  function findLink({ body, query }: ControlRequest): { client: ClientState; link: MockLink } {
    const found = state.findLink(body.link);
    if (query.client !== undefined && query.client !== found.link.clientId)
      throw new ClaimlinkError('link_not_found', 'This client has no such link.');
    return found;
  }

  /** Calls the service for a link, at the time of its client. */
  function callFor<T>(
    { clientId, url }: MockLink,
    run: (accessCode: string, token: string) => Promise<T>,
  ): Promise<T> {
    const { pathname, searchParams } = new URL(url);
    const accessCode = pathname.slice(pathname.lastIndexOf('/') + 1);
    return state.runFor(clientId, () => run(accessCode, searchParams.get('token') ?? ''));
  }

  async function create({ clientId, request }: { clientId: string; request: LinkRequest }) {
    const { links } = state.needClient(clientId);
    const { url } = await within('/request', () =>
      state.runFor(clientId, () => claimlink.createLink(clientId, request)),
    );
    return links.find(url);
  }

  return [
    get(
      '/links',
      'Lists links with their URLs, newest first.',
      { query: 'links', response: listOf('Link') },
      ({ query }) => state.links(linkFilterFrom(query)),
    ),
    get('/links/count', 'Counts links.', { query: 'linkCount', response: RESPONSES.count }, ({ query }) => ({
      count: state.countLinks(linkFilterFrom(query)),
    })),
    post(
      '/links',
      'Creates a link as the API does: `{ clientId, request }`.',
      { body: 'newLink', status: 201, response: component('Link') },
      ({ body }) => create(body),
    ),
    post(
      '/links/open',
      'Opens a link as a browser does: `{ link }`, its URL or id.',
      { query: 'scope', body: 'link', response: component('Link') },
      async (request) => {
        const { client, link } = findLink(request);
        await callFor(link, claimlink.openLink);
        return client.links.find(link.id);
      },
    ),
    post(
      '/links/submit',
      'Submits a link: `{ link, claim }`. Without a claim one is generated.',
      { query: 'scope', body: 'submission', response: RESPONSES.submission },
      async (request) => {
        const { client, link } = findLink(request);
        const { clientId, userId, id } = link;
        const given = request.body.claim as ClaimSubmission | undefined;
        const generate = () =>
          state.seeder.claimOf(clientId, userId, client.links.ordinalOf(id), state.now());
        const { reference, redirectUrl, repeated } = await within('/claim', () =>
          callFor(link, (accessCode, token) => claimlink.submitClaim(accessCode, token, given ?? generate())),
        );
        return { reference, repeated, ...(redirectUrl !== undefined && { redirectUrl }) };
      },
    ),
    post(
      '/links/expire',
      'Lets a link expire now.',
      { query: 'scope', body: 'link', response: component('Link') },
      (request) => {
        const { client, link } = findLink(request);
        return client.links.expire(link.id);
      },
    ),
    post(
      '/links/revoke',
      'Revokes a link. A link that is submitted or expired is a 410.',
      { query: 'scope', body: 'link', response: component('Link') },
      async (request) => {
        const { client, link } = findLink(request);
        await callFor(link, (accessCode) => claimlink.revokeLink(link.clientId, accessCode));
        const after = client.links.find(link.id);
        if (after?.state === 'submitted') throw new ClaimlinkError('link_submitted');
        if (after?.state === 'expired') throw new ClaimlinkError('link_expired');
        return after;
      },
    ),
  ];
}

function clockRoutes({ state }: ControlContext): ControlRoute[] {
  const shared = { query: 'scope', response: component('Clock') } as const;
  return [
    get('/clock', 'Reads the clock.', shared, ({ scope }) => state.clock(scope)),
    put(
      '/clock',
      'Sets, freezes or resumes the clock: `{ now, isFrozen }`.',
      { ...shared, body: 'clock' },
      ({ scope, body }) => state.setClock(body, scope),
    ),
    post(
      '/clock/advance',
      'Advances the clock: `{ ms }`.',
      { ...shared, body: 'advance' },
      ({ scope, body }) => state.advanceClock(body.ms, scope),
    ),
    remove('/clock', 'Lets the clock follow the system clock again.', shared, ({ scope }) =>
      state.resetClock(scope),
    ),
  ];
}

function trafficRoutes({ state, streams, closing }: ControlContext): ControlRoute[] {
  return [
    get(
      '/faults',
      'Lists the faults that are set. With a client: its own.',
      { query: 'scope', response: listOf('Fault') },
      ({ scope }) => state.faults(scope),
    ),
    post(
      '/faults',
      'Sets a fault. Without clientId it applies to every client.',
      { body: 'fault', status: 201, response: component('Fault') },
      ({ body }) => state.addFault(body as Fault),
    ),
    remove(
      '/faults',
      'Removes the faults of the client, or all.',
      { query: 'scope', response: RESPONSES.cleared },
      ({ scope }) => ({ cleared: state.clearFaults(scope) }),
    ),
    remove('/faults/:id', 'Removes one fault.', { query: 'scope' }, ({ params: { id }, scope }) => {
      if (state.clearFaults({ ...scope, id }) > 0) return;
      const isShared = state.faults().some((fault) => fault.id === id && fault.clientId === undefined);
      throw controlError(isShared ? 'fault_shared' : 'fault_not_found');
    }),
    get(
      '/requests',
      'Lists logged requests, oldest first: the last `limit` of them.',
      { query: 'requests', response: listOf('LoggedRequest') },
      ({ query }) => state.requests.list(requestFilterFrom(query)),
    ),
    get(
      '/requests/count',
      'Counts requests exactly, including those that the log no longer holds.',
      { query: 'requestCount', response: RESPONSES.count },
      ({ query }) => ({ count: state.requests.count(requestFilterFrom(query)) }),
    ),
    get(
      '/requests/wait',
      'Responds with the requests as soon as there are `count`; 504 after `timeout` milliseconds.',
      { query: 'requestWait', response: listOf('LoggedRequest') },
      async ({ query }, reply) => {
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        const { count, timeout } = query;
        const filter = {
          ...requestFilterFrom(query),
          ...(count !== undefined && { count }),
          ...(timeout !== undefined && { timeoutMs: timeout }),
        };
        try {
          return await state.requests.wait(filter, AbortSignal.any([gone.signal, closing]));
        } catch (error) {
          throw closing.aborted || gone.signal.aborted ? controlError('mock_closed') : error;
        }
      },
    ),
    remove(
      '/requests',
      'Clears the request log of the client, or all of it.',
      { query: 'scope', response: RESPONSES.cleared },
      ({ scope }) => ({ cleared: state.requests.clear(scope) }),
    ),
    get(
      '/events',
      'Server-sent events: `request`, `link`, `sessions`, `changed`. At most 50 readers.',
      { query: 'scope', response: { type: 'string' } },
      ({ scope }, reply) => {
        streams.open(reply, scope);
      },
    ),
  ];
}

/** Runs a function whose input is a member of the body: pointers of its errors are below that member. */
async function within<T>(member: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'request_invalid' || !error.details) throw error;
    const details = error.details.map((each) => ({ ...each, pointer: member + (each.pointer ?? '') }));
    throw new ClaimlinkError('request_invalid', error.message, { details });
  }
}

/** Returns the scope of a query. */
export function scopeFrom({ client }: ControlQuery): Scope {
  return client === undefined ? {} : { clientId: client };
}

function linkFilterFrom({ user, state, limit, ...query }: ControlQuery): LinkFilter {
  return {
    ...scopeFrom(query),
    ...(user !== undefined && { userId: user }),
    ...(state !== undefined && { state }),
    ...(limit !== undefined && { limit }),
  };
}

function requestFilterFrom({
  user,
  route,
  method,
  status,
  after,
  limit,
  ...query
}: ControlQuery): RequestFilter {
  return {
    ...scopeFrom(query),
    ...(user !== undefined && { userId: user }),
    ...(route !== undefined && { route }),
    ...(method !== undefined && { method }),
    ...(status !== undefined && {
      status: (/^\d+$/.test(status) ? Number(status) : status) as NonNullable<RequestFilter['status']>,
    }),
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit }),
  };
}
