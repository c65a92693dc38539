// A TCP proxy on loopback, as a virtual address of a database: it leads to the current primary, or nowhere.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import type { PostgresServer, Scope } from './postgres-server.js';

export interface Proxy extends PostgresServer {
  /** Connects new connections to this server. */
  route(server: PostgresServer): void;
  /**
   * Starts a black hole. Connections that exist are silent from now on, for good: no data, and no end when the server
   * ends. New ones are accepted, and get no answer; `route` ends this for later ones.
   */
  blackHole(): void;
}

/**
 * Starts a proxy, which ends with the test.
 * @param lagMs what the server sends arrives so much later. When the server ends, what is under way is lost.
 */
export async function startProxy(t: Scope, server: PostgresServer, lagMs = 0): Promise<Proxy> {
  let target: PostgresServer | undefined = server;
  const sockets = new Set<Socket>();
  /** The connections that are not silent, with their connections to the server. */
  const open = new Map<Socket, Socket>();

  const proxy = createServer((client) => {
    sockets.add(client.on('error', () => {}));
    if (target === undefined) return;
    const database = connectTo(target).on('error', () => {});
    sockets.add(database);
    open.set(client, database);
    client.pipe(database);
    if (lagMs === 0) database.pipe(client);
    else database.pipe(delay(lagMs), { end: false }).pipe(client);
    database.on('close', () => open.has(client) && client.destroy());
    client.on('close', () => {
      open.delete(client);
      database.destroy();
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  const url = new URL(server.url);
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    route(server) {
      target = server;
    },
    blackHole() {
      target = undefined;
      for (const socket of [...open].flat()) socket.unpipe().pause();
      open.clear();
    },
  };
}

/** A stream that passes each chunk on after a time. */
function delay(ms: number): Transform {
  return new Transform({
    transform(chunk, _encoding, callback) {
      setTimeout(() => this.push(chunk), ms);
      callback();
    },
  });
}

function connectTo({ url }: PostgresServer): Socket {
  const { hostname, port, searchParams } = new URL(url);
  const folder = searchParams.get('host');
  return folder === null
    ? connect(Number(port || 5432), hostname)
    : connect(`${folder}/.s.PGSQL.${port || 5432}`);
}
