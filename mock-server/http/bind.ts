// A bound HTTP server whose handler comes later: the port must be known before the service can be created.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { invalidOptions } from '../../lib/core/errors.js';
import { problemAt } from '../control/errors.js';
import type { ResolvedMockOptions } from '../state/options.js';

export type BoundServer = Awaited<ReturnType<typeof bindServer>>;

/** Time for running responses when the server closes. */
const GRACE_MS = 2000;

/**
 * Binds a port. Without `tls` it is plain http.
 * @throws `options_invalid`, with the system's error as its cause, for an unusable address or certificate
 */
export async function bindServer({ host, port, tls }: Pick<ResolvedMockOptions, 'host' | 'port' | 'tls'>) {
  let serve: (handler: RequestListener) => void = () => {};
  const handler = new Promise<RequestListener>((resolve) => {
    serve = resolve;
  });
  let running = 0;

  /** The latest response of each connection. */
  const latest = new WeakMap<object, ServerResponse>();

  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    // A pipelined request would wait in memory, and Node does not close the response of one whose connection ends.
    if (latest.get(socket)?.writableEnded === false) {
      socket.destroy();
      return;
    }
    latest.set(socket, response);
    running++;
    response.once('close', () => {
      running--;
      if (!server.listening && running === 0) server.closeAllConnections();
    });
    handler.then((handle) => handle(request, response)).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  server.listen({ host, port });
  await once(server, 'listening').catch((error) => {
    throw bindError(error, host, port);
  });
  const { port: boundPort } = server.address() as AddressInfo;

  return {
    server,
    /** URL on this machine, without a trailing slash. */
    url: `${tls === undefined ? 'http' : 'https'}://${toUrlHost(host)}:${boundPort}`,
    port: boundPort,
    /** Sets the handler. It also gets the requests that arrived before. */
    serve,
    /** Accepts no more connections, lets running responses finish, and resolves when the port is free. */
    close: () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        // Node keeps those that have sent nothing. Browsers open some in advance.
        if (running === 0) server.closeAllConnections();
      }),
  };
}

function createSecureServer(tls: NonNullable<ResolvedMockOptions['tls']>, listener: RequestListener): Server {
  try {
    // The members that the mock uses are those of an http server.
    return createTlsServer(tls, listener) as unknown as Server;
  } catch (error) {
    const detail = 'must be a certificate with its private key, both in PEM format';
    throw invalidOptions([problemAt('/tls', 'value', detail)], error);
  }
}

function bindError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const problems: Readonly<Record<string, readonly [pointer: string, detail: string]>> = {
    EADDRINUSE: ['/port', `${port} is in use on ${host}; choose another port, or 0 for a free one`],
    EACCES: ['/port', `${port} needs rights that this process lacks`],
  };
  const other = ['/host', `${host} is not an address of this machine (${error.code})`] as const;
  const [pointer, detail] = problems[error.code ?? ''] ?? other;
  return invalidOptions([problemAt(pointer, 'value', detail)], error);
}

/** Returns the host in the form of a URL. A wildcard address is reachable through loopback. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
