// Run it: node --import tsx --test metrics.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { register } from 'prom-client';
import { createService } from './service.mjs';
import './metrics.ts';

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
