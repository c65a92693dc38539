// Every mount answers with the same bytes as node:http, except for what a framework forces to be different.
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { HTTP_CASES, type HttpCase } from './http-cases.js';
import { comparable, type RawResponse } from './http-client.js';
import { MOUNTS, type Mount } from './mounts.js';
import { createTestService, KEYS, mintLink } from './service.js';

/** Answers of the first mount: every other one must give the same bytes. */
const baseline = new Map<string, string>();

for (const kind of MOUNTS)
  t.test(kind.name, async (t) => {
    const service = await createTestService();
    const mount = await kind.start(service.claimlink);
    t.teardown(() => mount.close());
    for (const [name, httpCase] of Object.entries(HTTP_CASES)) {
      const { path, ...request } = httpCase.request;
      const link = path.includes('{LINK}') ? await mintLink(service) : '';
      const response = await mount.send({ ...request, path: path.replace('{LINK}', link) });
      const difference = kind.differences.find((declared) => declared.case === name);
      await t.test(difference ? `${name} (differs: ${difference.reason})` : name, async (t) => {
        if (difference) t.equal(response.status, difference.status, 'the status that the framework gives');
        else assertCase(t, name, mount, httpCase, response);
      });
    }
    if (mount.socket) await runSocketRules(t, mount, mount.socket);
    t.same(service.failures, [], 'nothing was reported as an error of the server');
  });

t.test('every declared difference belongs to a case', async (t) => {
  const declared = MOUNTS.flatMap(({ differences }) => differences.map((difference) => difference.case));
  t.same(
    declared.filter((name) => !(name in HTTP_CASES)),
    [],
  );
});

function assertCase(t: Test, name: string, mount: Mount, httpCase: HttpCase, response: RawResponse): void {
  const { status, code, headers = {} } = httpCase;
  t.equal(response.status, status, `status (body: ${response.body.slice(0, 300)})`);
  if (code !== undefined) t.equal(JSON.parse(response.body).code, code);
  for (const [header, value] of Object.entries(headers)) {
    // Without a socket there is no connection to close.
    if (header !== 'connection' || mount.socket) t.equal(response.headers[header], value, header);
  }
  const answer = comparable(response);
  const expected = baseline.get(name);
  if (expected === undefined) baseline.set(name, answer);
  else t.equal(answer, expected, 'same status, content headers and body as over the first mount');
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
