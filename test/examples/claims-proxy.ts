// Stands between the host of examples/claims-system and its claims system: loses responses, and says when a request arrives.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';

/** A request that arrived. Each method may be called once. */
export interface ProxiedRequest {
  /** Sends the request on. Resolves when the claims system has stored the claim. */
  forward(): Promise<void>;
  /** Closes the connection: the host gets no response. */
  lose(): void;
  /** Responds with what the claims system responded, after `forward`. Resolves when the response is written. */
  respond(): Promise<void>;
}

export interface ClaimsProxy {
  /** Base of the API, for the host. */
  url: string;
  /** Statuses of the claims system. */
  statuses: number[];
}

/** Starts the proxy. `handle` decides what becomes of a request. */
export async function startClaimsProxy(
  t: Test,
  target: string,
  handle: (request: ProxiedRequest) => Promise<void>,
): Promise<ClaimsProxy> {
  const statuses: number[] = [];
  const server = createServer(async (req, res) => {
    const body = await text(req).catch(() => undefined);
    if (body === undefined) return; // the host was killed
    const { authorization = '', 'gw-dbtransaction-id': id } = req.headers;
    const transaction: Record<string, string> = id === undefined ? {} : { 'gw-dbtransaction-id': String(id) };
    let answer = '';
    const request: ProxiedRequest = {
      async forward() {
        const response = await fetch(new URL(`.${req.url}`, target), {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json', ...transaction },
          body,
        });
        statuses.push(response.status);
        res.statusCode = response.status;
        answer = await response.text();
      },
      lose() {
        res.destroy();
      },
      async respond() {
        res.setHeader('content-type', 'application/json').end(answer);
        await once(res, 'close');
      },
    };
    // The claims system may end as well.
    await handle(request).catch(() => res.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, statuses };
}
