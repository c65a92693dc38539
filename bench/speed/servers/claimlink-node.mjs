// claimlink over node:http.
import { createServer } from 'node:http';
import { createNodeHandler } from '../../../dist/lib/adapters/node.js';
import { createService } from '../service.mjs';
import { host, port } from './listen.mjs';

createServer(createNodeHandler(createService())).listen(port, host);
