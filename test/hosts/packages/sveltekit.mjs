// Starts the host that `vite build` made.
import { createServer } from 'node:http';

const server = createServer((req, res) => handler(req, res));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
process.env.ORIGIN = origin; // adapter-node asks for it
const { handler } = await import('./build/handler.js');
process.stdout.write(`${origin}\n`);
