// Stands in for the CDN of the widget: serves the folder bundle/ on an origin of its own.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const TYPES = {
  'claim.js': 'text/javascript',
  'claim.css': 'text/css',
  'car.svg': 'image/svg+xml',
  'garages.json': 'application/json',
};

/** Starts the server on a free port. Returns its origin, and a function that ends it. */
export async function startBundleServer() {
  const server = createServer(async (req, res) => {
    const name = req.url.slice(1);
    if (!Object.hasOwn(TYPES, name)) return res.writeHead(404).end();
    const content = await readFile(new URL(`bundle/${name}`, import.meta.url));
    res.setHeader('content-type', `${TYPES[name]}; charset=utf-8`);
    // Modules and JSON of another origin need CORS.
    res.setHeader('access-control-allow-origin', '*');
    res.setHeader('x-content-type-options', 'nosniff');
    res.end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
