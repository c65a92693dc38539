// A bound HTTP server whose handler comes later: the address must be known before the service can be built.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { invalidMockOptions } from '../options.js';

/** What answers a request. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that is listening already. */
export interface BoundServer {
  readonly server: Server;
  /** Where it can be reached from this machine, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Hands over all requests, the ones that came before too. */
  serve(handler: RequestHandler): void;
  /** Takes no more connections, lets running answers finish, and resolves when the port is free. */
  close(): Promise<void>;
}

/** How long running answers may take once the server closes. */
const GRACE_MS = 2000;

/** Where to listen. */
export interface BindOptions {
  host: string;
  port: number;
  /** PEM; undefined: plain http. */
  tls: { cert: string; key: string } | undefined;
}

/**
 * Binds a port.
 * @throws `options_invalid`, with the system's error as its cause, when the address cannot be bound, or the certificate not used.
 */
export async function bindServer({ host, port, tls }: BindOptions): Promise<BoundServer> {
  let serve: (handler: RequestHandler) => void = () => {};
  const handler = new Promise<RequestHandler>((resolve) => {
    serve = resolve;
  });
  let answering = 0;
  let closing: Promise<void> | undefined;

  const listener: RequestHandler = (request, response) => {
    answering++;
    response.once('close', () => {
      answering--;
      if (closing !== undefined && answering === 0) server.closeAllConnections();
    });
    // A handler that throws has nothing to answer with; an unhandled rejection would end the process.
    handler.then((handle) => handle(request, response)).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);

  await listen(server, host, port);
  const address = server.address() as AddressInfo;

  function close(): Promise<void> {
    closing ??= new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      if (answering === 0) server.closeAllConnections();
    });
    return closing;
  }

  return {
    server,
    url: `${tls === undefined ? 'http' : 'https'}://${toUrlHost(host)}:${address.port}`,
    port: address.port,
    serve,
    close,
  };
}

function createSecureServer(tls: { cert: string; key: string }, listener: RequestHandler): Server {
  try {
    // The part of a secure server that is used here is that of a plain one.
    return createTlsServer(tls, listener) as Server;
  } catch (error) {
    const detail = 'is no certificate with its private key, both in PEM form';
    throw invalidMockOptions([{ pointer: '/tls', rule: 'value', detail }], error);
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(toBindError(error, host, port));
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

function toBindError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE': {
      const detail = `${port} is in use on ${host}; choose another one, or 0 for any free one`;
      return invalidMockOptions([{ pointer: '/port', rule: 'value', detail }], error);
    }
    case 'EACCES':
      return invalidMockOptions(
        [{ pointer: '/port', rule: 'value', detail: `${port} needs rights that this process lacks` }],
        error,
      );
    default: {
      const detail = `${host} is no address of this machine (${error.code})`;
      return invalidMockOptions([{ pointer: '/host', rule: 'value', detail }], error);
    }
  }
}

/** The host as a URL has it; a wildcard address is reached through loopback. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
