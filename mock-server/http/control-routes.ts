// The control API below /__mock: the methods of MockControl as routes. This is the only place with their logic.
import type { FastifyReply } from 'fastify';
import { readAll } from '../../lib/core/records.js';
import {
  type Claimlink,
  ClaimlinkError,
  hashAccessCode,
  isClaimlinkError,
  type Session,
} from '../../lib/index.js';
import type { ControlCall } from '../client/control-client.js';
import type { LinkFilter, MockLink, RequestFilter, Scope } from '../control.js';
import type { MockState } from '../state/mock-state.js';
import { type BODIES, component, listOf, type QUERIES, RESPONSES } from './control-schemas.js';
import { createEventStreams } from './events.js';
import { controlError } from './problem.js';

/** Responds with what it resolves to; with nothing if it has sent a response itself. */
type Handle = (request: ControlRequest, reply: FastifyReply) => unknown;

/** Routes by method and path below `/__mock`, with `:name` parameters: `GET /clients/:clientId`. */
type Routes = Readonly<Record<string, readonly [summary: string, options: RouteOptions, handle: Handle]>>;

interface RouteOptions {
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
}

export interface ControlRoute extends RouteOptions {
  query: keyof typeof QUERIES;
  method: ControlCall['method'];
  path: string;
  summary: string;
  handle: Handle;
}

/** A request whose query and body have been checked. */
export interface ControlRequest {
  params: { name: string; id: string; clientId: string; userId: string };
  /** The query, with the names of the control interface. */
  filter: Scope & LinkFilter & RequestFilter & { count?: number; timeoutMs?: number };
  // biome-ignore lint/suspicious/noExplicitAny: the schema of the route has checked it
  body: any;
}

export interface ControlContext {
  state: MockState;
  claimlink: Claimlink;
  /** Aborted with `mock_closed` when the mock closes. */
  closing: AbortSignal;
  /** The OpenAPI document of the control API. */
  document(): object;
}

const SESSIONS_LIMIT_BYTES = 16 * 1024 * 1024;

export function createControlRoutes(context: ControlContext): ControlRoute[] {
  const parts = [generalRoutes, clientRoutes, linkRoutes, clockRoutes, trafficRoutes];
  return parts.flatMap((part) =>
    Object.entries(part(context)).map(([target, [summary, options, handle]]) => {
      const [method, path = ''] = target.split(' ');
      return { method: method as ControlRoute['method'], path, summary, query: 'none', ...options, handle };
    }),
  );
}

function generalRoutes({ state, claimlink, document }: ControlContext): Routes {
  return {
    'GET /health': [
      'Responds as soon as the mock is ready. Needs no token.',
      { isPublic: true, response: RESPONSES.health },
      () => ({ status: 'ok' }),
    ],
    'GET /openapi.json': [
      'The OpenAPI document of this control API. Needs no token.',
      { isPublic: true, response: RESPONSES.document },
      document,
    ],
    'GET /service-openapi.json': [
      'The OpenAPI document of the service. Needs no token.',
      { isPublic: true, response: RESPONSES.document },
      () => claimlink.openapi,
    ],
    'GET /state': [
      'Seed, clock, and clients with their keys, users and counts.',
      { response: component('State') },
      () => ({
        publicUrl: state.publicUrl,
        seed: state.options.seed,
        refDate: state.options.refDate,
        isPersistent: state.options.persistFile !== undefined,
        clock: state.clock(),
        clients: state.tenants().map(({ client, client: { clientId }, links }) => ({
          ...client,
          clock: state.clock({ clientId }),
          links: links.count(),
          requests: state.requests.count({ clientId }),
        })),
      }),
    ],
    'POST /reset': [
      'Restores the initial state. Without a client, removes added clients as well.',
      { query: 'scope' },
      ({ filter }) => state.reset(filter),
    ],
    'GET /snapshots': [
      'Lists snapshots.',
      { query: 'scope', response: listOf('Snapshot') },
      ({ filter }) => state.snapshots(filter),
    ],
    'PUT /snapshots/:name': [
      'Takes a snapshot of the client, or of everything. Replaces one of the same client and name.',
      { query: 'scope', response: component('Snapshot') },
      ({ params, filter }) => state.takeSnapshot(params.name, filter),
    ],
    'POST /snapshots/:name/restore': [
      'Restores a snapshot of the client, or of everything.',
      { query: 'scope' },
      ({ params, filter }) => {
        if (!state.restoreSnapshot(params.name, filter)) throw controlError('snapshot_not_found');
      },
    ],
    'DELETE /snapshots/:name': [
      'Deletes a snapshot of the client, or of everything.',
      { query: 'scope' },
      ({ params, filter }) => {
        if (!state.deleteSnapshot(params.name, filter)) throw controlError('snapshot_not_found');
      },
    ],
  };
}

function clientRoutes({ state, claimlink }: ControlContext): Routes {
  const path = '/clients/:clientId/users/:userId/sessions';

  const listSessions = ({ clientId, userId }: ControlRequest['params']): Promise<Session[]> =>
    readAll(async (cursor) => {
      const listPage = () => claimlink.listSessions(clientId, userId, cursor);
      const { sessions, nextCursor } = await state.runFor(clientId, listPage);
      return { items: sessions, nextCursor };
    });

  return {
    'GET /clients': [
      'Lists the clients with their API keys.',
      { response: listOf('MockClient') },
      () => state.clients(),
    ],
    'POST /clients': [
      'Adds a client. Generates what the body leaves out.',
      { body: 'client', status: 201, response: component('MockClient') },
      ({ body }) => state.addClient(body),
    ],
    'GET /clients/:clientId': [
      'Returns one client.',
      { response: component('MockClient') },
      ({ params }) => state.needClient(params.clientId).client,
    ],
    'PATCH /clients/:clientId': [
      'Changes settings of a client. Members that are missing stay, null removes a member.',
      { body: 'clientChange', response: component('MockClient') },
      ({ params, body }) => state.updateClient(params.clientId, body),
    ],
    'DELETE /clients/:clientId': [
      'Removes a client that was added while the mock runs.',
      {},
      ({ params }) => {
        if (!state.removeClient(params.clientId))
          throw controlError('client_not_found', 'There is no such client, or the mock was started with it.');
      },
    ],
    [`GET ${path}`]: [
      'Lists all sessions of a user, with everything that is stored.',
      { response: listOf('Session') },
      ({ params }) => listSessions(params),
    ],
    [`PUT ${path}`]: [
      'Replaces the sessions of a user, in the form of a scenario: exactly these, none generated.',
      { body: 'sessions', bodyLimitBytes: SESSIONS_LIMIT_BYTES, response: listOf('Session') },
      ({ params, body }) => {
        state.setSessions(params.clientId, params.userId, body);
        return listSessions(params);
      },
    ],
    [`POST ${path}`]: [
      'Adds a session to a user, in the form of a scenario.',
      { body: 'session', status: 201, response: component('Session') },
      async ({ params, body }) => {
        const reference = state.addSession(params.clientId, params.userId, body);
        return (await listSessions(params)).find((session) => session.reference === reference);
      },
    ],
  };
}

type FoundLink = ReturnType<MockState['findLink']>;

function linkRoutes({ state, claimlink }: ControlContext): Routes {
  /** Finds the link that a body names, within the scope of the query. */
  function findLink({ body, filter }: ControlRequest): FoundLink {
    const found = state.findLink(body.link);
    if (filter.clientId !== undefined && filter.clientId !== found.link.clientId)
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

  const oneLink = { query: 'scope', body: 'link', response: component('Link') } as const;

  /** Returns a handler that changes a link and responds with it. */
  function change(action: (found: FoundLink) => unknown): Handle {
    return async (request) => {
      const found = findLink(request);
      await action(found);
      return found.client.links.find(found.link.id);
    };
  }

  return {
    'GET /links': [
      'Lists links with their URLs, newest first.',
      { query: 'links', response: listOf('Link') },
      ({ filter }) => state.links(filter),
    ],
    'GET /links/count': [
      'Counts links.',
      { query: 'linkCount', response: RESPONSES.count },
      ({ filter }) => ({ count: state.countLinks(filter) }),
    ],
    'POST /links': [
      'Creates a link as the API does: `{ clientId, request }`.',
      { body: 'newLink', status: 201, response: component('Link') },
      async ({ body: { clientId, request } }) => {
        const { links } = state.needClient(clientId);
        const { url } = await within('/request', () =>
          state.runFor(clientId, () => claimlink.createLink(clientId, request)),
        );
        return links.find(url);
      },
    ],
    'POST /links/open': [
      'Opens a link as a browser does: `{ link }`, its URL or id.',
      oneLink,
      change(({ link }) => callFor(link, claimlink.openLink)),
    ],
    'POST /links/submit': [
      'Submits a link: `{ link, claim }`. Without a claim one is generated.',
      { query: 'scope', body: 'submission', response: RESPONSES.submission },
      async (request) => {
        const { client, link } = findLink(request);
        const { clientId, userId, id } = link;
        const { reference, redirectUrl, repeated } = await within('/claim', () =>
          callFor(link, (accessCode, token) => {
            const generate = () =>
              state.seeder.claimOf(clientId, userId, client.links.ordinalOf(id), state.now());
            return claimlink.submitClaim(accessCode, token, request.body.claim ?? generate());
          }),
        );
        return { reference, repeated, ...(redirectUrl !== undefined && { redirectUrl }) };
      },
    ],
    'POST /links/expire': [
      'Lets a link expire now.',
      oneLink,
      change(({ client, link }) => client.links.expire(link.id)),
    ],
    'POST /links/revoke': [
      'Revokes a link. A link that is submitted or expired is a 410.',
      oneLink,
      change(async ({ client, link }) => {
        await callFor(link, (accessCode) => claimlink.revokeLink(link.clientId, hashAccessCode(accessCode)));
        const state = client.links.find(link.id)?.state;
        if (state === 'submitted' || state === 'expired') throw new ClaimlinkError(`link_${state}`);
      }),
    ],
  };
}

function clockRoutes({ state }: ControlContext): Routes {
  const shared = { query: 'scope', response: component('Clock') } as const;
  return {
    'GET /clock': ['Reads the clock.', shared, ({ filter }) => state.clock(filter)],
    'PUT /clock': [
      'Sets, freezes or resumes the clock: `{ now, isFrozen }`.',
      { ...shared, body: 'clock' },
      ({ filter, body }) => state.setClock(body, filter),
    ],
    'POST /clock/advance': [
      'Advances the clock: `{ ms }`.',
      { ...shared, body: 'advance' },
      ({ filter, body }) => state.advanceClock(body.ms, filter),
    ],
    'DELETE /clock': [
      'Lets the clock follow the system clock again.',
      shared,
      ({ filter }) => state.resetClock(filter),
    ],
  };
}

function trafficRoutes({ state, closing }: ControlContext): Routes {
  const streams = createEventStreams(state.events);
  // Otherwise the server would wait for them, and reset them in the end.
  closing.addEventListener('abort', streams.close);
  return {
    'GET /faults': [
      'Lists the faults that are set. With a client: its own.',
      { query: 'scope', response: listOf('Fault') },
      ({ filter }) => state.faults(filter),
    ],
    'POST /faults': [
      'Sets a fault. Without clientId it applies to every client.',
      { body: 'fault', status: 201, response: component('Fault') },
      ({ body }) => state.addFault(body),
    ],
    'DELETE /faults': [
      'Removes the faults of the client, or all.',
      { query: 'scope', response: RESPONSES.cleared },
      ({ filter }) => ({ cleared: state.clearFaults(filter) }),
    ],
    'DELETE /faults/:id': [
      'Removes one fault.',
      { query: 'scope' },
      ({ params: { id }, filter }) => {
        if (state.clearFaults({ ...filter, id }) > 0) return;
        const isShared = state.faults().some((fault) => fault.id === id && fault.clientId === undefined);
        throw controlError(isShared ? 'fault_shared' : 'fault_not_found');
      },
    ],
    'GET /requests': [
      'Lists logged requests, oldest first: the last `limit` of them.',
      { query: 'requests', response: listOf('LoggedRequest') },
      ({ filter }) => state.requests.list(filter),
    ],
    'GET /requests/count': [
      'Counts requests exactly, including those that the log no longer holds.',
      { query: 'requestCount', response: RESPONSES.count },
      ({ filter }) => ({ count: state.requests.count(filter) }),
    ],
    'GET /requests/wait': [
      'Responds with the requests as soon as there are `count`; 504 after `timeout` milliseconds.',
      { query: 'requestWait', response: listOf('LoggedRequest') },
      ({ filter }, reply) => {
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort(controlError('mock_closed')));
        return state.requests.wait(filter, AbortSignal.any([gone.signal, closing]));
      },
    ],
    'DELETE /requests': [
      'Clears the request log of the client, or all of it.',
      { query: 'scope', response: RESPONSES.cleared },
      ({ filter }) => ({ cleared: state.requests.clear(filter) }),
    ],
    'GET /events': [
      'Server-sent events: `request`, `link`, `sessions`, `changed`. At most 50 readers.',
      { query: 'scope', response: { type: 'string' } },
      ({ filter }, reply) => {
        streams.open(reply, filter);
      },
    ],
  };
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
