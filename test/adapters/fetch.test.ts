// The fetch handler: what only it can get wrong.
import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createTestService, KEYS, linkRequest } from './service.js';

const headers = { 'x-api-key': KEYS.good, 'content-type': 'application/json' };

t.test('the URL of a request may have any scheme, as those of protocol handlers of Electron', async (t) => {
  const { claimlink } = await createTestService();
  const handler = createFetchHandler(claimlink);
  for (const base of ['http://localhost', 'https://claims.example.com:8443', 'app://bundle'])
    t.equal((await handler(new Request(`${base}/acme/sessions/user-1`, { headers }))).status, 200, base);
});

t.test('a request outside the basePath is a 404 problem', async (t) => {
  const { claimlink } = await createTestService();
  const handler = createFetchHandler(claimlink, { basePath: '/claims' });
  const response = await handler(new Request('http://localhost/acme/sessions/user-1', { headers }));
  t.equal(response.status, 404);
});

t.test('a body that was read before is a 500 that tells the host why', async (t) => {
  const { claimlink, failures } = await createTestService();
  const request = new Request('http://localhost/acme/link', {
    method: 'POST',
    headers,
    body: JSON.stringify(linkRequest()),
  });
  const handler = createFetchHandler(claimlink);
  await request.clone().text();
  const clone = request.clone();
  t.equal((await handler(request)).status, 200, 'the host read a clone, as the message says');
  await clone.text();
  t.equal((await handler(clone)).status, 500);
  t.match(
    String(failures[0]?.error),
    /read the request body before claimlink\. Next\.js, SvelteKit, h3: read a request\.clone\(\)/,
  );
});

t.test('a body that another reader has locked is a 500 that tells the host why', async (t) => {
  const { claimlink, failures } = await createTestService();
  const body = JSON.stringify(linkRequest());
  const request = new Request('http://localhost/acme/link', { method: 'POST', headers, body });
  request.body?.getReader();
  const response = await createFetchHandler(claimlink)(request);
  t.equal(response.status, 500);
  t.match(String(failures[0]?.error), /read the request body/);
});

t.test('a small body that is not read is read to its end, and never cancelled', async (t) => {
  const { claimlink } = await createTestService();
  let isCancelled = false;
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{}')),
    pull(controller) {
      controller.close();
      resolve();
    },
    cancel() {
      isCancelled = true;
    },
  });
  const init = { method: 'POST', headers: { 'content-length': '2' }, body, duplex: 'half' as const };
  const response = await createFetchHandler(claimlink)(new Request('http://localhost/acme/link', init));
  t.equal(response.status, 401);
  await promise;
  t.equal(isCancelled, false, 'SvelteKit closes the connection of a cancelled body');
});

t.test('a wrapped handle may reject, or return a header that is not valid', async (t) => {
  const { claimlink, failures } = await createTestService();
  const broken = [
    () => Promise.reject(new Error('of the host')),
    () => {
      throw new Error('of the host');
    },
    async () => ({ status: 200, headers: { name: 'a\nb' }, body: '' }),
  ];
  for (const handle of broken) {
    const response = await createFetchHandler({ ...claimlink, handle })(
      new Request('http://localhost/acme/link'),
    );
    t.equal(response.status, 500);
    t.equal(await response.text(), '');
  }
  t.equal(failures.length, 3, 'onError gets each cause');
});

t.test('a body of exactly the limit is accepted, and one more byte is not', async (t) => {
  const { claimlink } = await createTestService();
  const handler = createFetchHandler(claimlink, { bodyLimitBytes: 1024 });
  for (const [bytes, status] of [
    [1024, 400],
    [1025, 413],
  ] as const) {
    const body = new Blob([`{"padding":"${'x'.repeat(bytes - 14)}"}`]).stream();
    const init = { method: 'POST', headers, body, duplex: 'half' as const };
    t.equal((await handler(new Request('http://localhost/acme/link', init))).status, status);
  }
});

t.test('a body that fails half-way is a 400', async (t) => {
  const { claimlink, failures } = await createTestService();
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error('lost'));
    },
  });
  const init = { method: 'POST', headers, body, duplex: 'half' as const };
  const response = await createFetchHandler(claimlink)(new Request('http://localhost/acme/link', init));
  t.equal(response.status, 400);
  t.match(await response.json(), { code: 'request_aborted' });
  t.same(failures, []);
});

t.test('a body of Readable.toWeb that is not read is cancelled without an uncaught exception', async (t) => {
  const { claimlink } = await createTestService();
  const source = new PassThrough();
  source.end('{}');
  const body = Readable.toWeb(source) as NonNullable<RequestInit['body']>;
  const init = { method: 'POST', body, duplex: 'half' as const };
  const response = await createFetchHandler(claimlink)(new Request('http://localhost/acme/link', init));
  t.equal(response.status, 401);
  // A late chunk would reach the cancelled stream now. tap reports an uncaught exception as a failure.
  await setImmediate();
  t.ok(source.destroyed);
});

t.test('a body over the limit is a 413; its source is stopped, and later chunks are ignored', async (t) => {
  const { claimlink, failures } = await createTestService();
  let cancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(50_000)),
    cancel() {
      cancelled = true;
      throw new Error('too late');
    },
  });
  const init = { method: 'POST', headers, body, duplex: 'half' as const };
  const response = await createFetchHandler(claimlink)(new Request('http://localhost/acme/link', init));
  t.equal(response.status, 413);
  t.equal(cancelled, true);
  t.same(failures, []);
});

t.test('a wrapper of the service that lacks reportError is an error at start-up', async (t) => {
  const { claimlink } = await createTestService();
  const { reportError, ...wrapper } = claimlink;
  t.throws(() => createFetchHandler(wrapper as never), {
    code: 'options_invalid',
    problems: [{ pointer: '/claimlink', detail: /it lacks reportError/ }],
  });
});
