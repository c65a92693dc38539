// The routes of photos: who may list, send, read and remove them, and what each of them responds.
import { createHash } from 'node:crypto';
import t from 'tap';
import { CLAIM_MARK_ID } from '../../lib/core/claimed-photos.js';
import type { CoreResponse } from '../../lib/http/messages.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  outcomeOf,
  problemOf,
  type World,
} from '../core/world.js';

const PHOTO = Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(5000, 1)]);
const idOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const PHOTO_ID = idOf(PHOTO);
const PLATE = '/policy/vehicle/licensePlate';
const ENTRY = { id: PHOTO_ID, type: 'image/jpeg', size: PHOTO.length };
const JSON_WANTED = { accept: 'application/json' };

type Options = Parameters<typeof createWorld>[0];

/** Creates a service with photos, and a link of a client that asks for them. */
async function createPhotoWorld({ client, ...options }: NonNullable<Options> = {}) {
  const store = createMemoryPhotoStore();
  const world = await createWorld({
    photos: { store },
    client: { ...client, settings: { form: { photos: { need: 'optional' } }, ...client?.settings } },
    ...options,
  });
  const policy = { number: 'P-77', vehicle: { licensePlate: 'B-CL 2026' } };
  const link = await world.mint({ config: { ...linkRequest().config, policy } });
  return { world, link, store };
}

/** Returns the target of a route below a link, such as `/photos`. */
function below({ target }: MintedLink, path: string, parameters = ''): string {
  const [page, query] = target.split('?');
  return `${page}${path}?${query}${parameters}`;
}

interface Sent {
  id?: string;
  parameters?: string;
  headers?: Record<string, string | undefined>;
}

const send = (
  world: World,
  link: MintedLink,
  bytes: Uint8Array = PHOTO,
  { id = idOf(bytes), parameters = '', headers = {} }: Sent = {},
) =>
  world.send('POST', below(link, `/photos/${id}`, parameters), {
    headers: { ...JSON_WANTED, 'content-length': String(bytes.length), ...headers },
    body: bytes,
  });

const list = (world: World, link: MintedLink, headers = {}) =>
  world.send('GET', below(link, '/photos'), { headers: { ...JSON_WANTED, ...headers } });

const read = (world: World, link: MintedLink, headers = {}, method = 'GET', id = PHOTO_ID) =>
  world.send(method, below(link, `/photos/${id}`), { headers: { ...JSON_WANTED, ...headers } });

const remove = (world: World, link: MintedLink, headers = {}) =>
  world.send('POST', below(link, `/photos/${PHOTO_ID}`, '&action=remove'), {
    headers: { ...JSON_WANTED, ...headers },
  });

const dataOf = ({ body }: CoreResponse) => JSON.parse(body).data;

async function bytesOf({ stream }: CoreResponse): Promise<Buffer> {
  const chunks = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

t.test('a photo that is sent is listed, read and removed', async (t) => {
  const { world, link } = await createPhotoWorld();
  t.same(dataOf(await send(world, link)), ENTRY);
  t.same(dataOf(await list(world, link)), [ENTRY]);
  t.ok((await bytesOf(await read(world, link))).equals(PHOTO));
  t.equal(outcomeOf(await remove(world, link)), '204');
  t.equal(outcomeOf(await remove(world, link)), '204', 'again');
  t.same(dataOf(await list(world, link)), []);
  t.equal(outcomeOf(await read(world, link)), '404 photo_not_found');
});

t.test('a photo is a download with its type, of which nothing runs', async (t) => {
  const { world, link } = await createPhotoWorld();
  await send(world, link);
  const { headers } = await read(world, link);
  t.same(headers, {
    'content-type': 'image/jpeg',
    'content-length': String(PHOTO.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-disposition': 'attachment; filename="photo.jpg"',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  });
  const head = await read(world, link, {}, 'HEAD');
  t.same(head, { status: 200, headers, body: '' });
});

t.test('no response about photos is stored or tells its address', async (t) => {
  const { world, link } = await createPhotoWorld();
  for (const response of [await send(world, link), await list(world, link), await remove(world, link)])
    t.match(response.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
});

t.test('a photo that is sent again is the same one', async (t) => {
  const { world, link } = await createPhotoWorld();
  await send(world, link);
  t.same(dataOf(await send(world, link)), ENTRY);
  t.equal(dataOf(await list(world, link)).length, 1);
});

t.test(
  'an id that is not the hash of the bytes is a 400, unless the sender says that it is random',
  async (t) => {
    const { world, link } = await createPhotoWorld();
    const id = 'ab'.repeat(32);
    const wrong = await send(world, link, PHOTO, { id });
    t.equal(outcomeOf(wrong), '400 request_invalid');
    t.same(problemOf(wrong).errors, [
      { parameter: 'photoId', rule: 'value', detail: 'is not the SHA-256 of the photo' },
    ]);
    t.same(dataOf(await list(world, link)), []);
    t.same(dataOf(await send(world, link, PHOTO, { id, parameters: '&id=random' })), { ...ENTRY, id });
  },
);

for (const [name, sent, outcome] of [
  ['without Content-Length', { headers: { 'content-length': undefined } }, '411 length_required'],
  ['whose Content-Length is no number', { headers: { 'content-length': '1e3' } }, '411 length_required'],
  ['with an id in capital letters', { id: PHOTO_ID.toUpperCase() }, '400 request_invalid'],
  ['with an id that is a path', { id: '..%2f..%2fetc' }, '400 request_invalid'],
  ['with another id parameter', { parameters: '&id=yes' }, '400 request_invalid'],
  ['with an id parameter twice', { parameters: '&id=random&id=random' }, '400 request_invalid'],
  ['with an unknown action', { parameters: '&action=share' }, '400 request_invalid'],
  ['of another site', { headers: { 'sec-fetch-site': 'cross-site' } }, '400 request_invalid'],
  ['larger than the limit', { headers: { 'content-length': '70000' } }, '413 body_too_large'],
] as const satisfies readonly (readonly [string, Sent, string])[])
  t.test(`a photo ${name} is a ${outcome}, and its body is read`, async (t) => {
    const store = createMemoryPhotoStore();
    const { world, link } = await createPhotoWorld({ photos: { store, maxPhotoBytes: 65_536 } });
    let bytes = 0;
    async function* stream() {
      for (let index = 0; index < 10; index++) {
        bytes += 500;
        yield Buffer.alloc(500);
      }
    }
    const { id = PHOTO_ID, parameters = '', headers = {} } = sent as Sent;
    const response = await world.claimlink.handle({
      method: 'POST',
      url: below(link, `/photos/${id}`, parameters),
      headers: { ...JSON_WANTED, 'content-length': '5000', ...headers },
      stream,
    });
    t.equal(outcomeOf(response), outcome);
    t.equal(bytes, 5000);
    t.same(dataOf(await list(world, link)), []);
  });

t.test('a body that is not wanted is read up to the limit of a photo', async (t) => {
  const store = createMemoryPhotoStore();
  const { world, link } = await createPhotoWorld({ photos: { store, maxPhotoBytes: 65_536 } });
  let bytes = 0;
  async function* stream() {
    for (;;) {
      bytes += 1000;
      yield Buffer.alloc(1000);
    }
  }
  for (const url of [below(link, `/photos/${PHOTO_ID}`), `/verify/x/photos/${PHOTO_ID}?token=y`]) {
    bytes = 0;
    const response = await world.claimlink.handle({ method: 'POST', url, headers: JSON_WANTED, stream });
    t.match(outcomeOf(response), /^(411|404) /);
    t.equal(bytes, 66_000);
  }
});

t.test('what is no photo is a 415, with the types that the client takes', async (t) => {
  const heic = Buffer.concat([
    Buffer.from('0000001866747970686569630000000068656963', 'hex'),
    Buffer.alloc(100),
  ]);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const { world, link } = await createPhotoWorld();
  for (const bytes of [svg, heic, Buffer.alloc(0)]) {
    const response = await send(world, link, bytes, { headers: { 'content-type': 'image/jpeg' } });
    t.equal(outcomeOf(response), '415 content_type_unsupported');
    t.equal(problemOf(response).detail, 'Send a photo as JPEG, PNG or WebP.');
  }
  const form = { photos: { need: 'optional', heic: true } } as const;
  const other = await createPhotoWorld({ client: { settings: { form } } });
  t.match(dataOf(await send(other.world, other.link, heic)), { type: 'image/heic' });
});

t.test('a photo too many is a 409, with a sentence', async (t) => {
  const form = { photos: { need: 'optional', most: 1 } } as const;
  const { world, link } = await createPhotoWorld({ client: { settings: { form } } });
  await send(world, link);
  const response = await send(world, link, Buffer.concat([PHOTO, PHOTO]));
  t.equal(outcomeOf(response), '409 photo_limit_reached');
  t.match(problemOf(response).detail, /photos of a claim is 1/);
});

t.test('an upload too many is a 429, with a sentence and a Retry-After of 2', async (t) => {
  const store = createMemoryPhotoStore();
  const { world, link } = await createPhotoWorld({ photos: { store, maxUploads: 1 } });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  async function* stream() {
    yield PHOTO.subarray(0, 100);
    begin();
    await released;
    yield PHOTO.subarray(100);
  }
  const headers = { ...JSON_WANTED, 'content-length': String(PHOTO.length) };
  const url = below(link, `/photos/${PHOTO_ID}`);
  const first = world.claimlink.handle({ method: 'POST', url, headers, stream });
  await begun;
  const second = await send(world, link, Buffer.concat([PHOTO, PHOTO]));
  t.equal(outcomeOf(second), '429 too_many_requests');
  t.equal(second.headers['retry-after'], '2');
  t.match(problemOf(second).detail, /at most 1 /);
  release();
  t.equal(outcomeOf(await first), '200');
});

t.test('a client whose form takes no photos has none, and its link can be used', async (t) => {
  const { world, link } = await createPhotoWorld({ client: { settings: { form: {} } } });
  for (const response of [await send(world, link), await list(world, link), await remove(world, link)])
    t.equal(outcomeOf(response), '404 route_not_found');
  t.equal(outcomeOf(await read(world, link)), '404 photo_not_found');
  t.equal((await world.open(link)).status, 200);
});

t.test('without the option photos there are no routes, and no log has their paths', async (t) => {
  const { claimlink } = await createWorld();
  t.notOk(claimlink.routes.some(({ path }) => path.includes('photos')));
  const secret = `/verify/secret/photos/${PHOTO_ID}?token=secret`;
  t.equal(claimlink.redact({ method: 'POST', url: secret }).path, '/*');
});

t.test('without pages there are no routes', async (t) => {
  const store = createMemoryPhotoStore();
  const { claimlink } = await createWorld({ photos: { store }, widget: false });
  t.notOk(claimlink.routes.some(({ path }) => path.includes('photos')));
});

t.test('a log has the template of a path', async (t) => {
  const { world, link } = await createPhotoWorld();
  const { redact } = world.claimlink;
  const url = below(link, `/photos/${PHOTO_ID}`);
  t.equal(redact({ method: 'POST', url }).path, '/verify/:accessCode/photos/:photoId');
  t.equal(redact({ method: 'GET', url: below(link, '/photos') }).path, '/verify/:accessCode/photos');
});

t.test('photos of another link are not there', async (t) => {
  const { world, link } = await createPhotoWorld();
  await send(world, link);
  const other = await world.mint();
  t.same(dataOf(await list(world, other)), []);
  t.equal(outcomeOf(await read(world, other)), '404 photo_not_found');
  await remove(world, other);
  const mixed = { ...link, target: `${link.target.split('?')[0]}?${other.target.split('?')[1]}` };
  t.equal(outcomeOf(await read(world, mixed)), '404 link_not_found');
  t.equal(outcomeOf(await list(world, mixed)), '404 link_not_found');
  t.equal(outcomeOf(await send(world, mixed)), '404 link_not_found');
  t.same(dataOf(await list(world, link)), [ENTRY]);
});

t.test('a client with recipientCheck needs its answer: by cookie, or by the proof of a form', async (t) => {
  const { world, link } = await createPhotoWorld({
    client: { settings: { recipientCheck: [PLATE], form: { photos: { need: 'optional' } } } },
  });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'action=check&answer=b%20cl%202026';
  const answer = (headers = {}) =>
    world.send('POST', link.target, { headers: { ...form, ...headers }, body });
  const kept = await answer({ cookie: 'claimlink_probe=1' });
  const [cookie = ''] = kept.headers['set-cookie']?.split(';', 1) ?? [];
  await answer();
  const proof = world.widget.forms.at(-1)?.recipientProof ?? '';
  t.ok(proof);
  t.equal(outcomeOf(await send(world, link)), '403 recipient_check_required');
  t.equal(outcomeOf(await list(world, link)), '403 recipient_check_required');
  t.equal(outcomeOf(await remove(world, link)), '403 recipient_check_required');
  for (const headers of [{ cookie }, { 'claimlink-proof': proof }]) {
    t.equal(outcomeOf(await send(world, link, PHOTO, { headers })), '200');
    t.same(dataOf(await list(world, link, headers)), [ENTRY]);
    t.equal(outcomeOf(await read(world, link, headers)), '200');
    t.equal(outcomeOf(await read(world, link)), '404 photo_not_found', 'without it');
    t.equal(outcomeOf(await remove(world, link, headers)), '204');
  }
  const forged = { 'claimlink-proof': `9${proof}` };
  t.equal(outcomeOf(await send(world, link, PHOTO, { headers: forged })), '403 recipient_check_required');
  t.equal(
    outcomeOf(await read(world, await world.mint(), { cookie })),
    '404 photo_not_found',
    'another link',
  );
});

t.test('a link that is over takes no photo, and shows none', async (t) => {
  for (const code of ['link_expired', 'link_revoked', 'link_submitted'] as const) {
    const { world, link } = await createPhotoWorld();
    await send(world, link);
    const { linkId = '' } = (await world.claimlink.listLinks('acme')).links[0] ?? {};
    if (code === 'link_submitted') await world.submitJson(link);
    else if (code === 'link_revoked') await world.claimlink.revokeLink(CLIENT_ID, linkId);
    else world.advance(100 * 86_400_000);
    for (const response of [await send(world, link), await list(world, link), await remove(world, link)])
      t.equal(outcomeOf(response), `410 ${code}`);
    t.equal(outcomeOf(await read(world, link)), '404 photo_not_found');
  }
});

t.test(
  'a photo that comes after the claim is not part of it: a 410, and a page with the contact',
  async (t) => {
    const { world, link } = await createPhotoWorld();
    await send(world, link);
    await world.submitJson(link, { ...claim(), incident: { photos: [{ id: PHOTO_ID }] } });
    const other = Buffer.concat([PHOTO, PHOTO]);
    const late = await send(world, link, other);
    t.equal(outcomeOf(late), '410 link_submitted');
    t.match(problemOf(late).detail, /^This photo is not part of the claim/);
    await send(world, link, other, { headers: { accept: 'text/html' } });
    t.match(world.widget.unavailables.at(-1), { code: 'link_submitted', contact: { email: /@/ } });
    t.same(dataOf(await send(world, link)), ENTRY, 'a repetition of a photo that the claim has');
  },
);

t.test('a form opens while the store of photos fails, and the host gets the error', async (t) => {
  const store = createMemoryPhotoStore();
  const failed = new Error('down');
  const errors: unknown[] = [];
  const { world, link } = await createPhotoWorld({
    photos: { store: { ...store, list: () => Promise.reject(failed) } },
    onError: (error) => void errors.push(error),
  });
  t.equal((await world.open(link)).status, 200);
  t.match(world.widget.forms.at(-1), { photos: undefined, photosPart: { script: String } });
  t.same(errors, [failed]);
});

t.test('an error is a page for who wants one', async (t) => {
  const { world, link } = await createPhotoWorld();
  const response = await read(world, link, { accept: 'text/html' });
  t.equal(response.status, 404);
  t.match(response.headers['content-type'], /^text\/html/);
});

t.test(
  'after the claim, the browser that sent it sees the photos that the claim names, and no other',
  async (t) => {
    const { world, link } = await createPhotoWorld();
    const other = Buffer.concat([PHOTO, PHOTO]);
    await send(world, link);
    await send(world, link, other);
    const submitted = claim();
    const photos = [{ id: PHOTO_ID }];
    const response = await world.submitJson(link, {
      ...submitted,
      incident: { ...submitted.incident, photos },
    });
    const [cookie = ''] = response.headers['set-cookie']?.split(';', 1) ?? [];
    t.match(cookie, /^claimlink_receipt=/);
    t.ok((await bytesOf(await read(world, link, { cookie }))).equals(PHOTO));
    t.equal(outcomeOf(await read(world, link)), '404 photo_not_found', 'without the cookie');
    t.equal(outcomeOf(await read(world, link, { cookie }, 'GET', idOf(other))), '404 photo_not_found');
    t.equal(outcomeOf(await list(world, link, { cookie })), '410 link_submitted');
    world.advance(3601 * 1000);
    t.equal(outcomeOf(await read(world, link, { cookie })), '404 photo_not_found', 'after its end');
  },
);

t.test('a photo with the id of the mark of a claim is a 400, also with a random id', async (t) => {
  const { world, link, store } = await createPhotoWorld();
  const sent = await send(world, link, PHOTO, { id: CLAIM_MARK_ID, parameters: '&id=random' });
  t.equal(outcomeOf(sent), '400 request_invalid');
  t.same(await store.links({ limit: 1 }), []);
});
