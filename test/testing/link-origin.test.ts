// The contract suite does not send requests to another origin unless `linkOrigin` allows it.

import { createServer, type RequestListener } from 'node:http';
import t, { type Test } from 'tap';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { ContractTarget } from '../../lib/testing/index.js';
import { KEYS } from '../adapters/service.js';
import { serve } from '../listen.js';
import { createTickingService, rulesWith, runSuite } from './deployment.js';

const OPEN_RULE = 'a link opens a page in a browser: 200, text/html';

interface Server {
  origin: string;
  /** Method and path of every request. */
  requests: string[];
  /** The API keys that arrived. */
  apiKeys: unknown[];
  respond: RequestListener;
}

async function startServer(t: Test): Promise<Server> {
  const requests: string[] = [];
  const apiKeys: unknown[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.headers['x-api-key'] !== undefined) apiKeys.push(request.headers['x-api-key']);
    started.respond(request, response);
  });
  const origin = await serve(t, server);
  const started: Server = { origin, requests, apiKeys, respond: (_, response) => response.end() };
  return started;
}

/** Starts a deployment whose links lead to a second server, which serves the same claimlink. */
async function startTwoServers(t: Test) {
  const api = await startServer(t);
  const links = await startServer(t);
  const { claimlink } = await createTickingService({ publicUrl: links.origin });
  api.respond = createNodeHandler(claimlink);
  links.respond = createNodeHandler(claimlink);
  const target: ContractTarget = {
    baseUrl: api.origin,
    clientId: 'acme',
    apiKey: KEYS.good,
    userId: 'user-1',
  };
  return { api, links, target };
}

t.test('a link to another origin fails the rule that opens it, and the origin gets no request', async (t) => {
  const { api, links, target } = await startTwoServers(t);
  const outcomes = await runSuite(target);
  t.same(links.requests, []);
  t.ok(api.requests.length > 100);
  const open = outcomes.find(({ rule }) => rule.name === OPEN_RULE);
  t.equal(open?.outcome, 'failed');
  t.equal(
    open?.message,
    `GET /verify/<access_code>?token=<token>: saw a link to ${links.origin}; expected a link to ${api.origin}; ` +
      `to let the suite follow links to ${links.origin}, pass --link-origin ${links.origin} (option linkOrigin). ` +
      'Show a page at the URL of a link. If the deployment has none, respond with 404 there: then this rule does not apply.',
  );
  const skipped = outcomes.filter(({ outcome }) => outcome === 'not applicable');
  t.ok(skipped.length > 40);
  const reason = `links lead to ${links.origin}: pass --link-origin ${links.origin} to open them; see "${OPEN_RULE}"`;
  t.equal(skipped.filter(({ message }) => message === reason).length > 40, true);
});

t.test('linkOrigin lets the suite open links at this origin, without the API key', async (t) => {
  const { links, target } = await startTwoServers(t);
  const outcomes = await runSuite({ ...target, linkOrigin: links.origin });
  t.ok(links.requests.length > 100);
  t.ok(links.requests.every((request) => /^[A-Z]+ \/verify\//.test(request)));
  t.same(links.apiKeys, []);
  // These rules compare URLs with {base_url}, which is another origin here.
  t.same(
    rulesWith(outcomes, 'failed').map((rule) => rule.replace(/ \(.*/, '')),
    [
      'the URL has the shape {base_url}/verify/<access_code>?token=<encoded_token>',
      'a page that is not the last one has a Link header, rel="next", with a URL below {base_url}',
      'the pages that the Link headers name contain every session once, in order',
      'iss is {base_url}, jti the access code, client_id the client',
    ],
  );
});

t.test('linkOrigin allows no third origin', async (t) => {
  const { links, target } = await startTwoServers(t);
  const outcomes = await runSuite({ ...target, linkOrigin: 'http://127.0.0.1:1' });
  t.same(links.requests, []);
  t.equal(outcomes.find(({ rule }) => rule.name === OPEN_RULE)?.outcome, 'failed');
});
