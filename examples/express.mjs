// An Express host with claimlink under /claims: node examples/express.mjs
import { createNodeHandler } from 'claimlink/node';
import express from 'express';
import { createService, port, publicUrl } from './service.mjs';

const app = express();
app.get('/', (_req, res) => res.json({ hello: 'from the host' }));
app.use('/claims', createNodeHandler(createService(publicUrl)));
const server = app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
