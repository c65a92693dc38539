// pageHeaders: a host that serves the pages itself sends the headers of the built-in pages.
import t from 'tap';
import type { Client, OpenLink } from '../../lib/core/types.js';
import type { PageHeadersOptions } from '../../lib/page-headers.js';
import { createWorld, type World } from './world.js';

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

t.test('a nonce that is not base64 is refused', async (t) => {
  const { claimlink } = await createWorld();
  for (const nonce of ['', "x'; script-src *", 'a b', '=', 'a===', 'ä', 42, undefined])
    t.throws(() => claimlink.pageHeaders({ nonce: nonce as string }), /^nonce must be/, String(nonce));
  for (const nonce of ['abc-_', 'a+/=', 'a=='])
    t.match(claimlink.pageHeaders({ nonce })['content-security-policy'], `'nonce-${nonce}'`);
});

t.test('an unknown member and a source that begins another directive are refused', async (t) => {
  const { claimlink } = await createWorld();
  const misspelt = { nonce: NONCE, scriptSrc: ['https://widget.example'] } as PageHeadersOptions;
  t.throws(() => claimlink.pageHeaders(misspelt), /knows nonce, link, sources, and not scriptSrc/);
  const sources = { scriptSrc: ["x; script-src 'unsafe-inline'"] };
  t.throws(() => claimlink.pageHeaders({ nonce: NONCE, sources }), TypeError);
});
