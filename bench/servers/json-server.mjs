// json-server on the same sessions. The user is the resource, so that json-server has nothing to filter.
import jsonServer from 'json-server';
import { USER_ID } from '../data.mjs';
import { createResponses } from '../service.mjs';
import { host, port } from './listen.mjs';

const { listing } = await createResponses();
const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false, static: import.meta.dirname }));
app.use(jsonServer.rewriter({ '/:clientId/sessions/:userId': '/:userId' }));
app.use(jsonServer.router({ [USER_ID]: JSON.parse(listing.body) }));
app.listen(port, host);
