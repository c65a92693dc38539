// The server of the portal: its page, the scripts of the page, and links for the user who is signed in.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (url) => readFileSync(fileURLToPath(url));
const FILES = {
  '/': ['text/html', read(new URL('portal/index.html', import.meta.url))],
  '/portal.js': ['text/javascript', read(new URL('portal/portal.js', import.meta.url))],
  // With a bundler, the script of the page imports 'claimlink/embed'.
  '/embed.js': ['text/javascript', read(import.meta.resolve('claimlink/embed'))],
};

/** Returns the listener of the portal. */
export function createPortal({ serviceOrigin, createLink }) {
  return async (req, res) => {
    if (req.method === 'POST' && req.url === '/links') {
      // The URL of a link is a secret: it is in no page that a cache stores.
      res.setHeader('cache-control', 'no-store');
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ url: await createLink() }));
      return;
    }
    const [type, content] = FILES[req.url] ?? [];
    if (type === undefined) {
      res.writeHead(404).end();
      return;
    }
    res.setHeader('content-type', `${type}; charset=utf-8`);
    res.setHeader(
      'content-security-policy',
      `default-src 'self'; img-src data:; frame-src ${serviceOrigin}; frame-ancestors 'none'`,
    );
    res.end(content);
  };
}
