// The client of the control API: the client of its calls, and events from chunks of any size.
import t from 'tap';
import { connectMock } from '../../../mock-server/control/connect.js';
import type { MockEvent } from '../../../mock-server/control/types.js';

const CLIENT = { clientId: 'client-1', apiKey: 'key' };

/** Returns a fetch that responds to every request with this body, and the requests that it got. */
function record(body: ConstructorParameters<typeof Response>[0]) {
  const requests: { url: string; body: unknown; signal: AbortSignal | null | undefined }[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    requests.push({ url: String(url), body: init.body, signal: init.signal });
    return new Response(body);
  };
  return { requests, fetch: fetch as typeof globalThis.fetch };
}

t.test('a trailing slash of the URL is left out', async (t) => {
  const { requests, fetch } = record('[]');
  await connectMock('http://127.0.0.1:1/mock/', { fetch }).clients();
  t.equal(requests[0]?.url, 'http://127.0.0.1:1/mock/__mock/clients');
});

t.test('connectMock rejects options of another type', async (t) => {
  for (const options of [null, 5, { token: 5 }, { fetch: 'fetch' }] as object[])
    t.throws(
      () => connectMock('http://127.0.0.1:1', options),
      { code: 'options_invalid' },
      JSON.stringify(options),
    );
});

t.test('the methods of a client are of this client, whatever they get', async (t) => {
  const { requests, fetch } = record(JSON.stringify({ clients: [CLIENT] }));
  const client = await connectMock('http://127.0.0.1:1', { fetch }).client(CLIENT.clientId);
  const other = { clientId: 'demo' } as object;
  await client.reset(other);
  await client.clock(other);
  await client.links(other);
  await client.requests(other);
  for (const { body } of requests.slice(1)) t.match(JSON.parse(String(body)), { clientId: 'client-1' });
  await client.addFault({ status: 503, ...other });
  t.match(JSON.parse(String(requests.at(-1)?.body)), { clientId: 'client-1', status: 503 });
  await (await client.subscribe(() => {}, other))();
  t.match(requests.at(-1)?.url, /\/events\?clientId=client-1$/);
});

t.test('photos are sent as base64, also without the claim before them', async (t) => {
  const { requests, fetch } = record('{}');
  const { addPhoto, submitLink } = connectMock('http://127.0.0.1:1', { fetch });
  const bytes = Uint8Array.from({ length: 20_000 }, (_, index) => index % 256);
  const base64 = Buffer.from(bytes).toString('base64');
  const lastBody = () => JSON.parse(String(requests.at(-1)?.body));
  await addPhoto('link-1', bytes);
  t.strictSame(lastBody(), { link: 'link-1', photo: base64 });
  await addPhoto('link-1');
  t.strictSame(lastBody(), { link: 'link-1' });
  await submitLink('link-1', { photos: [bytes, 'AAAA'] });
  t.strictSame(lastBody(), { link: 'link-1', photos: [base64, 'AAAA'] });
  const claim = { policy: {}, incident: {} } as never;
  await submitLink('link-1', claim, { photos: [Buffer.from(bytes)] });
  t.strictSame(lastBody(), { link: 'link-1', claim, photos: [base64] });
});

t.test('events arrive from chunks of any size, with moments as Dates', async (t) => {
  const time = '2026-03-02T10:00:00.123Z';
  const link = { userId: 'é🚗', createdAt: time, expiresAt: time, revokedAt: time };
  const bytes = new TextEncoder().encode(`:\n\ndata: ${JSON.stringify({ type: 'link', link })}\n\n`);
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const events: MockEvent[] = [];
  const { fetch } = record(body);
  await new Promise<void>((onClose) =>
    connectMock('http://127.0.0.1:1', { fetch }).subscribe((event) => events.push(event), { onClose }),
  );
  const date = new Date(time);
  t.strictSame(events, [
    { type: 'link', link: { userId: 'é🚗', createdAt: date, expiresAt: date, revokedAt: date } },
  ]);
});

t.test(
  'onClose is not called for a subscription that the caller ends, and its response is cancelled',
  async (t) => {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel() {
        isCancelled = true;
      },
    });
    const { requests, fetch } = record(body);
    let isClosed = false;
    const unsubscribe = await connectMock('http://127.0.0.1:1', { fetch }).subscribe(() => {}, {
      onClose: () => {
        isClosed = true;
      },
    });
    unsubscribe();
    t.ok(requests[0]?.signal?.aborted);
    // Where fetch rejects the signal, this alone ends it.
    t.ok(isCancelled);
    await new Promise(setImmediate);
    t.notOk(isClosed);
  },
);

t.test(
  'an error without a response says what the innermost cause says, and names the cure for MSW',
  async (t) => {
    const url = 'http://127.0.0.1:1';
    const start = `There is no response from ${url}/__mock: `;
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    const msw = new Error('[MSW] Cannot bypass a request when using the "error" strategy.');
    const cycle = new Error('a cycle');
    cycle.cause = cycle;
    for (const [cause, message] of [
      [new TypeError('Failed to fetch'), 'Failed to fetch.'],
      [new TypeError('fetch failed', { cause: new Error('bad port') }), 'bad port.'],
      [new TypeError('fetch failed', { cause: refused }), 'ECONNREFUSED.'],
      ...[msw, new TypeError('Failed to fetch', { cause: msw })].map(
        (error) =>
          [
            error,
            `${msw.message} Let requests to the mock pass: http.all('${url}/*', () => passthrough()).`,
          ] as const,
      ),
      [cycle, 'a cycle.'],
    ] as const) {
      const fetch = () => Promise.reject(cause);
      await t.rejects(connectMock(`${url}/`, { fetch }).clients(), {
        status: 0,
        code: 'unreachable',
        message: start + message,
        cause,
      });
    }
  },
);

/** Calls with an argument that is no object, and the message. */
const NO_OBJECTS: [method: string, values: unknown[], message: string | RegExp][] = [
  ['links', ['acme'], 'links takes an object with clientId, userId, state, limit.'],
  ['links', [['acme']], 'links takes an object with clientId, userId, state, limit.'],
  ['reset', [5], 'reset takes an object with clientId.'],
  ['reset', [null], 'reset takes an object with clientId.'],
  ['snapshot', ['a', 'acme'], 'snapshot takes name, then an object with clientId.'],
  ['clients', ['acme'], 'clients takes no argument.'],
  ['sessions', ['acme', 'user-1', 'x'], 'sessions takes clientId, then userId.'],
  ['failNext', ['503'], /^failNext takes an object with clientId, .*\.$/],
  ['addFault', [[{ status: 503 }]], /^addFault takes an object with clientId, .*\.$/],
  ['subscribe', [() => {}, 'acme'], 'subscribe takes listener, then an object with clientId, onClose.'],
];

t.test('an argument that is no object is one message, which says what to pass', async (t) => {
  const { requests, fetch } = record('[]');
  const methods = connectMock('http://127.0.0.1:1', { fetch }) as unknown as Record<string, () => unknown>;
  for (const [method, values, message] of NO_OBJECTS)
    await t.rejects(async () => Reflect.apply(methods[method] as () => unknown, undefined, values), {
      status: 422,
      code: 'request_invalid',
      message,
    });
  t.same(requests, [], 'nothing is sent');
});
