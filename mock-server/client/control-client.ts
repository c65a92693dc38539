// The methods of MockControl: each is one call of the control API.
import type { MockControl, MockEvent, MockLink, MockTenant, RequestFilter, Scope } from '../control.js';
import { MockControlError } from '../control-error.js';
import { revive } from './revive.js';

/** One call of the control API. */
export interface ControlCall {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query below `/__mock`. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  body?: string;
}

/** Carries calls and events: by fetch, or by the inject method of an app in this process. */
export interface ControlTransport {
  /** Resolves for every status. Rejects if there is no response. */
  request(call: ControlCall): Promise<{ status: number; body: string }>;
  /** Resolves to a function that ends the subscription. `onClose` is called once when the server ends it. */
  subscribe(scope: Scope, onEvent: (event: MockEvent) => void, onClose: () => void): Promise<() => void>;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** Returns a query with its question mark, or '' without parameters. */
export function toQuery(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** Returns the error of a response, which is a problem (RFC 9457) if the mock sent it. */
export function errorOf(status: number, body: string): MockControlError {
  try {
    const { code, detail, errors } = JSON.parse(body);
    return new MockControlError(status, String(code), String(detail), { details: errors ?? [] });
  } catch {
    return new MockControlError(
      status,
      'unknown',
      `The response has status ${status} and no problem details.`,
    );
  }
}

/** Returns the error of a call without a response. */
export function unreachable(message: string, cause: unknown): MockControlError {
  return new MockControlError(0, 'unreachable', message, { cause });
}

/** Creates the methods of a mock over a transport. With `fixed.clientId` every method applies to that client only. */
export function createControlClient(transport: ControlTransport, fixed: Scope = {}): MockControl {
  async function call<T>(
    method: ControlCall['method'],
    path: string,
    { query = {}, body }: { query?: Query; body?: unknown } = {},
  ): Promise<T> {
    const response = await transport.request({
      method,
      path: path + toQuery(query),
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (response.status >= 400) throw errorOf(response.status, response.body);
    return (response.body === '' ? undefined : revive(JSON.parse(response.body))) as T;
  }

  const inScope = (scope: Scope = {}) => ({ client: fixed.clientId ?? scope.clientId });
  const filtered = (filter: RequestFilter & { count?: number; timeoutMs?: number } = {}): Query => {
    const { clientId: _, userId, timeoutMs, ...rest } = filter;
    return { ...inScope(filter), user: userId, timeout: timeoutMs, ...rest };
  };
  const toClientPath = (clientId: string) => `/clients/${encodeURIComponent(clientId)}`;
  const toSessionsPath = (clientId: string, userId: string) =>
    `${toClientPath(clientId)}/users/${encodeURIComponent(userId)}/sessions`;
  const toSnapshotPath = (name: string) => `/snapshots/${encodeURIComponent(name)}`;
  const changeLink = async (action: 'open' | 'expire' | 'revoke', link: string): Promise<MockLink> =>
    call('POST', `/links/${action}`, { query: inScope(), body: { link } });

  const control: MockControl = {
    state: async () => call('GET', '/state'),
    clients: () => call('GET', '/clients'),
    addClient: (client = {}) => call('POST', '/clients', { body: client }),
    updateClient: (clientId, change) => call('PATCH', toClientPath(clientId), { body: change }),
    removeClient: (clientId) => existed(call('DELETE', toClientPath(clientId))),
    createTenant: async (client) => toTenant(transport, await control.addClient(client)),
    tenant: async (clientId) => toTenant(transport, await call('GET', toClientPath(clientId))),

    reset: (scope) => call('POST', '/reset', { query: inScope(scope) }),
    snapshot: async (name, scope) => call('PUT', toSnapshotPath(name), { query: inScope(scope) }),
    restore: (name, scope) => call('POST', `${toSnapshotPath(name)}/restore`, { query: inScope(scope) }),
    snapshots: async (scope) => call('GET', '/snapshots', { query: inScope(scope) }),
    deleteSnapshot: (name, scope) => existed(call('DELETE', toSnapshotPath(name), { query: inScope(scope) })),

    sessions: async (clientId, userId) => call('GET', toSessionsPath(clientId, userId)),
    setSessions: async (clientId, userId, sessions) =>
      call('PUT', toSessionsPath(clientId, userId), { body: sessions }),
    addSession: async (clientId, userId, session) =>
      call('POST', toSessionsPath(clientId, userId), { body: session }),

    clock: async (scope) => call('GET', '/clock', { query: inScope(scope) }),
    setClock: async (change, scope) => call('PUT', '/clock', { query: inScope(scope), body: change }),
    advanceClock: async (ms, scope) =>
      call('POST', '/clock/advance', { query: inScope(scope), body: { ms } }),
    resetClock: async (scope) => call('DELETE', '/clock', { query: inScope(scope) }),

    addFault: (fault) => call('POST', '/faults', { body: { ...fault, ...fixed } }),
    failNext: (fault) => control.addFault({ ...fault, times: 1 }),
    faults: (scope) => call('GET', '/faults', { query: inScope(scope) }),
    async clearFaults({ id, ...scope } = {}) {
      const query = inScope(scope);
      if (id !== undefined)
        return Number(await existed(call('DELETE', `/faults/${encodeURIComponent(id)}`, { query })));
      return (await call<{ cleared: number }>('DELETE', '/faults', { query })).cleared;
    },

    requests: async (filter) => call('GET', '/requests', { query: filtered(filter) }),
    countRequests: async (filter) =>
      (await call<{ count: number }>('GET', '/requests/count', { query: filtered(filter) })).count,
    waitForRequests: async (filter) => call('GET', '/requests/wait', { query: filtered(filter) }),
    clearRequests: async (scope) =>
      (await call<{ cleared: number }>('DELETE', '/requests', { query: inScope(scope) })).cleared,

    links: async ({ userId, state, limit, ...scope } = {}) =>
      call('GET', '/links', { query: { ...inScope(scope), user: userId, state, limit } }),
    async countLinks({ userId, state, ...scope } = {}) {
      const query = { ...inScope(scope), user: userId, state };
      return (await call<{ count: number }>('GET', '/links/count', { query })).count;
    },
    createLink: async (clientId, request) => call('POST', '/links', { body: { clientId, request } }),
    openLink: (link) => changeLink('open', link),
    submitLink: (link, claim) => call('POST', '/links/submit', { query: inScope(), body: { link, claim } }),
    expireLink: (link) => changeLink('expire', link),
    revokeLink: (link) => changeLink('revoke', link),

    subscribe: (listener, { onClose = () => {}, ...scope } = {}) =>
      transport.subscribe({ ...scope, ...fixed }, listener, onClose),
  };
  return control;
}

/** Returns the methods for one client. */
function toTenant(
  transport: ControlTransport,
  { clientId, apiKey }: { clientId: string; apiKey: string },
): MockTenant {
  const scoped = createControlClient(transport, { clientId });
  const { state, clients, addClient, updateClient, removeClient, createTenant, tenant, ...methods } = scoped;
  const remove = async () => void (await removeClient(clientId));
  return {
    ...methods,
    clientId,
    apiKey,
    sessions: (userId) => methods.sessions(clientId, userId),
    setSessions: (userId, sessions) => methods.setSessions(clientId, userId, sessions),
    addSession: (userId, session) => methods.addSession(clientId, userId, session),
    createLink: (request) => methods.createLink(clientId, request),
    update: (change) => updateClient(clientId, change),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

/** Resolves to false if the response is a 404. */
async function existed(deletion: Promise<unknown>): Promise<boolean> {
  try {
    await deletion;
    return true;
  } catch (error) {
    if (error instanceof MockControlError && error.status === 404) return false;
    throw error;
  }
}
