// The receivers in Python and in Go verify the webhooks of the mock. A machine without one of the languages skips it.
import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { pathOf } from '../examples/host.js';
import { IS_RELEASE } from '../size.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

/** A receiver with the lines that it prints: its port, then the reference of each submission. */
interface Receiver {
  url: string;
  nextLine(): Promise<string>;
}

/** Commands that start a receiver, by the name of the language. */
const RECEIVERS: Readonly<Record<string, { file: string; args: readonly string[]; version: string }>> = {
  python3: { file: 'webhook_receiver.py', args: [], version: '--version' },
  go: { file: 'webhook_receiver.go', args: ['run'], version: 'version' },
};

async function startReceiver(t: Test, program: string, args: readonly string[]): Promise<Receiver> {
  // `go run` has the receiver in another process: the group of both ends.
  const child = spawn(program, args, {
    detached: true,
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  t.teardown(async () => {
    process.kill(-Number(child.pid), 'SIGTERM');
    await exited;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  return { url: `http://127.0.0.1:${await nextLine()}/claims`, nextLine };
}

/** Starts a mock that sends submissions to a URL. */
async function startMock(t: Test, webhook: string, webhookSecret: string) {
  const mock = await startMockServer({ port: 0, webhook, webhookSecret });
  t.teardown(() => mock.close());
  return {
    mock,
    async submit() {
      const { url } = await mock.createLink('demo', {
        callbackUrl: 'https://app.example.com/done',
        config: { contact: { email: 'help@example.com', phone: '+44 2' }, currentUserId: 'user-1' },
      });
      return (await mock.submitLink(url)).reference;
    },
    async statuses(count: number) {
      const attempts = await mock.waitForRequests({ route: 'claimSubmitted', count, timeoutMs: 20_000 });
      return attempts.map(({ status }) => status);
    },
  };
}

for (const [program, { file, args, version }] of Object.entries(RECEIVERS)) {
  const isInstalled = spawnSync(program, [version]).status === 0;
  // A release tests both.
  const skip = !isInstalled && !IS_RELEASE && `${program} is not installed`;
  t.test(`the receiver in ${program}`, { skip }, async (t) => {
    const receiver = await startReceiver(t, program, [...args, pathOf(`recipes/delivery/${file}`)]);

    await t.test('accepts a submission, and handles a repeated one once', async (t) => {
      const { mock, submit, statuses } = await startMock(t, receiver.url, SECRET);
      await mock.failNext({ route: 'claimSubmitted', effect: 'reset-after' });
      const first = await submit();
      await statuses(1);
      await mock.advanceClock(10_000);
      t.same(await statuses(2), [null, 204]);
      const second = await submit();
      t.same(await statuses(3), [null, 204, 204]);
      t.same([await receiver.nextLine(), await receiver.nextLine()], [first, second]);
    });

    await t.test('rejects another secret and a body that was changed', async (t) => {
      const wrong = await startMock(t, receiver.url, OTHER_SECRET);
      await wrong.submit();
      t.same(await wrong.statuses(1), [401]);
      const changed = await startMock(t, receiver.url, SECRET);
      await changed.mock.failNext({ route: 'claimSubmitted', effect: 'truncate' });
      await changed.submit();
      t.same(await changed.statuses(1), [401]);
    });

    await t.test('rejects a request without a signature, and one that is 6 minutes old', async (t) => {
      const body = '{"data":{"session":{"reference":"S-1"}}}';
      const send = async (headers: Record<string, string>) =>
        (await fetch(receiver.url, { method: 'POST', headers, body })).status;
      const sign = (seconds: number) => {
        const sentAt = String(Math.floor(Date.now() / 1000) - seconds);
        const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
        const digest = createHmac('sha256', key).update(`evt-1.${sentAt}.${body}`).digest('base64');
        return {
          'webhook-id': 'evt-1',
          'webhook-timestamp': sentAt,
          'webhook-signature': `v1a,AAAA v1,${digest}`,
        };
      };
      t.equal(await send({}), 401);
      t.equal(await send(sign(6 * 60)), 401);
      t.equal(await send({ ...sign(0), 'webhook-timestamp': '²' }), 401);
      t.equal(await send(sign(0)), 204);
    });
  });
}
