// Control routes about requests: faults, the journal, and events as they happen.
import type { FastifyInstance } from 'fastify';
import type { Fault, JournalFilter } from '../control.js';
import type { Mock } from '../mock.js';
import { fromQuery, readNumber, readQuery, scopeOf, toQueryError } from './control-query.js';
import { streamEvents } from './event-stream.js';
import { sendProblem } from './problem.js';

const FILTER = ['client', 'route', 'method', 'status', 'after'] as const;

/** Registers them. */
export function registerTrafficRoutes(scope: FastifyInstance, mock: Mock): void {
  const { control, journal } = mock;

  scope.get('/__mock/faults', ({ query }) => control.faults(scopeOf(readQuery(query, ['client']))));
  scope.post('/__mock/faults', ({ body, query }, reply) => {
    readQuery(query, []);
    // Its members are checked by what sets it.
    return reply.code(201).send(control.addFault(body as Fault));
  });
  scope.delete('/__mock/faults', ({ query }) => ({
    cleared: control.clearFaults(scopeOf(readQuery(query, ['client']))),
  }));
  scope.delete<{ Params: { id: string } }>('/__mock/faults/:id', ({ params, query }, reply) => {
    readQuery(query, []);
    return control.clearFaults({ id: params.id }) > 0
      ? reply.code(204).send()
      : sendProblem(reply, 'fault_not_found');
  });

  scope.get('/__mock/requests', ({ query }) => {
    const filter = filterOf(readQuery(query, FILTER));
    return fromQuery(() => control.requests(filter));
  });
  scope.get('/__mock/requests/count', ({ query }) => {
    const filter = filterOf(readQuery(query, FILTER));
    return { count: fromQuery(() => journal.count(filter)) };
  });
  scope.get('/__mock/requests/wait', ({ query }) => {
    const { count, timeout, ...filter } = readQuery(query, [...FILTER, 'count', 'timeout']);
    const wanted = readNumber('count', count);
    const timeoutMs = readNumber('timeout', timeout);
    const waiting = control.waitForRequests({
      ...filterOf(filter),
      ...(wanted !== undefined && { count: wanted }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    return waiting.catch((error: unknown) => {
      throw toQueryError(error);
    });
  });
  scope.delete('/__mock/requests', ({ query }) => ({
    cleared: control.clearRequests(scopeOf(readQuery(query, ['client']))),
  }));

  scope.get('/__mock/events', (request, reply) => {
    const { clientId } = scopeOf(readQuery(request.query, ['client']));
    const lastId = request.headers['last-event-id'];
    streamEvents(mock.events, reply, {
      ...(clientId !== undefined && { clientId }),
      ...(typeof lastId === 'string' && /^\d{1,15}$/.test(lastId) && { after: Number(lastId) }),
    });
  });
}

/** Its members are checked by what filters. */
function filterOf(query: { [K in (typeof FILTER)[number]]?: string }): JournalFilter {
  const { route, method, status, after } = query;
  const number = readNumber('after', after);
  return {
    ...scopeOf(query),
    ...(route !== undefined && { route }),
    ...(method !== undefined && { method }),
    ...(status !== undefined && { status: /^\d+$/.test(status) ? Number(status) : status }),
    ...(number !== undefined && { after: number }),
  } as JournalFilter;
}
