// GET and HEAD of a link: what opens it, what does not, and that looking never uses it up.
import { inspect } from 'node:util';
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { createLinkSigner } from '../../lib/core/link-signer.js';
import { createFakeWidget } from './fake-widget.js';
import {
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  outcomeOf,
  PUBLIC_URL,
  SECRET,
  START,
  storedLink,
  type World,
} from './world.js';

const JSON_WANTED = { accept: 'application/json' };

t.test('a link opens the form, as a page that is closed up', async (t) => {
  const world = await createWorld();
  const response = await world.open(await world.mint());
  t.equal(response.status, 200);
  const { nonce } = world.widget.forms[0] ?? {};
  t.match(nonce, /^[0-9a-f]{32}$/);
  t.strictSame(response.headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(response.body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:; connect-src 'self'; form-action 'self' https://app.example.com; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'strict-origin',
    'x-robots-tag': 'noindex',
  });
});

t.test('the widget gets what the form needs', async (t) => {
  const world = await createWorld();
  const link = await world.mint({ callbackOnSubmit: true });
  await world.open(link);
  const [form] = world.widget.forms;
  t.equal(form?.latestIncidentDate, '2026-03-03');
  t.strictSame(form?.link, {
    linkId: hashAccessCode(link.accessCode),
    clientId: 'acme',
    clientName: 'Acme Insurance',
    userId: 'user-1',
    callbackUrl: 'https://app.example.com/done',
    callbackOnSubmit: true,
    config: linkRequest().config,
    openedAt: START,
    expiresAt: new Date(START.getTime() + 86_400_000),
  });
});

t.test('the nonce is new for each answer', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  await world.open(link);
  await world.open(link);
  t.not(world.widget.forms[0]?.nonce, world.widget.forms[1]?.nonce);
});

t.test('a widget may bring its own policy', async (t) => {
  const world = await createWorld();
  const { claimlink } = await createWorld({
    widget: {
      ...world.widget,
      renderForm: () => ({ html: '', contentSecurityPolicy: "default-src 'self'" }),
    },
    wrapStorage: () => world.storage,
  });
  const { target } = await world.mint();
  const response = await claimlink.handle({ method: 'GET', url: target, headers: {} });
  t.equal(response.headers['content-security-policy'], "default-src 'self'");
});

t.test('GET and HEAD 50 times each leave the link usable', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  for (let i = 0; i < 50; i++) {
    t.equal((await world.open(link)).status, 200);
    t.equal((await world.send('HEAD', link.target)).status, 200);
  }
  t.equal((await world.submitJson(link)).status, 200);
});

t.test('the first GET marks the link as opened, later ones leave the moment', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  world.advance(1000);
  await world.open(link);
  world.advance(1000);
  await world.open(link);
  t.strictSame((await storedLink(world, link))?.link.openedAt, new Date(START.getTime() + 1000));
});

t.test('HEAD does not mark the link as opened', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const response = await world.send('HEAD', link.target);
  t.equal(response.status, 200);
  t.equal(response.body, '');
  t.equal((await storedLink(world, link))?.link.openedAt, undefined);
});

const ENDS: Record<string, [code: string, end: (world: World, link: MintedLink) => unknown]> = {
  expired: ['link_expired', (world) => world.advance(86_400_000)],
  revoked: [
    'link_revoked',
    ({ claimlink }, link) => claimlink.revokeLink('acme', hashAccessCode(link.accessCode)),
  ],
  submitted: ['link_submitted', (world, link) => world.submitJson(link)],
};

for (const [what, [code, end]] of Object.entries(ENDS))
  t.test(`a link that is ${what} is 410 ${code}, as a problem and as a page of its client`, async (t) => {
    const branding = { displayName: 'Acme' };
    const widget = { ...createFakeWidget(), locales: ['en', 'de'] };
    const client = { locale: 'de', branding, frameAncestors: ['https://app.example.com'] };
    const world = await createWorld({ widget, client });
    const link = await world.mint();
    await end(world, link);
    t.equal(outcomeOf(await world.open(link, JSON_WANTED)), `410 ${code}`);
    const { status, headers } = await world.open(link);
    t.equal(status, 410);
    t.match(headers['content-type'], 'text/html');
    t.match(headers['content-security-policy'], /; frame-ancestors https:\/\/app\.example\.com$/);
    const { nonce: _, policy: __, receipt: ___, ...view } = widget.unavailables[0] ?? {};
    t.strictSame(view, {
      locale: 'de',
      branding,
      frameAncestors: client.frameAncestors,
      code,
      status: 410,
      linkId: hashAccessCode(link.accessCode),
      contact: linkRequest().config.contact,
      clientName: 'Acme Insurance',
    });
  });

t.test('a link can be opened until the moment of its expiry', async (t) => {
  const world = await createWorld({ linkTtlSeconds: 60 });
  const link = await world.mint();
  world.advance(59_999);
  t.equal((await world.open(link)).status, 200);
  world.advance(1);
  t.equal((await world.open(link)).status, 410);
});

t.test('a link that is expired and deleted is 410 link_expired, as a page without the contact', async (t) => {
  const world = await createWorld({ linkTtlSeconds: 60 });
  const link = await world.mint();
  world.advance(60_000);
  await world.storage.deleteExpiredLinks(new Date(world.now().getTime() + 1));
  t.equal((await world.open(link)).status, 410);
  t.equal(outcomeOf(await world.open(link, JSON_WANTED)), '410 link_expired');
  t.notOk(world.widget.unavailables[0] && 'contact' in world.widget.unavailables[0]);
});

t.test('a revoked link stays revoked after its end', async (t) => {
  const world = await createWorld({ linkTtlSeconds: 60 });
  const link = await world.mint();
  await world.claimlink.revokeLink('acme', hashAccessCode(link.accessCode));
  world.advance(60_000);
  t.equal(outcomeOf(await world.open(link, JSON_WANTED)), '410 link_revoked');
});

t.test('a page that is no link’s shows no contact and has no callback in its policy', async (t) => {
  const world = await createWorld();
  const response = await world.send('GET', '/verify/code?token=x');
  t.equal(response.status, 404);
  t.notOk(world.widget.unavailables[0] && 'contact' in world.widget.unavailables[0]);
  t.match(response.headers['content-security-policy'], "form-action 'self';");
  t.equal(response.headers['x-robots-tag'], 'noindex');
});

const ACCEPTS: Record<string, [accept: string | undefined, isJson: boolean]> = {
  'no Accept': [undefined, false],
  'a browser': ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  anything: ['*/*', false],
  'application/json': ['application/json', true],
  'application/problem+json': ['application/problem+json', true],
  'JSON before HTML': ['application/json, text/html', true],
  'HTML before JSON': ['text/html, application/json', false],
  'HTML preferred by weight': ['application/json;q=0.5, text/html', false],
  'JSON that is excluded': ['application/json;q=0, text/html;q=0.1', false],
  'HTML that is excluded': ['application/json, text/html;q=0', true],
  axios: ['application/json, text/plain, */*', true],
};

for (const [who, [accept, isJson]] of Object.entries(ACCEPTS)) {
  t.test(`an error for ${who} is ${isJson ? 'problem JSON' : 'a page'}`, async (t) => {
    const { send } = await createWorld();
    const response = await send('GET', '/verify/code?token=x', { headers: { accept } });
    t.equal(response.status, 404);
    t.match(response.headers['content-type'], isJson ? 'application/problem+json' : 'text/html');
  });
}

t.test('openLink marks the link as opened, and throws why a link cannot be used', async (t) => {
  const world = await createWorld({ widget: false });
  const link = await world.mint();
  const opened = await world.claimlink.openLink(link.accessCode, link.token);
  t.match(opened, { userId: 'user-1', openedAt: START.toISOString() });
  t.strictSame((await storedLink(world, link))?.link.openedAt, START);
  await t.rejects(world.claimlink.openLink(link.accessCode, 'x'), { code: 'link_not_found' });
  await world.claimlink.revokeLink('acme', hashAccessCode(link.accessCode));
  await t.rejects(world.claimlink.openLink(link.accessCode, link.token), { code: 'link_revoked' });
});

t.test('revokeLink is false for what is no usable link of the client', async (t) => {
  const world = await createWorld();
  const { accessCode } = await world.mint();
  const linkId = hashAccessCode(accessCode);
  t.equal(await world.claimlink.revokeLink('other', linkId), false);
  t.equal(await world.claimlink.revokeLink('acme', 'unknown'), false);
  t.equal(await world.claimlink.revokeLink('acme', accessCode), false, 'the access code is no id');
  t.equal(await world.claimlink.revokeLink('acme', linkId), true);
  t.equal(await world.claimlink.revokeLink('acme', linkId), false);
});

t.test('revokeLink does not pass text that is no linkId to the storage', async (t) => {
  const revoked: string[] = [];
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      revokeLink: ({ accessCodeHash }) => {
        revoked.push(accessCodeHash);
        return false;
      },
    }),
  });
  const linkId = 'a'.repeat(64);
  for (const text of ['\0', 'unknown', linkId.toUpperCase(), `${linkId}a`, linkId])
    t.equal(await world.claimlink.revokeLink('acme', text), false);
  t.same(revoked, [linkId]);
});

t.test('revokeLink rejects an invalid client id', async (t) => {
  const { claimlink } = await createWorld();
  await t.rejects(claimlink.revokeLink('a\0b', 'code'), { code: 'request_invalid' });
});

const NO_STRINGS: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  'a number': 42,
  'an object': {},
};

for (const [name, value] of Object.entries(NO_STRINGS)) {
  t.test(`an access code or token that is ${name} is link_not_found, never a TypeError`, async (t) => {
    const { claimlink, mint } = await createWorld();
    const { accessCode, token } = await mint();
    const text = value as string;
    for (const [code, signed] of [
      [text, token],
      [accessCode, text],
      [text, text],
    ] as const) {
      await t.rejects(claimlink.openLink(code, signed), { code: 'link_not_found' });
      await t.rejects(claimlink.submitClaim(code, signed, claim()), { code: 'link_not_found' });
    }
    t.equal(await claimlink.revokeLink('acme', text), false);
  });

  t.test(`a claim that is ${name} is request_invalid, never a TypeError`, async (t) => {
    const { claimlink, mint } = await createWorld();
    const { accessCode, token } = await mint();
    await t.rejects(claimlink.submitClaim(accessCode, token, value), { code: 'request_invalid' });
  });
}

t.test('the error of an unusable link carries no personal data and no hash into logs', async (t) => {
  const { claimlink, mint } = await createWorld();
  const { accessCode, token } = await mint();
  await claimlink.revokeLink('acme', hashAccessCode(accessCode));
  try {
    await claimlink.openLink(accessCode, token);
    t.fail('must throw');
  } catch (error) {
    t.match(error, { code: 'link_revoked' });
    const logged = inspect(error, { depth: 9, getters: true }) + JSON.stringify(error);
    for (const secret of ['user-1', linkRequest().config.contact.email, hashAccessCode(accessCode)])
      t.notOk(logged.includes(secret), secret);
  }
});

t.test('a signer of the host gets the access code, and may ignore it', async (t) => {
  const { signer } = await createWorld();
  const calls: unknown[][] = [];
  const signers = {
    'two parameters': { sign: signer.sign, verify: (token: string, now: Date) => signer.verify(token, now) },
    'all arguments': {
      sign: signer.sign,
      verify: (...args: Parameters<typeof signer.verify>) => {
        calls.push(args);
        return signer.verify(...args);
      },
    },
  };
  for (const [name, hostSigner] of Object.entries(signers)) {
    const world = await createWorld({ signer: hostSigner });
    const link = await world.mint();
    t.equal((await world.open(link)).status, 200, name);
    if (calls.length > 0) t.strictSame(calls, [[link.token, START, link.accessCode]]);
  }
});

t.test('links of both formats open and are submitted, whichever format the service signs now', async (t) => {
  for (const format of ['jws', 'compact'] as const) {
    const other = createLinkSigner({
      keys: [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }],
      issuer: PUBLIC_URL,
      format: format === 'jws' ? 'compact' : 'jws',
    });
    const world = await createWorld({ format });
    const link = await world.mint();
    const claims = world.signer.verify(link.token, START, link.accessCode);
    const token = other.sign({ ...claims, issuedAt: START });
    const switched = { ...link, token, target: `/verify/${link.accessCode}?token=${token}` };
    t.equal((await world.open(switched)).status, 200);
    t.equal((await world.submitJson(switched)).status, 200);
  }
});
