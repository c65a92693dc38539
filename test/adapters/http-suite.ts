// The HTTP suite. The first mount runs every case. The others run what an adapter or a framework translates.
import { connect } from 'node:net';
import type { Test } from 'tap';
import type { AdminStorage, Awaitable } from '../../lib/index.js';
import { EVERY_MOUNT, HTTP_CASES, type HttpCase } from './http-cases.js';
import type { RawRequest, RawResponse } from './http-client.js';
import { MOUNTS, type Mount, type MountKind } from './mounts.js';
import { CLAIM, claimFields, createTestService, KEYS, mintLink, type TestService } from './service.js';

/** Answers of the first mount: every other one must give the same bytes. */
const baseline = new Map<string, string>();

/** Runs the suite over one mount, on memory or on another storage. */
export async function runHttpSuite(
  t: Test,
  kind: MountKind,
  createStorage?: () => Awaitable<AdminStorage>,
): Promise<void> {
  const service = await createTestService(createStorage && { createStorage });
  const mount = await kind.start(service.claimlink);
  t.teardown(() => mount.close());
  const isFirst = kind === MOUNTS[0];
  const differing = new Set(kind.differences.map((difference) => difference.case));
  const cases = HTTP_CASES.filter(({ name }) => isFirst || EVERY_MOUNT.has(name) || differing.has(name));

  await t.test(
    'each request is answered as the contract says, with the same bytes as over node:http',
    async (t) => {
      for (const httpCase of cases) await runCase(t, kind, mount, service, httpCase);
    },
  );
  await t.test('every declared difference, and every name in EVERY_MOUNT, belongs to a case', async (t) => {
    const names = new Set(HTTP_CASES.map(({ name }) => name));
    t.same(
      [...differing, ...EVERY_MOUNT].filter((name) => !names.has(name)),
      [],
    );
  });
  if (isFirst) await runRepeats(t, mount, service);
  await runFlows(t, mount, service);
  await runStorageFaults(t, kind);
  if (mount.socket) await runSocketRules(t, mount, mount.socket);
  t.same(service.failures, [], 'nothing was reported as an error of the server');
}

async function runCase(t: Test, kind: MountKind, mount: Mount, service: TestService, httpCase: HttpCase) {
  const { name, request, status, code, headers = {} } = httpCase;
  const path = request.path.includes('{LINK}')
    ? request.path.replace('{LINK}', await mintLink(service))
    : request.path;
  const response = await mount.send({ ...request, path });
  const difference = kind.differences.find((declared) => declared.case === name);
  await t.test(difference ? `${name} (differs: ${difference.reason})` : name, async (t) => {
    if (difference) {
      t.equal(response.status, difference.status, 'the status that the framework gives');
      return;
    }
    t.equal(response.status, status, `status (body: ${response.body.slice(0, 300)})`);
    if (code !== undefined) t.equal(JSON.parse(response.body).code, code);
    for (const [header, value] of Object.entries(headers)) {
      // Without a socket there is no connection to close.
      if (header !== 'connection' || mount.socket) t.equal(response.headers[header], value, header);
    }
    t.equal(response.headers['x-content-type-options'], 'nosniff');
    t.equal(response.headers['cache-control'], 'no-store');
    const answer = comparable(response);
    const expected = baseline.get(name);
    if (expected === undefined) baseline.set(name, answer);
    else t.equal(answer, expected, 'same status, content headers and body as over the first mount');
  });
}

const CONTENT_HEADERS = [
  'content-type',
  'content-length',
  'cache-control',
  'location',
  'allow',
  'link',
  'www-authenticate',
  'content-security-policy',
  'referrer-policy',
  'x-robots-tag',
];

/** What must be equal, with the random parts named. */
export function comparable({ status, headers, body }: RawResponse): string {
  const contentHeaders = CONTENT_HEADERS.map((name) => `${name}: ${headers[name] ?? ''}`);
  return [`${status}`, ...contentHeaders, '', body]
    .join('\n')
    .replaceAll(/\/verify\/[\w-]{22}\?token=[\w.-]+/g, '/verify/<code>?token=<token>')
    .replaceAll(/data-link="[0-9a-f]{64}"/g, 'data-link="<link>"')
    .replaceAll(/nonce(=|-)"?[A-Za-z0-9+/]+={0,2}/g, 'nonce$1<nonce>')
    .replaceAll(/\b([SC])-[0-9A-HJKMNP-TV-Z]{16}\b/g, '$1-<reference>');
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

function submission(path: string): RawRequest {
  return { method: 'POST', path, headers: json, body: JSON.stringify(CLAIM) };
}

/** Rules of core and of the storage; the mount does not matter to them. */
async function runRepeats(t: Test, mount: Mount, service: TestService): Promise<void> {
  await t.test('100 concurrent submissions of one link create exactly one session', async (t) => {
    const path = await mintLink(service);
    const before = await service.storage.listSessions({ clientId: 'acme', userId: 'user-1', limit: 1000 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => mount.send(submission(path))));
    const after = await service.storage.listSessions({ clientId: 'acme', userId: 'user-1', limit: 1000 });
    t.equal(after.sessions.length, before.sessions.length + 1);
    t.same([...new Set(answers.map(({ status }) => status))], [200]);
    const references = answers.map(({ body }) => JSON.parse(body).data.reference);
    t.equal(new Set(references).size, 1, 'all get the one outcome');
  });

  await t.test('GET and HEAD of a link 50 times leave it usable', async (t) => {
    const path = await mintLink(service);
    for (let i = 0; i < 50; i++) {
      for (const method of ['GET', 'HEAD']) t.equal((await mount.send({ method, path })).status, 200);
    }
    t.equal((await mount.send(submission(path))).status, 200);
  });
}

async function runFlows(t: Test, mount: Mount, service: TestService): Promise<void> {
  await t.test(
    'a submitted claim stands first in the listing, the link is gone, a repeat gets the same answer',
    async (t) => {
      const path = await mintLink(service);
      const request = { method: 'POST', path, headers: form, body: claimFields().toString() };
      service.clock.now = new Date('2026-05-04T13:00:00Z');
      t.equal((await mount.send({ method: 'GET', path })).status, 200);
      service.clock.now = new Date('2026-05-04T13:07:00Z');
      const first = await mount.send(request);
      t.equal(first.status, 303);
      const listing = await mount.send({
        method: 'GET',
        path: '/acme/sessions/user-1',
        headers: { 'x-api-key': KEYS.good },
      });
      const [session] = JSON.parse(listing.body);
      t.equal(
        first.headers.location,
        `https://app.example.com/done?reference=${session.reference}&status=submitted#end`,
      );
      t.match(session, {
        createdAt: '2026-05-04T13:00',
        date: '2026-05-04T13:07',
        status: 'submitted',
        selectedPolicy: { ...CLAIM.policy, holder: { ...CLAIM.policy.holder, id: 'user-1' } },
      });
      t.equal((await mount.send({ method: 'GET', path })).status, 410);
      t.equal((await mount.send(request)).headers.location, first.headers.location);
    },
  );

  await t.test('the pages of a listing, followed by their Link headers, are the listing', async (t) => {
    const references: string[] = [];
    let path: string | undefined = '/acme/sessions/user-1?limit=2&status=submitted';
    while (path !== undefined) {
      const answer: RawResponse = await mount.send({
        method: 'GET',
        path,
        headers: { 'x-api-key': KEYS.good },
      });
      references.push(...JSON.parse(answer.body).map((session: { reference: string }) => session.reference));
      path = /<https:\/\/claims\.example\.com([^>]+)>; rel="next"/.exec(
        String(answer.headers['link'] ?? ''),
      )?.[1];
    }
    const whole = await mount.send({
      method: 'GET',
      path: '/acme/sessions/user-1',
      headers: { 'x-api-key': KEYS.good },
    });
    t.same(
      references,
      JSON.parse(whole.body).map((session: { reference: string }) => session.reference),
    );
    t.ok(references.length > 3);
  });

  await t.test('a body sent slowly and chunked is rejected as soon as it is too large', async (t) => {
    const pieces = ['{"padding":"', ...Array.from({ length: 70 }, () => 'x'.repeat(1000)), '"}'];
    const answer = await mount.send({
      method: 'POST',
      path: '/acme/link',
      headers: { ...json, 'x-api-key': KEYS.good },
      body: pieces,
    });
    // express.json() has its own limit of 100 kB and has read and parsed it: then its members are missing.
    const isParsed = answer.status === 400 && JSON.parse(answer.body).code === 'request_invalid';
    t.ok(answer.status === 413 || isParsed, `status ${answer.status}`);
  });
}

async function runSocketRules(t: Test, mount: Mount, socket: NonNullable<Mount['socket']>): Promise<void> {
  await t.test('a client that hangs up in the middle of a body ends no other request', async (t) => {
    await new Promise<void>((resolve) => {
      const head = [
        `POST ${socket.prefix}/acme/link HTTP/1.1`,
        'Host: 127.0.0.1',
        `x-api-key: ${KEYS.good}`,
        'content-type: application/json',
        'content-length: 1000',
        '',
        '{"callbackUrl":',
      ];
      const client = connect(socket.port, '127.0.0.1', () =>
        client.write(head.join('\r\n'), () => client.destroy()),
      );
      client.on('close', () => resolve());
    });
    const answer = await mount.send({
      method: 'GET',
      path: '/acme/sessions/nobody',
      headers: { 'x-api-key': KEYS.good },
    });
    t.equal(answer.body, '[]');
  });

  await t.test('pipelined requests with Expect get their responses in order', async (t) => {
    const target = `${socket.prefix}/acme/sessions/user-1`;
    const listing = (...headers: string[]) =>
      [`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', `x-api-key: ${KEYS.good}`, ...headers, '', ''].join(
        '\r\n',
      );
    const expecting = listing('Expect: 100-continue');
    const responses = await new Promise<string>((resolve, reject) => {
      let text = '';
      const client = connect(socket.port, '127.0.0.1', () =>
        client.write(listing() + expecting + expecting + listing('Connection: close')),
      );
      client.setEncoding('latin1').on('data', (chunk) => {
        text += chunk;
      });
      client.on('error', reject).on('close', () => resolve(text));
    });
    t.same(statusesOf(responses), [200, 100, 200, 100, 200, 200]);
  });

  await t.test('an unauthenticated client is answered before its body has arrived', async (t) => {
    const answer = await new Promise<string>((resolve, reject) => {
      const head = [
        `POST ${socket.prefix}/acme/link HTTP/1.1`,
        'Host: 127.0.0.1',
        // No JSON type: a parser of the host's would wait for the body first.
        'content-type: application/x-unknown',
        'content-length: 1000',
        '',
        '',
      ];
      const client = connect(socket.port, '127.0.0.1', () => client.write(head.join('\r\n')));
      client.once('data', (data) => {
        client.destroy();
        resolve(data.toString());
      });
      client.on('error', reject);
    });
    t.match(answer, /^HTTP\/1\.1 401 /);
  });
}

/** Returns the statuses of the responses on a connection, in their order. */
function statusesOf(responses: string): number[] {
  const statuses: number[] = [];
  for (let rest = responses; rest !== ''; ) {
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(rest) ?? [];
    if (status === undefined) return [...statuses, Number.NaN];
    statuses.push(Number(status));
    const headEnd = rest.indexOf('\r\n\r\n') + 4;
    const [, length = 0] = /^content-length: (\d+)\r$/im.exec(rest.slice(0, headEnd)) ?? [];
    rest = rest.slice(headEnd + Number(length));
  }
  return statuses;
}

async function runStorageFaults(t: Test, kind: MountKind): Promise<void> {
  await t.test(
    'a storage that throws or rejects is a constant 500, one that never answers a 503, with the cause in onError',
    async (t) => {
      const causes: Record<string, () => never | Promise<never>> = {
        throws: () => {
          throw new Error('secret cause');
        },
        rejects: () => Promise.reject(new Error('secret cause')),
        'never answers': () => new Promise<never>(() => {}),
      };
      for (const [name, listSessions] of Object.entries(causes)) {
        const broken = await createTestService({
          wrap: (storage) => ({ ...storage, listSessions }),
          storageTimeoutSeconds: 0.2,
        });
        const brokenMount = await kind.start(broken.claimlink);
        const answer = await brokenMount.send({
          method: 'GET',
          path: '/acme/sessions/user-1',
          headers: { 'x-api-key': KEYS.good },
        });
        await brokenMount.close();
        const [status, expected] =
          name === 'never answers' ? [503, 'storage_unavailable'] : [500, 'internal'];
        t.equal(answer.status, status, name);
        t.notMatch(answer.body, /secret cause/);
        const { code, instance } = JSON.parse(answer.body);
        t.equal(code, expected);
        t.equal(broken.failures.length, 1);
        t.same(broken.failures[0]?.request, { method: 'GET', path: '/acme/sessions/:userId', instance });
        t.match(String(broken.failures[0]?.error), /secret cause|did not answer listSessions/);
      }
    },
  );
}
