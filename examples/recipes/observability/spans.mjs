// OpenTelemetry: a span for each request and each storage call of claimlink.
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { TRACING_CHANNELS } from 'claimlink';

const store = new AsyncLocalStorage();

/** Register it instead of AsyncLocalStorageContextManager, whose store is private. */
export const contextManager = {
  active: () => store.getStore() ?? ROOT_CONTEXT,
  with: (active, run, thisArg, ...args) => store.run(active, () => run.apply(thisArg, args)),
  bind: (active, target) =>
    typeof target === 'function' ? (...args) => store.run(active, () => target(...args)) : target,
  enable: () => contextManager,
  disable: () => contextManager,
};

export function traceClaimlink() {
  const tracer = trace.getTracer('claimlink');
  const spans = new WeakMap();
  for (const name of Object.values(TRACING_CHANNELS)) {
    const channel = tracingChannel(name);
    channel.start.bindStore(store, (call) => {
      const span = tracer.startSpan(`claimlink ${call.operation ?? call.method ?? 'no operation'}`);
      spans.set(call, span);
      return trace.setSpan(context.active(), span); // the parent of all spans within the call
    });
    channel.subscribe({
      error: (call) => spans.get(call)?.setStatus({ code: SpanStatusCode.ERROR }),
      asyncEnd(call) {
        const { clientId, status, code } = call;
        spans
          .get(call)
          ?.setAttributes({
            'claimlink.client': clientId,
            'http.response.status_code': status,
            'error.type': code,
          })
          .end();
      },
    });
  }
}
