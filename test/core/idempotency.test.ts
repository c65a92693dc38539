// Idempotency-Key: one link for a request, however often it is repeated, and what its row keeps.
import { createDecipheriv } from 'node:crypto';
import t from 'tap';
import { createLinkSigner, type LinkSigner } from '../../lib/core/link-signer.js';
import { createMac } from '../../lib/core/mac.js';
import type { SigningKey } from '../../lib/core/signing-keys.js';
import type { LinkIdempotency } from '../../lib/core/storage.js';
import type { Link, LinkFormat, LinkRequest } from '../../lib/core/types.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  outcomeOf,
  PUBLIC_URL,
  recordCalls,
  START,
  toMintedLink,
  type World,
  type WorldOptions,
} from './world.js';

const KEY = '8e03978e-40d5-43e8-bc93-6894a57f9324';
const OLD: SigningKey = { kid: 'old', algorithm: 'HS256', secret: 'an old secret of at least 32 bytes' };
const NEW: SigningKey = { kid: 'new', algorithm: 'HS256', secret: 'a new secret of at least 32 bytes' };

function signerOf(keys: readonly SigningKey[], format: LinkFormat = 'jws'): LinkSigner {
  return createLinkSigner({ keys, issuer: PUBLIC_URL, format });
}

function post(world: World, key: string | undefined, request: unknown = linkRequest()) {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return world.call('POST', `/${CLIENT_ID}/link`, { headers, body: JSON.stringify(request) });
}

async function urlOf(world: World, key: string | undefined = KEY, request?: unknown): Promise<string> {
  const response = await post(world, key, request);
  if (response.status !== 200) throw new Error(response.body);
  return JSON.parse(response.body).data;
}

/** Moves the content of a world's storage to one that a later world also uses. */
function movedTo(storage: MemoryStorage): NonNullable<WorldOptions['wrapStorage']> {
  return (inner) => {
    storage.restore(inner.snapshot());
    return storage;
  };
}

const linkCount = (world: World) => world.storage.snapshot().links.length;

function idempotencyOf(storage: MemoryStorage, index = 0) {
  const idempotency = storage.snapshot().links[index]?.idempotency;
  if (idempotency === undefined) throw new Error('The link has no idempotency.');
  return idempotency;
}

for (const format of ['jws', 'compact'] as const) {
  t.test(`a repetition gets the same URL and creates no link: ${format}`, async (t) => {
    const world = await createWorld({ format });
    const first = await urlOf(world);
    world.advance(5000);
    t.equal(await urlOf(world), first);
    t.equal(linkCount(world), 1);
    t.equal((await world.open(toMintedLink(first))).status, 200);
  });
}

t.test(
  'a repetition gets the same URL after the opening, the submission and the end of the link',
  async (t) => {
    const world = await createWorld({ linkTtlSeconds: 60 });
    const url = await urlOf(world);
    const link = toMintedLink(url);
    await world.open(link);
    t.equal(await urlOf(world), url, 'opened');
    t.equal((await world.submitJson(link, claim())).status, 200);
    t.equal(await urlOf(world), url, 'submitted');
    world.advance(61_000);
    t.equal(await urlOf(world), url, 'expired');
    t.equal(linkCount(world), 1);
  },
);

t.test('a repetition gets the same URL after the revocation', async (t) => {
  const world = await createWorld();
  const { url, linkId } = await world.claimlink.createLink(CLIENT_ID, linkRequest(), { idempotencyKey: KEY });
  t.ok(await world.claimlink.revokeLink(CLIENT_ID, linkId));
  t.equal(await urlOf(world), url);
});

t.test('a key is free again after the row of its link was deleted', async (t) => {
  const world = await createWorld({ linkTtlSeconds: 60 });
  const first = await urlOf(world);
  world.advance(61_000);
  t.equal(await world.storage.deleteExpiredLinks(world.now()), 1);
  t.not(await urlOf(world), first);
  await world.claimlink.deleteUser(CLIENT_ID, 'user-1');
  t.equal(linkCount(world), 0);
  await urlOf(world, KEY, linkRequest({ callbackUrl: 'https://app.example.com/other' }));
  t.equal(linkCount(world), 1);
});

t.test('createLink with idempotencyKey and a POST with the header share their links', async (t) => {
  const world = await createWorld();
  const options = { idempotencyKey: KEY };
  const created = await world.claimlink.createLink(CLIENT_ID, linkRequest(), options);
  t.equal(await urlOf(world), created.url);
  t.strictSame(await world.claimlink.createLink(CLIENT_ID, linkRequest(), options), created);
});

t.test('each key, and each request without a key, creates a link', async (t) => {
  const world = await createWorld();
  const urls = [await urlOf(world, 'a'), await urlOf(world, 'A'), await urlOf(world, '"a"')];
  for (let n = 0; n < 2; n++) urls.push(JSON.parse((await post(world, undefined)).body).data);
  t.equal(new Set(urls).size, 5);
});

t.test('two clients may use the same key', async (t) => {
  const world = await createWorld();
  await world.claimlink.addClient({ clientId: 'other' });
  const first = await urlOf(world);
  const other = await world.claimlink.createLink('other', linkRequest(), { idempotencyKey: KEY });
  t.not(other.url, first);
});

const SAME: Record<string, unknown> = {
  'other order of members': Object.fromEntries(Object.entries(linkRequest()).reverse()),
  'an unknown member': { ...linkRequest(), unknown: true },
  'callbackOnSubmit as its default': linkRequest({ callbackOnSubmit: false }),
};
for (const [name, request] of Object.entries(SAME)) {
  t.test(`the same request: ${name}`, async (t) => {
    const world = await createWorld();
    const first = await urlOf(world);
    t.equal(await urlOf(world, KEY, request), first);
  });
}

t.test('the same request: 42 and "42" are the same user, and extra in another order', async (t) => {
  const world = await createWorld();
  const requestOf = (currentUserId: string | number, extra: LinkRequest['config']['extra'] = {}) =>
    linkRequest({ config: { ...linkRequest().config, currentUserId, extra } });
  const first = await urlOf(world, KEY, requestOf(42, { a: [1, { b: 2, c: 3 }], d: null }));
  t.equal(await urlOf(world, KEY, requestOf('42', { d: null, a: [1, { c: 3, b: 2 }] })), first);
});

const { config } = linkRequest();
const OTHERS: Record<string, LinkRequest> = {
  callbackUrl: linkRequest({ callbackUrl: 'https://app.example.com/other' }),
  callbackOnSubmit: linkRequest({ callbackOnSubmit: true }),
  user: linkRequest({ config: { ...config, currentUserId: 'user-2' } }),
  contact: linkRequest({ config: { ...config, contact: { ...config.contact, phone: '556' } } }),
  prefill: linkRequest({ config: { ...config, policy: { number: 'P-9' } } }),
  extra: linkRequest({ config: { ...config, extra: { list: [1, 2] } } }),
};
for (const [name, request] of Object.entries(OTHERS)) {
  t.test(`the same key with another request is 422: ${name}`, async (t) => {
    const world = await createWorld();
    await urlOf(world);
    t.equal(outcomeOf(await post(world, KEY, request)), '422 idempotency_key_reused');
    t.equal(linkCount(world), 1);
    t.strictSame(world.errors, []);
  });
}

t.test('a list in another order is another request', async (t) => {
  const world = await createWorld();
  const requestOf = (list: number[]) => linkRequest({ config: { ...config, extra: { list } } });
  await urlOf(world, KEY, requestOf([1, 2]));
  t.equal(outcomeOf(await post(world, KEY, requestOf([2, 1]))), '422 idempotency_key_reused');
});

t.test('a lifetime is part of the request if the caller names it, and the default is not', async (t) => {
  const storage = createMemoryStorage();
  const world = await createWorld({ wrapStorage: movedTo(storage) });
  const { url } = await world.claimlink.createLink(CLIENT_ID, linkRequest(), { idempotencyKey: KEY });
  const restarted = await createWorld({ wrapStorage: () => storage, linkTtlSeconds: 60 });
  const create = (ttlSeconds?: number) =>
    restarted.claimlink.createLink(CLIENT_ID, linkRequest(), {
      idempotencyKey: KEY,
      ...(ttlSeconds && { ttlSeconds }),
    });
  t.equal((await create()).url, url);
  await t.rejects(create(60), { code: 'idempotency_key_reused' });
});

t.test('of concurrent requests with one key one creates the link, and all get its URL', async (t) => {
  const world = await createWorld();
  const urls = await Promise.all(Array.from({ length: 50 }, () => urlOf(world)));
  t.equal(new Set(urls).size, 1);
  t.equal(linkCount(world), 1);
});

t.test(
  'a request whose response was lost after the insertion gets the link at the next attempt',
  async (t) => {
    let isLost = true;
    const world = await createWorld({
      wrapStorage: (storage) => ({
        ...storage,
        insertLinkOnce(link: Link, idempotency: LinkIdempotency) {
          const isInserted = storage.insertLinkOnce(link, idempotency);
          if (isLost) throw new Error('The connection was lost.');
          return isInserted;
        },
      }),
    });
    t.equal(outcomeOf(await post(world, KEY)), '500 internal');
    isLost = false;
    const url = await urlOf(world);
    t.equal((await world.open(toMintedLink(url))).status, 200);
    t.equal(linkCount(world), 1);
  },
);

t.test('an access code that is taken is replaced by another one', async (t) => {
  let isTaken = true;
  const world = await createWorld({
    wrapStorage: (storage): MemoryStorage => ({
      ...storage,
      insertLinkOnce(link, idempotency) {
        if (!isTaken) return storage.insertLinkOnce(link, idempotency);
        isTaken = false;
        return false;
      },
    }),
  });
  t.equal((await world.open(toMintedLink(await urlOf(world)))).status, 200);
});

const ROTATIONS: [string, LinkSigner, LinkSigner][] = [
  ['the new key is appended', signerOf([OLD]), signerOf([OLD, NEW])],
  ['the new key comes first', signerOf([OLD, NEW]), signerOf([NEW, OLD])],
  ['both at once', signerOf([OLD]), signerOf([NEW, OLD])],
  ['another format', signerOf([OLD]), signerOf([OLD], 'compact')],
  ['another key and format', signerOf([OLD], 'compact'), signerOf([NEW, OLD])],
];
for (const [name, before, after] of ROTATIONS) {
  t.test(`a rotation between two attempts gives one link and one URL: ${name}`, async (t) => {
    const storage = createMemoryStorage();
    const world = await createWorld({
      signer: before,
      wrapStorage: movedTo(storage),
    });
    const first = await world.claimlink.createLink(CLIENT_ID, linkRequest(), { idempotencyKey: KEY });
    const rotated = await createWorld({ signer: after, wrapStorage: () => storage });
    const again = await rotated.claimlink.createLink(CLIENT_ID, linkRequest(), { idempotencyKey: KEY });
    t.strictSame(again, first);
    t.equal(storage.snapshot().links.length, 1);
    t.equal((await rotated.open(toMintedLink(again.url))).status, 200);
  });
}

t.test(
  'a request costs one storage call, a repetition two, and with several signing keys one more',
  async (t) => {
    const calls: string[] = [];
    const wrapStorage: WorldOptions['wrapStorage'] = (storage) => recordCalls(storage, calls);
    const one = await createWorld({ wrapStorage });
    const several = await createWorld({ wrapStorage, signer: signerOf([NEW, OLD]) });
    // The first request of an hour records the use of its key.
    for (const world of [one, several]) await world.list();
    for (const [world, key, expected] of [
      [one, undefined, ['insertLink']],
      [one, KEY, ['insertLinkOnce']],
      [one, KEY, ['insertLinkOnce', 'findIdempotentLink']],
      [several, undefined, ['insertLink']],
      [several, KEY, ['findIdempotentLink', 'insertLinkOnce']],
      [several, KEY, ['findIdempotentLink']],
    ] as const) {
      calls.length = 0;
      await post(world, key);
      t.strictSame(calls, ['findCredentials', ...expected]);
    }
  },
);

const INVALID: [name: string, value: string, rule: string][] = [
  ['empty', '', 'minLength'],
  ['too long', 'a'.repeat(256), 'maxLength'],
  ['not ASCII', 'clé', 'printable_ascii'],
  ['a control character', 'a\tb', 'printable_ascii'],
];
for (const [name, value, rule] of INVALID) {
  t.test(`an invalid header is 400 before the body is read: ${name}`, async (t) => {
    const world = await createWorld();
    const response = await world.call('POST', `/${CLIENT_ID}/link`, {
      headers: { 'idempotency-key': value },
      body: () => t.fail('the body is read'),
    });
    t.equal(outcomeOf(response), '400 request_invalid');
    t.match(JSON.parse(response.body).errors, [{ header: 'Idempotency-Key', rule }]);
    await t.rejects(world.claimlink.createLink(CLIENT_ID, linkRequest(), { idempotencyKey: value }), {
      code: 'request_invalid',
      problems: [{ parameter: 'idempotencyKey', rule }],
    });
  });
}

t.test('a header of 255 printable ASCII characters is valid', async (t) => {
  const world = await createWorld();
  t.equal((await post(world, ` !"~${'a'.repeat(251)}`)).status, 200);
});

t.test('an invalid request with a key creates nothing, and the key stays free', async (t) => {
  const world = await createWorld();
  t.equal(outcomeOf(await post(world, KEY, {})), '400 request_invalid');
  t.match(await urlOf(world), /^https:/);
});

const { derive: _, ...withoutDerive } = signerOf([OLD]);
const UNSUPPORTED: Record<string, WorldOptions> = {
  'a signer without derive': { signer: withoutDerive },
  'a signer that derives no key': { signer: { ...signerOf([OLD]), derive: () => [] } },
  'a storage without the methods': {
    wrapStorage: ({ insertLinkOnce, findIdempotentLink, ...storage }) => storage,
  },
};
for (const [name, options] of Object.entries(UNSUPPORTED)) {
  t.test(`${name}: the header is ignored, and not documented`, async (t) => {
    const world = await createWorld(options);
    t.not(await urlOf(world), await urlOf(world));
    t.equal((await post(world, '')).status, 200);
    const operation = world.claimlink.openapi.paths['/{clientId}/link']?.['post'];
    t.strictSame(
      operation?.parameters.map((parameter) => parameter.name),
      ['clientId'],
    );
    t.notOk(operation?.responses['422']);
  });

  t.test(`${name}: idempotencyKey of createLink, and requireIdempotency, are options_invalid`, async (t) => {
    const world = await createWorld(options);
    const call = world.claimlink.createLink(CLIENT_ID, linkRequest(), { idempotencyKey: KEY });
    await t.rejects(call, { code: 'options_invalid', message: /idempotencyKey/ });
    await t.rejects(createWorld({ ...options, requireIdempotency: true }), {
      code: 'options_invalid',
      message: /requireIdempotency/,
    });
  });
}

t.test('requireIdempotency rejects a request without the header, and not a call of createLink', async (t) => {
  const world = await createWorld({ requireIdempotency: true });
  const response = await post(world, undefined);
  t.equal(outcomeOf(response), '400 request_invalid');
  t.strictSame(JSON.parse(response.body).errors, [
    { header: 'Idempotency-Key', rule: 'required', detail: 'is required' },
  ]);
  t.match(await urlOf(world), /^https:/);
  t.match(await world.claimlink.createLink(CLIENT_ID, linkRequest()), { url: /^https:/ });
  t.match(world.claimlink.openapi.paths['/{clientId}/link']?.['post']?.parameters[1], {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
  });
});

t.test('the header is optional in the OpenAPI document', async (t) => {
  const { claimlink } = await createWorld();
  const operation = claimlink.openapi.paths['/{clientId}/link']?.['post'];
  t.match(operation?.parameters[1], { name: 'Idempotency-Key', in: 'header', required: false });
  t.ok(operation?.responses['422']);
});

t.test('the row has neither the key, nor the code, nor the token, nor a text of the request', async (t) => {
  const world = await createWorld();
  const url = await urlOf(world);
  const { accessCode, token } = toMintedLink(url);
  const row = JSON.stringify(idempotencyOf(world.storage));
  for (const text of [KEY, accessCode, token, 'user-1', 'example.com']) t.notOk(row.includes(text), text);
});

t.test('no method but findIdempotentLink returns what the row keeps', async (t) => {
  const { storage, ...world } = await createWorld();
  const { accessCode } = toMintedLink(await urlOf({ storage, ...world }));
  const { keyMac } = idempotencyOf(storage);
  const { linkId } = (await world.claimlink.listLinks(CLIENT_ID)).links[0] ?? {};
  const id = { clientId: CLIENT_ID, accessCodeHash: linkId ?? '' };
  const results = [
    storage.findLink(id),
    storage.findLinks(id),
    storage.listLinks({ clientId: CLIENT_ID, at: START, limit: 10 }),
    await world.claimlink.listLinks(CLIENT_ID),
  ];
  for (const result of results) t.notOk(JSON.stringify(result).includes(keyMac));
  t.equal(JSON.stringify(results).includes(accessCode), false);
});

t.test('two rows of the same request under two keys have nothing in common', async (t) => {
  const world = await createWorld();
  await urlOf(world, 'key-1');
  await urlOf(world, 'key-2');
  const [one, other] = [idempotencyOf(world.storage), idempotencyOf(world.storage, 1)];
  t.not(one.keyMac, other.keyMac);
  t.not(one.requestMac, other.requestMac);
  t.not(one.sealed, other.sealed);
});

t.test('the seal opens with the derived key and the Idempotency-Key, and with neither alone', async (t) => {
  const world = await createWorld();
  const { accessCode, token } = toMintedLink(await urlOf(world));
  const { keyMac, sealed } = idempotencyOf(world.storage);
  const [derived] = world.signer.derive?.('idempotency') ?? [];
  if (derived === undefined) throw new Error('The signer must derive a key.');
  const keyOf = (secret: Uint8Array, ...others: string[]) =>
    createMac(secret, ['idempotency', 'seal', CLIENT_ID, ...others]);
  const open = (key: Uint8Array, boundTo = JSON.stringify([CLIENT_ID, keyMac])) => {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(-16));
    return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
  };
  const key = keyOf(derived, KEY);
  t.equal(open(key), `${accessCode}.${token}`);
  t.throws(() => open(keyOf(derived)), 'the signing secret alone');
  t.throws(() => open(keyOf(derived, '')), 'an empty Idempotency-Key');
  t.throws(() => open(keyOf(Buffer.alloc(32), KEY)), 'the Idempotency-Key alone');
  t.throws(() => open(key, JSON.stringify(['other', keyMac])), 'of another client');
  t.throws(() => open(key, JSON.stringify([CLIENT_ID, 'other'])), 'of another row');
});

t.test('the derived key belongs to this purpose alone', async (t) => {
  const purposes: string[] = [];
  const signer = signerOf([OLD]);
  const derive = (purpose: string) => {
    purposes.push(purpose);
    return signer.derive?.(purpose) ?? [];
  };
  await createWorld({ signer: { ...signer, derive } });
  t.ok(purposes.includes('idempotency'));
  for (const other of ['receipt', 'compact-token', 'check'])
    t.notSame(signer.derive?.('idempotency'), signer.derive?.(other));
});

const CHANGED: Record<string, (world: World) => object> = {
  'a changed seal': ({ storage }) => {
    const { sealed } = idempotencyOf(storage);
    return { sealed: `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}` };
  },
  'a truncated seal': () => ({ sealed: 'AAAA' }),
  'the seal of another row': ({ storage }) => ({ sealed: idempotencyOf(storage, 1).sealed }),
};
for (const [name, change] of Object.entries(CHANGED)) {
  t.test(`a row that was changed is an error of the service, and no URL: ${name}`, async (t) => {
    const world = await createWorld();
    await urlOf(world);
    await urlOf(world, 'other');
    const { links, ...others } = world.storage.snapshot();
    const [first, ...rest] = links;
    if (first?.idempotency === undefined) throw new Error('The first link must have an idempotency.');
    const idempotency = { ...first.idempotency, ...change(world) };
    world.storage.restore({ ...others, links: [{ ...first, idempotency }, ...rest] });
    t.equal(outcomeOf(await post(world, KEY)), '500 internal');
    t.match(world.errors[0]?.error, { message: /sealed access code/ });
  });
}

t.test('a row whose three values were moved to another link is an error of the service', async (t) => {
  const world = await createWorld();
  await urlOf(world);
  await world.mint();
  const { links, ...others } = world.storage.snapshot();
  const [{ idempotency, ...first } = {}, second] = links as [(typeof links)[number], (typeof links)[number]];
  world.storage.restore({
    ...others,
    links: [first as (typeof links)[number], { ...second, ...(idempotency && { idempotency }) }],
  });
  t.equal(outcomeOf(await post(world, KEY)), '500 internal');
});

t.test('a snapshot of the memory storage carries the keys, and a restored storage keeps them', async (t) => {
  const world = await createWorld();
  const url = await urlOf(world);
  const snapshot = world.storage.snapshot();
  world.storage.restore({ ...snapshot, links: [] });
  t.not(await urlOf(world), url);
  world.storage.restore(snapshot);
  t.equal(await urlOf(world), url);
  t.strictSame(createMemoryStorage(snapshot).snapshot(), snapshot);
  const [link] = snapshot.links;
  const twin = { ...link, link: { ...link?.link, accessCodeHash: 'other' } } as typeof link;
  t.throws(() => createMemoryStorage({ ...snapshot, links: [...snapshot.links, twin] as never }), {
    code: 'already_exists',
  });
});
