// A bare node:http host with claimlink under /claims: node examples/node.mjs
import { createServer } from 'node:http';
import { createNodeHandler } from 'claimlink/node';
import { createService, port, publicUrl } from './service.mjs';

const claims = createNodeHandler(createService(publicUrl), { basePath: '/claims' });
const server = createServer((req, res) => {
  // What is not claimlink's comes back through the third argument.
  claims(req, res, () => {
    res.setHeader('content-type', 'application/json');
    res.end('{"hello":"from the host"}');
  });
});
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
