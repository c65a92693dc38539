// Which route and which client a request is for, told from method and target alone.
import t from 'tap';
import { createClaimlink, createLinkSigner, createMemoryStorage } from '../../../lib/index.js';
import { createTraceReader } from '../../../mock-server/traffic/trace.js';

const signer = createLinkSigner({
  keys: [{ kid: 'k', algorithm: 'HS256', secret: Buffer.alloc(32, 1) }],
  issuer: 'https://claims.example.com',
});
const claimlink = createClaimlink({
  storage: createMemoryStorage(),
  signer,
  publicUrl: 'https://claims.example.com',
});
const CLIENTS = ['acme', 'ü b', 'a/b%'];
const trace = createTraceReader(claimlink, (clientId) => CLIENTS.includes(clientId));

function linkOf(clientId: string): string {
  const issuedAt = new Date('2026-01-01T00:00:00Z');
  const token = signer.sign({
    accessCode: 'code',
    clientId,
    issuedAt,
    expiresAt: new Date('2026-01-02T00:00:00Z'),
  });
  return `/verify/code?token=${token}`;
}

t.test('each route is known by method and path', async (t) => {
  t.same(trace('GET', '/acme/sessions/u'), { route: 'listSessions', clientId: 'acme' });
  t.same(trace('HEAD', '/acme/sessions/u?limit=1'), { route: 'listSessions', clientId: 'acme' });
  t.same(trace('POST', '/acme/link'), { route: 'createLink', clientId: 'acme' });
  t.same(trace('GET', linkOf('acme')), { route: 'openLink', clientId: 'acme' });
  t.same(trace('HEAD', linkOf('acme')), { route: 'openLink', clientId: 'acme' });
  t.same(trace('POST', linkOf('acme')), { route: 'submitClaim', clientId: 'acme' });
});

t.test(
  'another method on a path of the service is no route of it, but that client all the same',
  async (t) => {
    t.same(trace('DELETE', '/acme/sessions/u'), { route: null, clientId: 'acme' });
    t.same(trace('OPTIONS', '/acme/link'), { route: null, clientId: 'acme' });
    t.same(trace('GET', '/acme/link'), { route: null, clientId: 'acme' });
    t.same(trace('PUT', linkOf('acme')), { route: null, clientId: 'acme' });
  },
);

t.test('a client id is read percent-decoded, in every spelling', async (t) => {
  for (const clientId of CLIENTS) {
    const path = `/${encodeURIComponent(clientId)}/sessions/u`;
    t.same(trace('GET', path), { route: 'listSessions', clientId });
    t.same(trace('POST', `/${encodeURIComponent(clientId)}/link`), { route: 'createLink', clientId });
  }
  t.same(trace('GET', '/%61cme/%73essions/u'), { route: 'listSessions', clientId: 'acme' });
});

t.test('whoever is no client is nobody', async (t) => {
  t.same(trace('GET', '/evil/sessions/u'), { route: 'listSessions', clientId: null });
  t.same(trace('GET', linkOf('evil')), { route: 'openLink', clientId: null });
  t.same(trace('GET', '/%zz/sessions/u').clientId, null);
});

t.test('a token that cannot be read names nobody, and breaks nothing', async (t) => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const token of [
    '',
    'x',
    '..',
    'a.%00.c',
    `a.${encode(null)}.c`,
    `a.${encode('acme')}.c`,
    `a.${encode({})}.c`,
    `a.${encode({ client_id: 5 })}.c`,
    `a.${encode({ client_id: ['acme'] })}.c`,
  ]) {
    t.same(trace('GET', `/verify/code?token=${token}`), { route: 'openLink', clientId: null }, token);
  }
  t.same(trace('GET', '/verify/code'), { route: 'openLink', clientId: null });
});

t.test('what is below a client and no route belongs to the client', async (t) => {
  t.same(trace('GET', '/acme/sessions'), { route: null, clientId: 'acme' });
  t.same(trace('GET', '/acme/nothing/here/at/all?x'), { route: null, clientId: 'acme' });
  t.same(trace('GET', '/verify'), { route: null, clientId: null });
  t.same(trace('GET', '/'), { route: null, clientId: null });
});
