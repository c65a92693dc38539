// pageHeaders: a host that serves the pages itself sends the headers of the built-in pages.
import t from 'tap';
import type { Client, OpenLink } from '../../lib/core/types.js';
import { type PageHeadersOptions, pagePolicy } from '../../lib/http/page-headers.js';
import { createWorld, type World } from '../core/world.js';

const NONCE = 'c2l4dGVlbiByYW5kb20gYg==';
const SETTINGS: Omit<Client, 'clientId'> = {
  locale: 'de',
  branding: { displayName: 'Acme', logoUrl: 'https://img.example/logo.svg' },
  frameAncestors: ['https://portal.example'],
};

async function openedLink({ claimlink, mint }: World): Promise<OpenLink> {
  const { accessCode, token } = await mint();
  return claimlink.openLink(accessCode, token);
}

/** The headers of a built-in page, without those of its body. */
async function builtInHeaders(world: World, target: string, nonce: string): Promise<Record<string, string>> {
  const { headers } = await world.send('GET', target);
  const { 'content-type': _, 'content-length': __, ...security } = headers;
  const { nonce: sent = '' } = [...world.widget.forms, ...world.widget.unavailables].at(-1) ?? {};
  const policy = security['content-security-policy']?.replaceAll(sent, nonce) ?? '';
  return { ...security, 'content-security-policy': policy };
}

for (const [name, client] of Object.entries({ 'no settings': {}, 'a brand and frame ancestors': SETTINGS })) {
  t.test(`the page of a link has the headers of the built-in one: a client with ${name}`, async (t) => {
    const world = await createWorld({ client });
    const link = await openedLink(world);
    const { target } = await world.mint();
    t.strictSame(
      world.claimlink.pageHeaders({ nonce: NONCE, link }),
      await builtInHeaders(world, target, NONCE),
    );
  });
}

t.test('a page without a link has the headers of the built-in one', async (t) => {
  const world = await createWorld({ client: SETTINGS });
  t.strictSame(
    world.claimlink.pageHeaders({ nonce: NONCE }),
    await builtInHeaders(world, '/verify/code?token=x', NONCE),
  );
});

t.test('sources are added to the policy', async (t) => {
  const { claimlink } = await createWorld();
  const sources = { scriptSrc: ['https://widget.example'], imgSrc: ['https://img.example'] };
  const policy = claimlink.pageHeaders({ nonce: NONCE, sources })['content-security-policy'];
  t.match(policy, `script-src 'nonce-${NONCE}' https://widget.example;`);
  t.match(policy, 'img-src data: https://img.example;');
  t.match(policy, `style-src 'nonce-${NONCE}';`);
});

t.test('openLink has the settings of the client that a page needs', async (t) => {
  t.match(await openedLink(await createWorld({ client: SETTINGS })), SETTINGS);
});

t.test('a nonce that is not base64 is rejected', async (t) => {
  const { claimlink } = await createWorld();
  for (const nonce of ['', "x'; script-src *", 'a b', '=', 'a===', 'ä', 42, undefined])
    t.throws(
      () => claimlink.pageHeaders({ nonce: nonce as string }),
      /nonce (must be|is required)/,
      String(nonce),
    );
  for (const nonce of ['abc-_', 'a+/=', 'a=='])
    t.match(claimlink.pageHeaders({ nonce })['content-security-policy'], `'nonce-${nonce}'`);
});

t.test('an unknown member and a source that begins another directive are rejected', async (t) => {
  const { claimlink } = await createWorld();
  const misspelt = { nonce: NONCE, scriptSrc: ['https://widget.example'] } as PageHeadersOptions;
  t.throws(() => claimlink.pageHeaders(misspelt), /scriptSrc is not an option/);
  const sources = { scriptSrc: ["x; script-src 'unsafe-inline'"] };
  t.throws(() => claimlink.pageHeaders({ nonce: NONCE, sources }), { code: 'options_invalid' });
});

t.test('a link that openLink has not returned, and a source of another type, are rejected', async (t) => {
  const world = await createWorld({ client: SETTINGS });
  const link = await openedLink(world);
  for (const options of [
    { link: 5 },
    { link: { ...link, callbackUrl: 5 } },
    { link: { ...link, branding: { logoUrl: {} } } },
    { link: { ...link, frameAncestors: 'https://portal.example' } },
    { link: { ...link, frameAncestors: [{ toString: 1 }] } },
    { sources: { scriptSrc: [{ toString: 1 }] } },
  ] as object[])
    t.throws(
      () => world.claimlink.pageHeaders({ nonce: NONCE, ...options }),
      { code: 'options_invalid' },
      JSON.stringify(options),
    );
});

t.test('the policy of a page allows the callback’s origin as a form target, when there is one', async (t) => {
  const policy = pagePolicy('n', { callbackUrl: 'https://a.example/done' });
  t.match(policy, "form-action 'self' https://a.example; base-uri 'none'");
  t.match(pagePolicy('n'), "form-action 'self'; base-uri 'none'");
});

t.test('the policy of a page allows the logo and the frame ancestors of its client', async (t) => {
  const client = {
    branding: { logoUrl: 'https://img.example/logo.svg' },
    frameAncestors: ['https://portal.example', 'https://app.example:8443'],
  };
  const policy = pagePolicy('n', { client });
  t.match(policy, 'img-src data: https://img.example;');
  t.match(policy, /frame-ancestors https:\/\/portal.example https:\/\/app.example:8443$/);
  t.equal(policy.match(/img\.example/g)?.length, 1, 'no other directive names the origin of the logo');
  for (const none of [{}, { branding: {}, frameAncestors: [] }]) {
    t.match(pagePolicy('n', { client: none }), 'img-src data:;');
    t.match(pagePolicy('n', { client: none }), /frame-ancestors 'none'$/);
  }
});

const SOURCES: Record<string, [callbackUrl: string, source: string]> = {
  'an origin': ['https://app.example.com/a?b#c', 'https://app.example.com'],
  'an origin with a port': ['https://app.example.com:8443/', 'https://app.example.com:8443'],
  'an origin in punycode': ['https://bücher.example/', 'https://xn--bcher-kva.example'],
  'a custom scheme': ['myapp://done', 'myapp:'],
  'an IPv6 host: the scheme': ['https://[2001:db8::1]/', 'https:'],
  'a host with a semicolon, which would end the directive: the scheme': ['https://a;sandbox/', 'https:'],
  'a host with a comma, which would end the policy: the scheme': ['https://a,b/', 'https:'],
  'a text that is not a URL: nothing': ['nothing', ''],
};

for (const [what, [callbackUrl, source]] of Object.entries(SOURCES)) {
  t.test(`the form-action source of ${what}`, async (t) => {
    const formAction = ['form-action', "'self'", source].filter(Boolean).join(' ');
    t.ok(pagePolicy('n', { callbackUrl }).split('; ').includes(formAction));
  });
}

t.test(
  'the policy of a form with photos allows images that the page holds, and those of the service',
  async (t) => {
    t.match(pagePolicy('n', { hasPhotos: true }), "img-src data: 'self' blob:;");
    t.match(pagePolicy('n', { hasPhotos: false }), 'img-src data:;');
  },
);
