// Control routes about the world: state, reset, snapshots, clients, sessions and the clock.
import type { FastifyInstance } from 'fastify';
import { ClaimlinkError } from '../../lib/index.js';
import type { MockControl, NewMockClient } from '../control.js';
import type { Mock } from '../mock.js';
import type { ScenarioSession } from '../scenario/scenario.js';
import { momentProblem } from '../world/clocks.js';
import type { SnapshotShelf } from '../world/snapshot-shelf.js';
import { readBody, readQuery, scopeOf } from './control-query.js';
import { shortened, stateOf } from './control-state.js';
import { sendProblem } from './problem.js';

interface Params {
  Params: { name: string; clientId: string; userId: string };
}

const CLOCK_CHECKS = {
  now: momentProblem,
  isFrozen: (value: unknown) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
};

const ADVANCE_CHECKS = {
  ms: (value: unknown) =>
    Number.isSafeInteger(value)
      ? undefined
      : 'must be a whole number of milliseconds; a negative one turns back',
};

/** Registers them. */
export function registerWorldRoutes(scope: FastifyInstance, mock: Mock, snapshots: SnapshotShelf): void {
  const { control } = mock;

  scope.get('/__mock/state', (request) => {
    readQuery(request.query, []);
    return stateOf(mock);
  });

  scope.post('/__mock/reset', (request, reply) => {
    control.reset(scopeOf(readQuery(request.query, ['client'])));
    return reply.send({ status: 'reset' });
  });

  registerSnapshots(scope, snapshots);
  registerClients(scope, mock);
  registerSessions(scope, control);
  registerClock(scope, control);
}

function registerSnapshots(scope: FastifyInstance, snapshots: SnapshotShelf): void {
  scope.get('/__mock/snapshots', ({ query }) => {
    readQuery(query, []);
    return snapshots.names();
  });
  scope.put<Params>('/__mock/snapshots/:name', ({ query, params }) => ({
    name: params.name,
    ...snapshots.take(params.name, scopeOf(readQuery(query, ['client']))),
  }));
  scope.post<Params>('/__mock/snapshots/:name/restore', ({ params, query }, reply) => {
    readQuery(query, []);
    if (!snapshots.names().includes(params.name)) return sendProblem(reply, 'snapshot_not_found');
    snapshots.restore(params.name);
    return reply.send({ name: params.name });
  });
  scope.delete<Params>('/__mock/snapshots/:name', ({ params, query }, reply) => {
    readQuery(query, []);
    return snapshots.forget(params.name) ? reply.code(204).send() : sendProblem(reply, 'snapshot_not_found');
  });
}

function registerClients(scope: FastifyInstance, { control, saved }: Mock): void {
  scope.get('/__mock/clients', ({ query }) => {
    readQuery(query, []);
    return control.clients.map(shortened);
  });
  scope.post('/__mock/clients', async ({ body, query }, reply) => {
    readQuery(query, []);
    // Its members are checked by what adds it.
    const client = await control.addClient((body ?? {}) as NewMockClient);
    return reply.code(201).send(shortened(client));
  });
  scope.delete<Params>('/__mock/clients/:clientId', async ({ params, query }, reply) => {
    readQuery(query, []);
    if (control.removeClient(params.clientId)) {
      await saved();
      return reply.code(204).send();
    }
    const detail = 'There is no such client, or it is one that the mock was started with.';
    return sendProblem(reply, 'client_not_found', { detail });
  });
}

function registerSessions(scope: FastifyInstance, control: MockControl): void {
  const path = '/__mock/clients/:clientId/users/:userId/sessions';
  const list = ({ clientId, userId }: Params['Params']) => control.sessions(clientId, userId);
  scope.get<Params>(path, ({ params, query }) => {
    readQuery(query, []);
    return list(params);
  });
  scope.put<Params>(path, ({ params, body, query }) => {
    readQuery(query, []);
    control.setSessions(params.clientId, params.userId, body as ScenarioSession[]);
    return list(params);
  });
  scope.post<Params>(path, async ({ params, body, query }, reply) => {
    readQuery(query, []);
    await control.addSession(params.clientId, params.userId, body as ScenarioSession);
    return reply.code(201).send(await list(params));
  });
}

function registerClock(scope: FastifyInstance, { clock }: MockControl): void {
  const inScope = (query: unknown) => scopeOf(readQuery(query, ['client']));

  scope.get('/__mock/clock', ({ query }) => clock.read(inScope(query)));
  scope.put('/__mock/clock', ({ query, body }) => {
    const scoped = inScope(query);
    const wanted = readBody<{ now?: string; isFrozen?: boolean }>(body, CLOCK_CHECKS, 'the clock');
    // Frozen first: the moment that it is set to is then the one that it shows.
    if (wanted.isFrozen === true) clock.freeze(scoped);
    if (wanted.now !== undefined) clock.set(wanted.now, scoped);
    if (wanted.isFrozen === false) clock.resume(scoped);
    return clock.read(scoped);
  });
  scope.post('/__mock/clock/advance', ({ query, body }) => {
    const { ms } = readBody<{ ms?: number }>(body, ADVANCE_CHECKS, 'how far the clock is to go');
    if (ms === undefined) throw missingMs();
    return clock.advance(ms, inScope(query));
  });
  scope.delete('/__mock/clock', ({ query }) => clock.reset(inScope(query)));
}

function missingMs(): ClaimlinkError {
  const detail = 'is required, a whole number of milliseconds; a negative one turns back';
  return new ClaimlinkError('request_invalid', `The body is not valid: ms ${detail}.`, {
    details: [{ pointer: '/ms', rule: 'required', detail }],
  });
}
