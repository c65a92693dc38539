// Run it: node --import tsx --test metrics.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { register } from 'prom-client';
import { watchDeliveries } from './metrics.ts';
import { createService } from './service.mjs';

test('requests, storage calls and deliveries are counted by labels of few values', async () => {
  const service = createService(() => {});
  for (let n = 1; n <= 3; n++) await service.list(`user-${n}`);
  await service.list('user-lost');
  await service.get('/acme/sessions/user-1');
  await service.get('/not/a/route');
  await service.submit();
  const counts = (await register.metrics()).split('\n').filter((line) => line.includes('_count{'));
  assert.deepEqual(counts, [
    'claimlink_request_duration_seconds_count{operation="listSessions",status="200",code="ok"} 3',
    'claimlink_request_duration_seconds_count{operation="listSessions",status="500",code="internal"} 1',
    'claimlink_request_duration_seconds_count{operation="listSessions",status="401",code="api_key_missing"} 1',
    'claimlink_request_duration_seconds_count{operation="none",status="404",code="route_not_found"} 1',
    'claimlink_storage_duration_seconds_count{method="findCredentials",code="ok"} 4',
    'claimlink_storage_duration_seconds_count{method="recordKeyUse",code="ok"} 1',
    'claimlink_storage_duration_seconds_count{method="listSessions",code="ok"} 3',
    'claimlink_storage_duration_seconds_count{method="listSessions",code="internal"} 1',
    ...['findClient', 'insertLink', 'findLink', 'submitLink', 'postponeEvent'].map(
      (method) => `claimlink_storage_duration_seconds_count{method="${method}",code="ok"} 1`,
    ),
    'claimlink_delivery_duration_seconds_count{outcome="postponed"} 1',
  ]);
});

test('a gauge has the numbers of events that wait and that failed, and none without the storage', async () => {
  const counts = [{ pending: 2, failed: 1 }];
  const claimlink = {
    countEvents: async () => counts.pop() ?? Promise.reject(new Error('The database is down.')),
  };
  watchDeliveries(claimlink);
  const read = async () =>
    (await register.getSingleMetricAsString('claimlink_undelivered_events'))
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== '');
  assert.deepEqual(await read(), [
    'claimlink_undelivered_events{state="pending"} 2',
    'claimlink_undelivered_events{state="failed"} 1',
  ]);
  assert.deepEqual(await read(), []);
});
