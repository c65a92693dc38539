// Run it: node --import tsx --test spans.test.mjs
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createService } from './service.mjs';
import { contextManager, traceClaimlink } from './spans.ts';

const exporter = new InMemorySpanExporter();
const spanProcessors = [new SimpleSpanProcessor(exporter)];
// #region register
context.setGlobalContextManager(contextManager);
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
traceClaimlink();
// #endregion
beforeEach(() => exporter.reset());

const service = createService((_error, request) => {
  if (request) trace.getActiveSpan()?.setAttribute('claimlink.instance', request.instance);
});

test('the spans of storage calls are below that of their request, which is below that of the host', async () => {
  const host = trace.getTracer('host').startSpan('host');
  await context.with(trace.setSpan(context.active(), host), () => service.list('user-1'));
  const spans = exporter.getFinishedSpans();
  const [credentials, , listing, request] = spans;
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['findCredentials', 'recordKeyUse', 'listSessions', 'listSessions'].map((name) => `claimlink ${name}`),
  );
  assert.equal(credentials.parentSpanContext.spanId, request.spanContext().spanId);
  assert.equal(listing.parentSpanContext.spanId, request.spanContext().spanId);
  assert.equal(request.parentSpanContext.spanId, host.spanContext().spanId);
  assert.deepEqual(request.attributes, { 'claimlink.client': 'acme', 'http.response.status_code': 200 });
  assert.equal(request.status.code, SpanStatusCode.UNSET);
});

test('a failed request has the status of an error and the instance of its response', async () => {
  const { body } = await service.list('user-lost');
  const [, listing, request] = exporter.getFinishedSpans();
  assert.equal(listing.status.code, SpanStatusCode.ERROR);
  assert.equal(request.status.code, SpanStatusCode.ERROR);
  assert.deepEqual(request.attributes, {
    'claimlink.client': 'acme',
    'claimlink.instance': JSON.parse(body).instance,
    'error.type': 'internal',
    'http.response.status_code': 500,
  });
});

test('a failed delivery has the status of an error, and names and codes as its reason', async () => {
  await service.submit();
  const delivery = exporter.getFinishedSpans().find(({ name }) => name === 'claimlink delivery');
  assert.equal(delivery.status.code, SpanStatusCode.ERROR);
  assert.deepEqual(delivery.attributes, { 'claimlink.client': 'acme', 'error.type': 'Error ECONNREFUSED' });
});

test('no span contains the user id', async () => {
  await service.list('user-lost');
  const spans = exporter
    .getFinishedSpans()
    .map(({ name, attributes, events }) => ({ name, attributes, events }));
  assert.equal(spans.length, 3);
  assert.doesNotMatch(JSON.stringify(spans), /user-lost/);
});

test('a bound function runs in its context', () => {
  const span = trace.getTracer('host').startSpan('host');
  const bound = context.bind(trace.setSpan(context.active(), span), (name) => [name, trace.getActiveSpan()]);
  assert.deepEqual(bound('host'), ['host', span]);
});
