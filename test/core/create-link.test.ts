// POST /:clientId/link: the URL, its code and token, and what is stored.
import t from 'tap';
import { ClaimlinkError } from '../../lib/core/errors.js';
import type { Link } from '../../lib/core/types.js';
import {
  CLIENT_ID,
  createWorld,
  linkRequest,
  outcomeOf,
  PUBLIC_URL,
  SECRET,
  START,
  storedLink,
  toMintedLink,
} from './world.js';

t.test('the answer is 200 and { "data": url } with nothing else', async (t) => {
  const { requestLink } = await createWorld();
  const response = await requestLink(linkRequest());
  t.equal(response.status, 200);
  t.match(
    response.body,
    /^\{"data":"https:\/\/claims\.example\.com\/base\/verify\/[\w-]{22}\?token=[\w.-]+"\}$/,
  );
  t.strictSame(response.headers, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(response.body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
});

t.test('a trailing slash of publicUrl is not doubled', async (t) => {
  const { requestLink } = await createWorld({ publicUrl: 'https://claims.example.com//' });
  t.match((await requestLink(linkRequest())).body, /"https:\/\/claims\.example\.com\/verify\//);
});

t.test('two links of one request have different codes and tokens', async (t) => {
  const { mint } = await createWorld();
  const [one, other] = [await mint(), await mint()];
  t.not(one.accessCode, other.accessCode);
  t.not(one.token, other.token);
});

t.test('the token has no personal data: nothing of the config, the user or the callback', async (t) => {
  const { mint } = await createWorld();
  const holder = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '555' };
  const { token, accessCode } = await mint({
    config: { ...linkRequest().config, currentUserId: 'user-77', policy: { number: 'P-9', holder } },
  });
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  t.strictSame(payload, {
    iss: PUBLIC_URL,
    aud: 'claimlink/standalone',
    jti: accessCode,
    client_id: CLIENT_ID,
    iat: START.getTime() / 1000,
    exp: START.getTime() / 1000 + 86_400,
  });
});

t.test('token and link end at the same moment, in whole seconds', async (t) => {
  const world = await createWorld({ linkTtlSeconds: 60 });
  world.advance(999);
  const { expiresAt, url } = await world.claimlink.createLink(CLIENT_ID, linkRequest());
  const link = toMintedLink(url);
  t.strictSame(expiresAt, new Date(START.getTime() + 60_000));
  t.strictSame((await storedLink(world, link))?.link.expiresAt, expiresAt);
  t.strictSame(world.signer.verify(link.token, world.now()).expiresAt, expiresAt);
});

t.test('the storage gets the whole record, and neither code nor token', async (t) => {
  const inserted: Link[] = [];
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      insertLink: (link) => {
        inserted.push(link);
        return storage.insertLink(link);
      },
    }),
  });
  const { accessCode, token } = await world.mint({ callbackOnSubmit: true });
  t.match(inserted, [
    {
      accessCodeHash: /^[0-9a-f]{64}$/,
      clientId: CLIENT_ID,
      userId: 'user-1',
      callbackUrl: 'https://app.example.com/done',
      callbackOnSubmit: true,
      config: linkRequest().config,
      createdAt: START.toISOString(),
    },
  ]);
  const stored = JSON.stringify(inserted);
  t.notOk(stored.includes(accessCode) || stored.includes(token));
});

t.test('currentUserId 42 and "42" are the same user', async (t) => {
  const world = await createWorld();
  for (const currentUserId of [42, '42']) {
    const link = await world.mint({ config: { ...linkRequest().config, currentUserId } });
    t.equal((await storedLink(world, link))?.link.userId, '42');
    await world.submitJson(link);
  }
  t.equal(JSON.parse((await world.list('', '42')).body).length, 2);
});

t.test('currentUserId 0 is the user "0"', async (t) => {
  const world = await createWorld();
  const link = await world.mint({ config: { ...linkRequest().config, currentUserId: 0 } });
  t.equal((await storedLink(world, link))?.link.userId, '0');
});

t.test('an access code that the storage has is generated again', async (t) => {
  let rejections = 2;
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      insertLink: (link) => (rejections-- > 0 ? false : storage.insertLink(link)),
    }),
  });
  t.equal((await world.open(await world.mint())).status, 200);
});

t.test('a storage that says every access code is taken is a 500 that onError explains', async (t) => {
  const world = await createWorld({ wrapStorage: (storage) => ({ ...storage, insertLink: () => false }) });
  t.equal(outcomeOf(await world.requestLink(linkRequest())), '500 internal');
  t.match(world.errors[0]?.error, { message: /3 random access codes in a row as taken/ });
});

t.test('createLink called directly gives url and expiry, and rejects what HTTP rejects', async (t) => {
  const { claimlink } = await createWorld();
  const { url, expiresAt } = await claimlink.createLink(CLIENT_ID, linkRequest());
  t.ok(url.startsWith(`${PUBLIC_URL}/verify/`));
  t.strictSame(expiresAt, new Date(START.getTime() + 86_400_000));
  await t.rejects(claimlink.createLink('nobody', linkRequest()), { code: 'client_not_found' });
  await t.rejects(claimlink.createLink(CLIENT_ID, linkRequest({ callbackUrl: '/x' })), {
    code: 'request_invalid',
  });
  await t.rejects(claimlink.createLink(CLIENT_ID, undefined as never), ClaimlinkError);
});

t.test('the secret of the ring is in no answer', async (t) => {
  const { mint, open } = await createWorld();
  const link = await mint();
  t.notOk(`${link.url}${(await open(link)).body}`.includes(SECRET));
});

t.test('renews is stored if it is a link of the same client and user, and else ignored', async (t) => {
  const world = await createWorld();
  const { claimlink } = world;
  const configOf = async (renews: string, currentUserId: string | number = 'user-1') => {
    const { config, ...request } = linkRequest();
    const { url } = await claimlink.createLink(CLIENT_ID, {
      ...request,
      config: { ...config, currentUserId, renews },
    } as never);
    return (await storedLink(world, toMintedLink(url)))?.link.config;
  };
  const { config, ...request } = linkRequest();
  const { linkId } = await claimlink.createLink(CLIENT_ID, {
    ...request,
    config: { ...config, currentUserId: 'user-1' },
  } as never);
  t.equal((await configOf(linkId))?.renews, linkId);
  for (const [name, stored] of [
    ['another user', await configOf(linkId, 'user-2')],
    ['no link', await configOf('0'.repeat(64))],
    ['no id', await configOf('not an id')],
  ] as const)
    t.notOk(stored && 'renews' in stored, name);
});
