// User ids with reserved characters and compressed pages behind real proxies, with the configuration of docs/mounting.md.
import t, { type Test } from 'tap';
import { createNodeHandler } from '../../lib/adapters/node.js';
import { send } from '../adapters/http-client.js';
import { createTestService, KEYS, linkRequest, sampleSession } from '../adapters/service.js';
import { codeBlocks, readDocument } from '../docs/markdown.js';
import { serve } from '../listen.js';
import { apache, nginx, startProxy } from './proxies.js';

/** Each is another user. */
const USERS = [
  'a',
  'a/b',
  'a//b',
  '/a',
  'a/',
  'a?b',
  'a#b',
  'a%b',
  'a%2Fb',
  'a b',
  'a+b',
  'a;b',
  'a\\b',
  'ä',
  '../a',
];

/** Configurations that decode paths, or encode them twice. */
const DECODING = {
  nginx: [
    'server { listen 80; location /claims/ { proxy_pass UPSTREAM/claims/; } }',
    'server { listen 80; rewrite ^/portal(/.*)$ $1; location / { proxy_pass UPSTREAM; } }',
  ],
  apache: [
    '<VirtualHost *:80>\nProxyPass "/claims/" "UPSTREAM/claims/"\n</VirtualHost>',
    '<VirtualHost *:80>\nAllowEncodedSlashes On\nProxyPass "/claims/" "UPSTREAM/claims/"\n</VirtualHost>',
    '<VirtualHost *:80>\nAllowEncodedSlashes NoDecode\nProxyPass "/claims/" "UPSTREAM/claims/"\n</VirtualHost>',
    '<VirtualHost *:80>\nProxyPass "/claims/" "UPSTREAM/claims/" nocanon\n</VirtualHost>',
  ],
};

/** A host in which each user has one session, whose reference has the number of the user. */
async function startUpstream(t: Test): Promise<string> {
  const { claimlink, storage } = await createTestService();
  for (const [index, userId] of USERS.entries()) {
    const session = { ...sampleSession(1), reference: `S-USER-${index}` };
    await storage.insertSession({ clientId: 'acme', userId, ...session });
  }
  return serve(t, (req, res) => createNodeHandler(claimlink, { basePath: '/claims' })(req, res));
}

/** Returns the users whose sessions a caller does not get. */
async function lostUsers(origin: string, prefix: string): Promise<string[]> {
  const lost: string[] = [];
  for (const [index, userId] of USERS.entries()) {
    const path = `${prefix}/acme/sessions/${encodeURIComponent(userId)}`;
    const { body } = await send(origin, { method: 'GET', path, headers: { 'x-api-key': KEYS.good } });
    if (!body.includes(`"S-USER-${index}"`)) lost.push(userId);
  }
  return lost;
}

for (const [name, proxy] of Object.entries({ nginx, apache })) {
  const missing = proxy.missing();
  if (missing !== undefined) {
    if (process.env['CI']) t.fail(missing);
    else t.test(`tests behind ${name} are skipped: ${missing}`, { skip: true }, () => {});
    continue;
  }

  t.test(
    `${name}, as the document has it: every user id arrives as it was sent, and pages are compressed`,
    async (t) => {
      const upstream = await startUpstream(t);
      const [block, ...others] = codeBlocks(readDocument('docs/mounting.md')).filter(
        ({ language }) => language === name,
      );
      t.same(others, []);
      const part = String(block?.code).replaceAll('http://127.0.0.1:3000', upstream);
      const origin = await startProxy(t, proxy, part);
      for (const prefix of ['/claims', '/portal/claims']) t.same(await lostUsers(origin, prefix), [], prefix);
      const headers = { 'accept-encoding': 'gzip', 'x-api-key': KEYS.good };
      const link = await send(origin, {
        method: 'POST',
        path: '/claims/acme/link',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(linkRequest()),
      });
      const [path] = /\/verify\/[^"]+/.exec(link.body) ?? [];
      const page = await send(origin, { method: 'GET', path: `/claims${path}`, headers });
      t.match(page, { status: 200, headers: { 'content-encoding': 'gzip', vary: /accept-encoding/i } });
      const listing = await send(origin, { method: 'GET', path: '/claims/acme/sessions/a', headers });
      t.match(listing, { status: 200, headers: { 'content-encoding': undefined } });
    },
  );

  for (const part of DECODING[name as keyof typeof DECODING])
    t.test(`${name} loses user ids with ${part.replaceAll('\n', ' ')}`, async (t) => {
      const origin = await startProxy(t, proxy, part.replaceAll('UPSTREAM', await startUpstream(t)));
      const prefix = part.includes('portal') ? '/portal/claims' : '/claims';
      const lost = await lostUsers(origin, prefix);
      t.ok(lost.length > 0 && !lost.includes('a'), lost.join(' '));
    });
}
