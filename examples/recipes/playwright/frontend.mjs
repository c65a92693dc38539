// The application under test: a page that lists a user's claims and lets the user report one, served by node:http.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const PAGES = {
  '/': ['text/html', './page.html'],
  '/page.mjs': ['text/javascript', './page.mjs'],
  '/claims-client.mjs': ['text/javascript', '../claims-client.mjs'],
};

/** Serves the application on a free port. */
export async function startFrontend() {
  const server = createServer(async (request, response) => {
    const [type, file] = PAGES[new URL(request.url, 'http://localhost').pathname] ?? [];
    if (file === undefined) return response.writeHead(404).end();
    const body = await readFile(new URL(file, import.meta.url));
    return response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
