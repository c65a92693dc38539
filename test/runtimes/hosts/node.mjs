// Node: a server of node:http that calls the fetch handler.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createFetchHandler } from 'claimlink/fetch';
import { claimlink } from './claimlink.mjs';

const handler = createFetchHandler(claimlink, { basePath: '/claims' });
const server = createServer(async (req, res) => {
  const { method, headers } = req;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? Readable.toWeb(req) : null;
  const request = new Request(`http://localhost${req.url}`, { method, headers, body, duplex: 'half' });
  const response = await handler(request);
  if (!req.complete) res.setHeader('connection', 'close'); // the rest of the body stays unread
  res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
