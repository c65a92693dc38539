// OpenTelemetry: a span for each request, storage call and delivery of claimlink.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { bindTraceStore, subscribeTraces, type Traces } from 'claimlink';

const store = new AsyncLocalStorage<Context>();

/** Register it instead of AsyncLocalStorageContextManager, whose store is private. */
export const contextManager: ContextManager = {
  active: () => store.getStore() ?? ROOT_CONTEXT,
  with: (active, run, thisArg, ...args) => store.run(active, () => run.apply(thisArg, args)),
  bind(active, target) {
    if (typeof target !== 'function') return target;
    return new Proxy(target, {
      apply: (run, thisArg, args) => store.run(active, () => Reflect.apply(run, thisArg, args)),
    });
  },
  enable: () => contextManager,
  disable: () => contextManager,
};

export function traceClaimlink(): void {
  traceChannel('request', ({ operation }) => operation ?? 'no operation');
  traceChannel('storage', ({ method }) => method);
  traceChannel('delivery', () => 'delivery');
}

function traceChannel<N extends keyof Traces>(name: N, nameOf: (call: Traces[N]) => string): void {
  const tracer = trace.getTracer('claimlink');
  const spans = new WeakMap<object, Span>();
  bindTraceStore(name, store, (call) => {
    const span = tracer.startSpan(`claimlink ${nameOf(call)}`);
    spans.set(call, span);
    return trace.setSpan(context.active(), span); // the parent of all spans within the call
  });
  subscribeTraces(name, {
    error: (call) => spans.get(call)?.setStatus({ code: SpanStatusCode.ERROR }),
    asyncEnd(call) {
      spans
        .get(call)
        ?.setAttributes({
          'claimlink.client': call.clientId,
          'http.response.status_code': 'status' in call ? call.status : undefined,
          'error.type': 'eventId' in call ? call.reason : call.code,
        })
        .end();
    },
  });
}
