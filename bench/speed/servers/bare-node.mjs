// The limit: node:http that knows nothing, and answers each path with the bytes that claimlink would.
import { createServer } from 'node:http';
import { createAnswers } from '../answers.mjs';
import { host, port } from './listen.mjs';

/** Up to here a string is faster, since Node sends it in one piece with the headers; above, bytes that are encoded. */
const LONGEST_STRING = 1024;

const { byPath, link, verify } = await createAnswers();
for (const answer of [...byPath.values(), link, verify])
  if (answer.body.length > LONGEST_STRING) answer.body = Buffer.from(answer.body);

createServer((req, res) => {
  if (req.method === 'POST') {
    req.on('end', () => send(res, link)).resume();
    return;
  }
  send(res, byPath.get(req.url) ?? verify);
}).listen(port, host);

function send(res, { status, headers, body }) {
  res.writeHead(status, headers);
  res.end(body);
}
