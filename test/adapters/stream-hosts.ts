// Every mount that streams bodies, each as a running host with a socket.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import fastify from 'fastify';
import type { Test } from 'tap';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { Claimlink } from '../../lib/index.js';
import { serve } from '../listen.js';

/** Serves claimlink by a mount, and returns its URL. */
export type StartHost = (t: Test, claimlink: Claimlink) => Promise<string>;

/** Serves a fetch handler by node:http, as adapters of frameworks do. */
export function serveFetch(handler: (request: Request) => Promise<Response>) {
  return async (req: IncomingMessage, res: ServerResponse) => {
    const hasBody = req.method !== 'GET' && req.method !== 'HEAD';
    const request = new Request(`http://127.0.0.1${req.url}`, {
      method: req.method ?? 'GET',
      headers: req.headers as Record<string, string>,
      ...(hasBody && { body: Readable.toWeb(req) as ReadableStream, duplex: 'half' as const }),
    });
    const response = await handler(request);
    res.writeHead(response.status, {
      ...Object.fromEntries(response.headers),
      ...(!req.complete && { connection: 'close' }),
    });
    if (response.body === null) res.end();
    else await pipeline(Readable.fromWeb(response.body as never), res).catch(() => {});
  };
}

/** The mounts that stream bodies, each over a socket. */
export const HOSTS: Record<string, StartHost> = {
  'node:http': (t, claimlink) => serve(t, createNodeHandler(claimlink)),
  Express: (t, claimlink) => serve(t, express().use(createNodeHandler(claimlink))),
  Fastify: async (t, claimlink) => {
    const app = fastify();
    app.register(claimlinkPlugin, { claimlink });
    t.teardown(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  'fetch handler': (t, claimlink) =>
    serve(t, createServer(serveFetch(createFetchHandler(claimlink))) as never),
};
