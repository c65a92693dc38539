// Counts what a request calls on its way through an adapter: a server in this process, asked over one connection.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';

/**
 * Starts each mount in turn; resolves to what `measure(name, ask, work)` gave for each of its cases, by name.
 * `ask(request, status)` puts a CoreRequest through it.
 */
export async function countOverHttp({ createWorld, wrapStorage, cases, measure }) {
  const counts = {};
  for (const [mount, start] of Object.entries(MOUNTS)) {
    for (const [name, work] of Object.entries(cases)) {
      const world = createWorld({ wrapStorage });
      const { port, close } = await start(world.claimlink);
      const { ask, end } = await openConnection(port);
      counts[`${name}, ${mount}`] = await measure(work, { ...world, handle: ask });
      end();
      await close();
    }
  }
  return counts;
}

const MOUNTS = {
  'node:http': async (claimlink) => {
    const { createNodeHandler } = await import('claimlink/node');
    return listen(createServer(createNodeHandler(claimlink)));
  },
  Fastify: async (claimlink) => {
    const { default: fastify } = await import('fastify');
    const { default: claimlinkPlugin } = await import('claimlink/fastify');
    const app = fastify();
    app.register(claimlinkPlugin, { claimlink });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: app.server.address().port, close: () => app.close() };
  },
};

async function listen(server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: server.address().port,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** A client that makes one promise a request, and nothing else that is counted. */
async function openConnection(port) {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  let received = '';
  let answered = () => {};
  let failed = () => {};
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
    const end = received.indexOf('\r\n\r\n') + 4;
    const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, end)) ?? [];
    if (end < 4 || received.length < end + Number(length)) return;
    answered({ status: Number(received.slice(9, 12)), body: received.slice(end) });
  });
  socket.on('error', (error) => failed(error)).on('close', () => failed(new Error('closed by the server')));
  return {
    ask: ({ method, url, headers, body }) =>
      new Promise((resolve, reject) => {
        [received, answered, failed] = ['', resolve, reject];
        const bytes = body?.() ?? Buffer.alloc(0);
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const length = method === 'POST' ? `content-length: ${bytes.length}\r\n` : '';
        const head = `${method} ${url} HTTP/1.1\r\n${lines.join('')}${length}\r\n`;
        socket.write(Buffer.concat([Buffer.from(head), bytes]));
      }),
    end: () => socket.destroy(),
  };
}
