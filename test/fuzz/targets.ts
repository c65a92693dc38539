// The servers that are fuzzed: every mount with a socket, HTTP/2, TLS, and the fetch handler behind node:http.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { Claimlink } from '../../lib/index.js';
import { MOUNTS } from '../adapters/mounts.js';
import { REPOSITORY } from '../repository.js';
import { hasConnectionError, http1Bytes, http1Probe, http2Bytes, http2Probe } from './messages.js';

/** What a connection got. */
export interface Exchange {
  received: Buffer;
  localPort: number;
}

/** A running server. */
export interface Target {
  port: number;
  prefix: string;
  createBytes: typeof http1Bytes;
  /** Returns a valid request, which gets a 200. */
  createProbe: typeof http1Probe;
  /** Protocol of TLS (ALPN). Absent: no TLS. */
  alpn?: 'http/1.1' | 'h2';
  /** Returns whether the client must close the connection. The server closes it in all other cases. */
  mustClose(received: Buffer): boolean;
  /** Returns the statuses of the responses on a connection. */
  statusesOf(exchange: Exchange): number[];
  close(): PromiseLike<unknown>;
}

export interface TargetKind {
  name: string;
  start(claimlink: Claimlink): Promise<Target>;
}

const HTTP1 = {
  createBytes: http1Bytes,
  createProbe: http1Probe,
  mustClose: () => false,
  statusesOf: ({ received }: Exchange) =>
    // The status line of a later response follows a body that ends without a line break.
    Array.from(received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status)),
};

export const TARGETS: readonly TargetKind[] = [
  ...MOUNTS.filter(({ name }) => name !== 'fetch handler').map(({ name, start }) => ({
    name,
    async start(claimlink: Claimlink) {
      const { socket = { port: 0, prefix: '' }, close } = await start(claimlink);
      return { ...HTTP1, ...socket, close };
    },
  })),
  {
    name: 'fetch handler behind node:http',
    start(claimlink) {
      const server = createServer(toListener(createFetchHandler(claimlink)));
      // Node aborts requests when the client half-closes, and this handler answers some of them in a later turn.
      return startHttp1(Object.assign(server, { httpAllowHalfOpen: true }));
    },
  },
  {
    name: 'node:https',
    start: async (claimlink) => ({
      ...(await startHttp1(createHttpsServer(readCertificate(), createNodeHandler(claimlink)))),
      alpn: 'http/1.1',
    }),
  },
  { name: 'node:http2', start: (claimlink) => startHttp2(createHttp2Server(), claimlink) },
  {
    name: 'node:http2 with TLS',
    start: async (claimlink) => ({
      ...(await startHttp2(createSecureServer(readCertificate()), claimlink)),
      alpn: 'h2',
    }),
  },
];

function readCertificate() {
  const read = (name: string) => readFileSync(new URL(`test/mock-server/tls/${name}.pem`, REPOSITORY));
  return { cert: read('cert'), key: read('key') };
}

/** Mounts the fetch handler as test/runtimes/hosts/node.mjs does. */
function toListener(handler: ReturnType<typeof createFetchHandler>) {
  return async (req: IncomingMessage, res: ServerResponse) => {
    const { method = '', headers, url } = req;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const init = { method, headers, body: hasBody ? Readable.toWeb(req) : null, duplex: 'half' };
    let request: Request;
    try {
      request = new Request(`http://127.0.0.1${url}`, init as unknown as RequestInit);
    } catch {
      // Fetch does not know each method and path that node:http accepts.
      res.writeHead(400, { connection: 'close' }).end();
      return;
    }
    const response = await handler(request);
    if (!req.complete) res.setHeader('connection', 'close');
    res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  };
}

async function startHttp1(server: Server): Promise<Target> {
  return {
    ...HTTP1,
    port: await listen(server),
    prefix: '',
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}

/** The handler for Node behind `node:http2`. The server reads the statuses: on the wire they are compressed. */
async function startHttp2(server: Http2Server | Http2SecureServer, claimlink: Claimlink): Promise<Target> {
  const handle = createNodeHandler(claimlink);
  const statuses = new Map<number | undefined, number[]>();
  server.on('request', (request, response) => {
    const port = request.socket.remotePort;
    response.on('finish', () => statuses.set(port, [...(statuses.get(port) ?? []), response.statusCode]));
    // The types of Node keep the two protocols apart. docs/mounting.md names this use.
    handle(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  // A connection that breaks the protocol ends with an error of its session.
  server.on('sessionError', () => {});
  return {
    port: await listen(server),
    prefix: '',
    createBytes: http2Bytes,
    createProbe: http2Probe,
    mustClose: hasConnectionError,
    statusesOf: ({ localPort }) => {
      const finished = statuses.get(localPort) ?? [];
      statuses.delete(localPort);
      return finished;
    },
    close() {
      for (const session of sessions) session.destroy();
      return new Promise((closed) => server.close(closed));
    },
  };
}

async function listen(server: Server | Http2Server | Http2SecureServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
