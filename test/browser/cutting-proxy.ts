// A network that breaks: a proxy that cuts the connection of an upload of a photo while its bytes are on their way.
import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

const UPLOAD = /^POST \S*\/photos\/([0-9a-f]{64})\?/;
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Starts the proxy. It ends with the test. `cuts` has the number of cuts of each photo. */
export async function startCuttingProxy(t: Test, target: string, cutsOfPhoto: number) {
  const cuts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const { port, hostname } = new URL(target);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    upstream.pipe(client);
    client.on('end', () => upstream.end());
    let id: string | undefined;
    let left = 0;
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      const upload = UPLOAD.exec(text);
      if (upload) {
        id = upload[1] ?? '';
        // The first cut comes in the middle, the second one near the end.
        const share = cuts.get(id) === 1 ? 0.9 : 0.5;
        left = Number(LENGTH.exec(text)?.[1]) * share;
      }
      left -= chunk.length;
      if (id !== undefined && left < 0 && (cuts.get(id) ?? 0) < cutsOfPhoto) {
        cuts.set(id, (cuts.get(id) ?? 0) + 1);
        client.resetAndDestroy();
        upstream.resetAndDestroy();
        return;
      }
      upstream.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { cuts, port: address.port };
}
