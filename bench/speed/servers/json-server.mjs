// json-server 0.17, the stable one, on the same sessions: one resource for each user, behind the documented path.
import jsonServer from 'json-server';
import { createAnswers } from '../answers.mjs';
import { host, port } from './listen.mjs';

const { byPath } = await createAnswers();
const users = [...byPath]
  .filter(([, { status }]) => status === 200)
  .map(([path, { body }]) => [path.slice(path.lastIndexOf('/') + 1), JSON.parse(body)]);

const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false, static: import.meta.dirname }));
app.use(jsonServer.rewriter({ '/:clientId/sessions/:userId': '/:userId' }));
app.use(jsonServer.router(Object.fromEntries(users)));
app.listen(port, host);
