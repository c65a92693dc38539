// A server that is asked for a long listing by slow readers: claimlink, or a bare one with constant bytes. Run by fork.
import { createServer } from 'node:http';
import { createNodeHandler } from '../../dist/lib/adapters/node.js';
import { createService, HEADERS, listing } from './service.mjs';

const SAMPLE_MS = 5;
const [kind, sessions, path] = process.argv.slice(2);

const { claimlink } = createService({ users: { reader: Number(sessions) } });
const { headers, body } = await claimlink.handle(listing('reader'));
const bytes = Buffer.from(body);

/** What each kind answers a request with. */
const HANDLERS = {
  claimlink: createNodeHandler(claimlink),
  'constant Buffer': (_request, response) => response.writeHead(200, headers).end(bytes),
  'constant string': (_request, response) => response.writeHead(200, headers).end(body),
};

const sockets = new Set();
let answered = 0;
let peak = 0;
const server = createServer((request, response) => {
  sockets.add(request.socket.on('close', () => sockets.delete(request.socket)));
  response.on('prefinish', () => answered++);
  HANDLERS[kind](request, response);
});
server.listen(path, () => {
  const { url } = listing('reader');
  process.send({ url, headers: HEADERS, length: bytes.length });
});

const COMMANDS = {
  /** RSS when all that is not needed is given back; from then on the peak is watched. */
  async start() {
    for (let i = 0; i < 2; i++) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    answered = 0;
    const { rss } = process.memoryUsage();
    peak = rss;
    setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, SAMPLE_MS);
    return { baseline: rss };
  },
  /** How many requests have been answered, and what of it no socket has taken yet. */
  async state() {
    const unsent = [...sockets].reduce((sum, socket) => sum + socket.writableLength, 0);
    return { answered, unsent, peak };
  },
};
process.on('message', async (command) => process.send(await COMMANDS[command]()));
process.on('disconnect', () => process.exit());
