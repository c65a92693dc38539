// The tracing channels: what their contexts hold, and when they are published.
import { AsyncLocalStorage } from 'node:async_hooks';
import t, { type Test } from 'tap';
import { isStorageTraced } from '../../lib/core/tracing.js';
import {
  bindTraceStore,
  type DeliveryTrace,
  type RequestTrace,
  type StorageTrace,
  subscribeTraces,
  type TRACING_CHANNELS,
} from '../../lib/index.js';
import { claim, createWorld, linkRequest, type WorldOptions } from './world.js';

type Trace = RequestTrace & Partial<StorageTrace & DeliveryTrace>;
type EventName = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error';

/** Records the events of a channel with copies of their contexts, until the end of the test. */
function record(t: Test, name: keyof typeof TRACING_CHANNELS): { event: EventName; trace: Trace }[] {
  const events: { event: EventName; trace: Trace }[] = [];
  const listen = (event: EventName) => (trace: unknown) =>
    events.push({ event, trace: { ...(trace as Trace) } });
  const listeners = {
    start: listen('start'),
    end: listen('end'),
    asyncStart: listen('asyncStart'),
    asyncEnd: listen('asyncEnd'),
    error: listen('error'),
  };
  t.teardown(subscribeTraces(name, listeners));
  return events;
}

/** The contexts of settled calls, without durations. */
function settled(events: ReturnType<typeof record>): Trace[] {
  return events.flatMap(({ event, trace: { durationMs, ...trace } }) =>
    event === 'asyncEnd' ? [trace] : [],
  );
}

t.test('a request has its operation, client, status and code', async (t) => {
  const { list, requestLink, mint, open, submitJson, submitForm, send, call, advance } = await createWorld();
  const link = await mint();
  const events = record(t, 'request');
  await list();
  await list('?limit=0');
  await requestLink(linkRequest());
  await open(link);
  await submitForm(link, {});
  await submitJson(link, claim());
  await open(link);
  await send('GET', '/acme/sessions/user-1');
  await call('GET', '/unknown/sessions/user-1');
  await call('PUT', '/acme/link');
  await send('GET', '/elsewhere/a/b/c');
  advance(86_400_000);
  await open(link);
  const clientId = 'acme';
  t.strictSame(settled(events), [
    { operation: 'listSessions', clientId, status: 200 },
    { operation: 'listSessions', clientId, code: 'request_invalid', status: 400 },
    { operation: 'createLink', clientId, status: 200 },
    { operation: 'openLink', clientId, status: 200 },
    { operation: 'submitClaim', clientId, code: 'request_invalid', status: 400 },
    { operation: 'submitClaim', clientId, status: 200 },
    { operation: 'openLink', clientId, code: 'link_submitted', status: 410 },
    { operation: 'listSessions', code: 'api_key_missing', status: 401 },
    { operation: 'listSessions', code: 'client_not_found', status: 404 },
    { code: 'method_not_allowed', status: 405 },
    { code: 'route_not_found', status: 404 },
    { operation: 'openLink', clientId, code: 'link_submitted', status: 410 },
  ]);
});

t.test('a storage call has its method, and its client once that is known', async (t) => {
  const world = await createWorld();
  const events = record(t, 'storage');
  await world.list();
  const link = await world.mint();
  await world.open(link);
  await world.submitJson(link);
  await world.claimlink.idle();
  await world.claimlink.revokeLink('acme', 'f'.repeat(64));
  await world.claimlink.listSessions('acme', 'user-1');
  const clientId = 'acme';
  t.strictSame(settled(events), [
    { method: 'findCredentials' },
    { method: 'recordKeyUse' },
    { method: 'listSessions', clientId },
    { method: 'findCredentials' },
    { method: 'insertLink', clientId },
    { method: 'findLink', clientId },
    { method: 'markLinkOpened', clientId },
    { method: 'findLink', clientId },
    { method: 'submitLink', clientId },
    { method: 'settleEvent', clientId },
    { method: 'revokeLink', clientId },
    { method: 'findClient' },
    { method: 'listSessions', clientId },
  ]);
});

t.test('a delivery has its event, client, attempt and reason, and publishes error if it fails', async (t) => {
  const world = await createWorld({
    onSubmit: ({ attempt }) => {
      if (attempt === 1) throw Object.assign(new Error('Ada'), { code: 'ECONNREFUSED' });
    },
  });
  const events = record(t, 'delivery');
  await world.submitJson(await world.mint());
  await world.claimlink.idle();
  const [pending] = await world.storage.listEvents({ state: 'pending', limit: 1 });
  world.advance(10_000);
  await world.claimlink.deliverPending();
  t.same(
    events.map(({ event }) => event),
    ['start', 'end', 'error', 'asyncStart', 'asyncEnd', 'start', 'end', 'asyncStart', 'asyncEnd'],
  );
  const delivery = { eventId: pending?.id, clientId: 'acme', isFinal: false };
  t.strictSame(settled(events), [
    { ...delivery, attempt: 1, reason: 'Error ECONNREFUSED' },
    { ...delivery, attempt: 2 },
  ]);
  t.ok(
    events.filter(({ event }) => event === 'asyncEnd').every(({ trace }) => Number(trace.durationMs) >= 0),
  );
});

const FAILURE: WorldOptions = {
  wrapStorage: (storage) => ({ ...storage, listSessions: () => Promise.reject(new Error('secret')) }),
};

t.test('a failed storage call and its request publish error, without the error', async (t) => {
  const { list } = await createWorld(FAILURE);
  const calls = record(t, 'storage');
  const requests = record(t, 'request');
  await list();
  const names = ['start', 'end', 'error', 'asyncStart', 'asyncEnd'];
  t.same(
    requests.map(({ event }) => event),
    names,
  );
  const listing = calls.filter(({ trace }) => trace.method === 'listSessions');
  t.same(
    listing.map(({ event }) => event),
    names,
  );
  t.strictSame(settled(listing), [{ method: 'listSessions', clientId: 'acme', code: 'internal' }]);
  t.strictSame(settled(requests), [
    { operation: 'listSessions', clientId: 'acme', code: 'internal', status: 500 },
  ]);
});

t.test('a request that the caller got wrong does not publish error', async (t) => {
  const { list } = await createWorld();
  const events = record(t, 'request');
  await list('?limit=0');
  t.same(
    events.map(({ event }) => event),
    ['start', 'end', 'asyncStart', 'asyncEnd'],
  );
});

t.test('the duration is set at the end', async (t) => {
  const { list } = await createWorld(FAILURE);
  const requests = record(t, 'request');
  const calls = record(t, 'storage');
  await list();
  t.equal(requests.length, 5);
  // findCredentials and recordKeyUse succeed, listSessions fails.
  t.equal(calls.length, 2 * 4 + 5);
  for (const { event, trace } of [...requests, ...calls])
    t.equal(typeof trace.durationMs, event === 'start' || event === 'end' ? 'undefined' : 'number', event);
});

t.test('a store that is bound to a request is active in its storage calls and in onError', async (t) => {
  const store = new AsyncLocalStorage<string | undefined>();
  const unbind = bindTraceStore('request', store, ({ operation }) => operation);
  t.teardown(unbind);
  const traces: unknown[] = [];
  const { list } = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      listSessions: async () => {
        traces.push(store.getStore());
        throw new Error('down');
      },
    }),
    onError: () => traces.push(store.getStore()),
  });
  await list();
  t.same(traces, ['listSessions', 'listSessions']);
  t.equal(store.getStore(), undefined);
  unbind();
  await list();
  t.same(traces.slice(2), [undefined, undefined]);
});

t.test('storage calls are traced while there is a subscriber', async (t) => {
  t.equal(isStorageTraced(), false);
  const unsubscribe = subscribeTraces('storage', { end: () => {} });
  t.equal(isStorageTraced(), true);
  unsubscribe();
  t.equal(isStorageTraced(), false);
});

for (const name of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const)
  t.test(`a subscriber of ${name} alone is enough, until it ends its subscription`, async (t) => {
    const { list } = await createWorld(FAILURE);
    const traces: unknown[] = [];
    const unsubscribe = subscribeTraces('request', { [name]: (trace: unknown) => traces.push(trace) });
    t.teardown(unsubscribe);
    await list();
    t.equal(traces.length, 1);
    unsubscribe();
    await list();
    t.equal(traces.length, 1);
  });
