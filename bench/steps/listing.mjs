// What a listing costs at the least: constant bytes, and one step more of what the contract asks for with each turn.
import { hash } from 'node:crypto';
import { createAnswers } from '../speed/answers.mjs';
import { API_KEY, CLIENT, listingRequest } from '../speed/data.mjs';

/** `{ name, answers, handler }[]`; the last is the plainest code for a listing. */
export async function createListingTurns() {
  const { path } = listingRequest(10);
  const { byPath } = await createAnswers();
  const { headers, body } = byPath.get(path);
  const bytes = Buffer.from(body);
  const clients = new Map([[CLIENT.clientId, CLIENT]]);
  const keys = new Map([[hash('sha256', API_KEY), { clientId: CLIENT.clientId }]]);
  const listings = new Map([[`${CLIENT.clientId}\0user-10`, bytes]]);
  const constant = { name: 'constant bytes', answers: 'constant', handler: (_req, res) => send(res) };

  function send(res) {
    res.writeHead(200, headers);
    res.end(bytes);
  }

  function refuse(res, status) {
    res.writeHead(status);
    res.end();
  }

  return [
    constant,
    {
      name: '... hashes the API key (SHA-256)',
      answers: 'constant',
      handler(req, res) {
        if (keys.has(hash('sha256', req.headers['x-api-key']))) send(res);
        else refuse(res, 401);
      },
    },
    {
      name: '... finds route, client and sessions, names the headers: by hand, no more than that',
      answers: 'same',
      handler(req, res) {
        const [, client, sessions, user, ...more] = req.url.split('/');
        if (req.method !== 'GET' || sessions !== 'sessions' || user === undefined || more.length > 0)
          return refuse(res, 404);
        const presented = req.headers['x-api-key'];
        if (presented === undefined) return refuse(res, 401);
        const key = keys.get(hash('sha256', presented));
        const { clientId } = clients.get(decode(client)) ?? {};
        if (key === undefined || key.clientId !== clientId) return refuse(res, 401);
        const listing = listings.get(`${clientId}\0${decode(user)}`);
        if (listing === undefined) return refuse(res, 404);
        res.writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': String(listing.length),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        });
        res.end(listing);
      },
    },
  ];
}

function decode(segment) {
  return segment.includes('%') ? decodeURIComponent(segment) : segment;
}
