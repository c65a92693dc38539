// prom-client: durations of requests, storage calls and deliveries, with labels of few values.
import { type Claimlink, subscribeTraces } from 'claimlink';
import { Gauge, Histogram } from 'prom-client';

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
const deliveries = new Histogram({
  name: 'claimlink_delivery_duration_seconds',
  help: 'Time of an attempt to deliver a submission',
  labelNames: ['outcome'],
  buckets,
});

subscribeTraces('request', {
  asyncEnd({ operation = 'none', status, code = 'ok', durationMs }) {
    requests.observe({ operation, status, code }, durationMs / 1000);
  },
});
subscribeTraces('storage', {
  asyncEnd({ method, code = 'ok', durationMs }) {
    storageCalls.observe({ method, code }, durationMs / 1000);
  },
});
subscribeTraces('delivery', {
  asyncEnd({ reason, isFinal, durationMs }) {
    const outcome = reason === undefined ? 'delivered' : isFinal ? 'failed' : 'postponed';
    deliveries.observe({ outcome }, durationMs / 1000);
  },
});

/** Counts the events that are not delivered, at each scrape. Call it once in each process. */
export function watchDeliveries(claimlink: Claimlink): void {
  new Gauge({
    name: 'claimlink_undelivered_events',
    help: 'Events of all clients that wait or have failed; 10000 means at least 10000',
    labelNames: ['state'],
    async collect() {
      this.reset(); // no value, if the storage is not available
      const counts = await claimlink.countEvents().catch(() => undefined);
      if (counts === undefined) return;
      this.set({ state: 'pending' }, counts.pending);
      this.set({ state: 'failed' }, counts.failed);
    },
  });
}
