// The upper limit: node:http that sends claimlink's own responses as constants, and reads the body of a POST.
import { createServer } from 'node:http';
import { createResponses } from '../service.mjs';
import { host, port } from './listen.mjs';

const { listing, link } = await createResponses();
// Node sends a short string in one piece with the headers. A long body is faster as a Buffer.
listing.body = Buffer.from(listing.body);

createServer((req, res) => {
  if (req.method === 'POST') req.on('end', () => respond(res, link)).resume();
  else respond(res, listing);
}).listen(port, host);

function respond(res, { status, headers, body }) {
  res.writeHead(status, headers).end(body);
}
