// Asks a server of slow-server.mjs for its listing over many connections that take it slowly.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('slow-server.mjs', import.meta.url));
const POLL_MS = 100;
/** How fast each reader is, once all are served: so many bytes, so often. */
const READ_BYTES = 16_384;
const READ_EVERY_MS = 20;

/**
 * On a Unix socket in `folder`: its buffer is small and does not grow, whereas the kernel takes the whole listing of a
 * TCP connection on this machine, and nothing would wait in the server.
 *
 * Resolves to `{ baseline, peak, unsent }` in bytes: RSS before, the highest while `readers` read, and how much waited in
 * the server while nobody did. @throws when an answer is not whole
 */
export async function measureSlowReaders({ kind, sessions, readers, folder, env, signal }) {
  const path = join(folder, `${kind.replace(' ', '-')}.sock`);
  const child = fork(SERVER, [kind, `${sessions}`, path], { execArgv: ['--expose-gc'], env, signal });
  const ended = once(child, 'exit').then(([code, by]) => {
    throw new Error(`the server (${kind}) ended with ${code ?? by}`);
  });
  const sockets = [];
  try {
    const next = async () => (await Promise.race([once(child, 'message', { signal }), ended]))[0];
    const call = (command) => {
      const reply = next();
      child.send(command);
      return reply;
    };
    const { url, headers, length } = await next();
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `GET ${url} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`;
    // As a server that has run for a while.
    for (let i = 0; i < 50; i++) await readAll(await open(path, request), length);
    const { baseline } = await call('start');
    for (let i = 0; i < readers; i++) sockets.push(await open(path, request));
    let state = await call('state');
    for (let before = -1; state.answered < readers || state.unsent !== before; ) {
      before = state.unsent;
      await delay(POLL_MS, undefined, { signal });
      state = await call('state');
    }
    const { unsent } = state;
    await Promise.all(sockets.map((socket) => readAll(socket, length, READ_EVERY_MS)));
    const { peak } = await call('state');
    return { baseline, peak, unsent };
  } finally {
    ended.catch(() => {});
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
    await rm(path, { force: true });
  }
}

/** Connects and asks, and reads nothing more than Node does by itself. */
async function open(path, request) {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(request);
  return socket;
}

async function readAll(socket, length, everyMs = 0) {
  let head = '';
  let received = 0;
  const ended = once(socket, 'end');
  ended.catch(() => {});
  while (!socket.readableEnded) {
    if (socket.destroyed) throw new Error('the server closed a connection before its answer was whole');
    const chunk = socket.read(Math.min(READ_BYTES, socket.readableLength) || undefined);
    if (head.length < 1000 && chunk) head += chunk.toString('latin1', 0, 1000);
    received += chunk?.length ?? 0;
    await delay(everyMs);
  }
  const isWhole = head.startsWith('HTTP/1.1 200') && received === head.indexOf('\r\n\r\n') + 4 + length;
  if (!isWhole)
    throw new Error(`an answer of ${received} bytes, not a head and ${length}: ${head.slice(0, 15)}`);
}
