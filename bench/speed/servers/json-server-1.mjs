// json-server 1.0, a beta for years, on the same sessions: one resource for each user, behind the documented path.
import { createServer } from 'node:http';
import { createApp } from 'json-server-1/lib/app.js';
import { createAnswers } from '../answers.mjs';
import { host, port } from './listen.mjs';

const { byPath } = await createAnswers();
const users = [...byPath]
  .filter(([, { status }]) => status === 200)
  .map(([path, { body }]) => [path.slice(path.lastIndexOf('/') + 1), JSON.parse(body)]);

// A lowdb that writes nowhere: the listing only reads.
const db = { data: Object.fromEntries(users), read: async () => {}, write: async () => {} };
const app = createApp(db);

createServer((req, res) => {
  // It cannot rewrite: the last segment is the resource.
  req.url = req.url.slice(req.url.lastIndexOf('/'));
  app.handler(req, res);
}).listen(port, host);
