// prom-client: durations of requests and of storage calls, with labels of few values.
import { tracingChannel } from 'node:diagnostics_channel';
import { TRACING_CHANNELS } from 'claimlink';
import { Histogram } from 'prom-client';

const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

const requests = new Histogram({
  name: 'claimlink_request_duration_seconds',
  help: 'Time until a response is ready to be sent',
  labelNames: ['operation', 'status', 'code'],
  buckets,
});
const storageCalls = new Histogram({
  name: 'claimlink_storage_duration_seconds',
  help: 'Time of a storage call',
  labelNames: ['method', 'code'],
  buckets,
});

tracingChannel(TRACING_CHANNELS.request).subscribe({
  asyncEnd({ operation = 'none', status, code = 'ok', durationMs }) {
    requests.observe({ operation, status, code }, durationMs / 1000);
  },
});
tracingChannel(TRACING_CHANNELS.storage).subscribe({
  asyncEnd({ method, code = 'ok', durationMs }) {
    storageCalls.observe({ method, code }, durationMs / 1000);
  },
});
