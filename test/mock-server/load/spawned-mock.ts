// A mock in a process of its own, with the memory of that process, and requests that are sent without an HTTP client.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { connectMock, type MockControl } from '../../../mock-server/control/connect.js';
import { startCli } from '../child.js';

/** Reason to skip tests of memory; false where the memory of a process can be read. */
export const NO_MEMORY_FIGURES = existsSync('/proc/self/status') ? false : 'this system has no /proc';

const MIB = 1024 * 1024;

export interface SpawnedMock {
  port: number;
  control: MockControl;
  /** Returns the greatest resident set of the process up to now, in MiB. */
  peakMib(): Promise<number>;
  /** Connects without sending anything. */
  connect(): Socket;
}

/** Starts the built command line. It ends with the test. */
export async function spawnMock(t: Test): Promise<SpawnedMock> {
  const { pid, until } = startCli(t, ['--port', '0', '--ready-json', '--log', 'silent']);
  const { url } = JSON.parse(await until(/\n/));
  const port = Number(new URL(url).port);
  return {
    port,
    control: connectMock(url),
    async peakMib() {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / MIB;
    },
    connect() {
      const socket = connect(port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      return socket;
    },
  };
}

/** Returns the text of a request. */
export function toMessage(target: string, headers: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const lines = [target, 'host: localhost', 'x-api-key: clk_test_demo', ...headers, ...length];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends so many requests over eight connections. Resolves to the number of responses by status. */
export async function sendMany(
  mock: SpawnedMock,
  count: number,
  messageOf: (index: number) => string,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  let sent = 0;
  const exchange = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let text = '';
      function sendNext(): void {
        if (sent < count) socket.write(messageOf(sent++));
        else resolve();
      }
      socket.on('error', reject).once('connect', sendNext);
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
        const [head, status = '', length] =
          /^HTTP\/1\.1 (\d{3}) (?:.*\r\n)*?content-length: (\d+)\r\n(?:.+\r\n)*\r\n/i.exec(text) ?? [];
        if (head === undefined || text.length < head.length + Number(length)) return;
        statuses[status] = (statuses[status] ?? 0) + 1;
        text = '';
        sendNext();
      });
    });
  await Promise.all(Array.from({ length: 8 }, () => exchange(mock.connect())));
  return statuses;
}
