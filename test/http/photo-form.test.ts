// The form of a browser without JavaScript, which sends its photos with the claim: all of them, or the form comes back.
import { mkdir, readdir } from 'node:fs/promises';
import t from 'tap';
import type { PhotoStore } from '../../lib/core/photo-store.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import {
  CLIENT_ID,
  createWorld,
  linkRequest,
  type MintedLink,
  outcomeOf,
  USER_ID,
  type World,
} from '../core/world.js';
import { END, type FormFile, file, formInParts, idOf, jpeg, PARTS_TYPE } from './form-parts.js';

const PLATE = '/policy/vehicle/licensePlate';
const TEXT = 'A bump at the corner.';
const FIELDS = {
  '/policy/provider': 'Acme',
  '/policy/number': 'A-1',
  '/policy/validFrom': '2025-01-01',
  '/policy/validTo': '2025-12-31',
  [PLATE]: 'AB 123',
  '/incident/description': TEXT,
  '/policy/holder/firstName': 'Ada',
  '/policy/holder/lastName': 'Lovelace',
  '/policy/holder/phone': '123',
  '/policy/holder/email': 'ada@example.com',
};
const FRONT: FormFile = ['front.jpg', jpeg(70_000, 1)];
const BACK: FormFile = ['Rückseite 写真.jpg', jpeg(80_000, 2)];
const NONE: FormFile = ['', Buffer.alloc(0)];
const LARGE: FormFile = ['large.jpg', jpeg(200_000, 3)];
const PDF: FormFile = ['doc.pdf', Buffer.from('%PDF-1.7 and more')];

type Options = Omit<NonNullable<Parameters<typeof createWorld>[0]>, 'photos'> & {
  photos?: object;
  form?: object;
  settings?: object;
  store?: PhotoStore;
};

async function createFormWorld({
  photos,
  form,
  settings,
  store = createMemoryPhotoStore(),
  ...options
}: Options = {}) {
  const world = await createWorld({
    widget: createStandaloneWidget(),
    photos: { store, maxPhotoBytes: 100_000, ...photos },
    client: { settings: { form: { photos: { need: 'optional', ...form } }, ...settings } },
    ...options,
  });
  const policy = { number: 'P-77', vehicle: { licensePlate: 'B-CL 2026' } };
  return { world, link: await world.mint({ config: { ...linkRequest().config, policy } }), store };
}

interface Sent {
  fields?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer;
}

const send = (
  world: World,
  { target }: MintedLink,
  files: readonly FormFile[],
  { fields = {}, headers, body }: Sent = {},
) =>
  world.send('POST', target, {
    headers: { 'content-type': PARTS_TYPE, ...headers },
    body: body ?? formInParts(Object.entries({ ...FIELDS, ...fields }), files),
  });

/** Returns the photos of the stored claim. */
async function claimed({ storage }: World) {
  const { sessions } = await storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 10 });
  return sessions.map(({ incident }) => incident?.photos);
}

/** Returns the ids of the photos of all links. */
async function stored(store: PhotoStore) {
  const ids: string[] = [];
  for (const link of (await store.links({ limit: 100 })) as { clientId: string; linkId: string }[])
    for (const { photoId } of await store.list(link)) ids.push(photoId);
  return ids.sort();
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(0);
}

const named = ([name, bytes]: FormFile) => ({
  id: idOf(bytes),
  type: 'image/jpeg',
  size: bytes.length,
  name,
});
const sorted = (...files: FormFile[]) => files.map(named).sort((a, b) => (a.id < b.id ? -1 : 1));

t.test('a form with two photos stores the claim with both, and their names', async (t) => {
  const { world, link } = await createFormWorld();
  const response = await send(world, link, [FRONT, BACK]);
  t.equal(response.status, 200);
  t.match(response.body, 'Your claim has been sent');
  t.same(await claimed(world), [sorted(FRONT, BACK)]);
});

t.test('a form without a photo stores the claim without one', async (t) => {
  const { world, link } = await createFormWorld();
  t.equal((await send(world, link, [NONE])).status, 200);
  t.same(await claimed(world), [undefined]);
});

t.test('a repetition of the form is the same claim with the same photos', async (t) => {
  const { world, link } = await createFormWorld();
  const headers = { accept: 'application/json' };
  const first = JSON.parse((await send(world, link, [FRONT, BACK], { headers })).body).data;
  const again = JSON.parse((await send(world, link, [FRONT, BACK], { headers })).body).data;
  t.same(again, { ...first, repeated: true, unchanged: true });
  t.same(await claimed(world), [sorted(FRONT, BACK)]);
});

t.test(
  'a photo that comes after the claim is not part of it, and the page says that the claim was sent',
  async (t) => {
    const { world, link } = await createFormWorld();
    await send(world, link, [FRONT]);
    const late = await send(world, link, [FRONT, BACK]);
    t.equal(late.status, 410);
    t.equal(
      outcomeOf(await send(world, link, [BACK], { headers: { accept: 'application/json' } })),
      '410 link_submitted',
    );
    t.same(await claimed(world), [[named(FRONT)]]);
  },
);

const NOT_TAKEN: Record<string, [files: FormFile[], message: RegExp, options?: Options]> = {
  'that is too large': [[FRONT, LARGE], /\u2068large.jpg\u2069: This photo is too large\./],
  'of another type': [[FRONT, PDF], /\u2068doc.pdf\u2069: This file cannot be read as a photo\./],
  'of no bytes': [[FRONT, ['empty.jpg', Buffer.alloc(0)]], /\u2068empty.jpg\u2069: This file cannot be read/],
  'above the number': [
    [FRONT, BACK],
    /\u2068Rückseite 写真.jpg\u2069: There is no room for another photo\./,
    { form: { most: 1 } },
  ],
  'with a bad name': [
    [FRONT, ['<b>\u202egpj.exe', PDF[1]]],
    /\u2068&lt;b&gt;gpj.exe\u2069: This file cannot be read/,
  ],
};
for (const [what, [files, message, options]] of Object.entries(NOT_TAKEN)) {
  t.test(
    `a photo ${what} brings the form back, with its text and the other photo, and stores no claim`,
    async (t) => {
      const { world, link, store } = await createFormWorld(options);
      const response = await send(world, link, files);
      t.equal(response.status, 400);
      t.match(response.body, message);
      t.match(response.body, /<p class="error" id="incident-photos-error">/, 'beside the field');
      t.match(response.body, TEXT);
      t.match(response.body, '<bdi translate="no">front.jpg</bdi>');
      t.same(await claimed(world), []);
      t.same(await stored(store), [idOf(FRONT[1])]);
      // The form that came back has the name of the photo that was taken.
      const names = /name="photoNames" value="([^"]*)"/.exec(response.body)?.[1] ?? '';
      t.equal((await send(world, link, [NONE], { fields: { photoNames: names } })).status, 200);
      t.same(await claimed(world), [[named(FRONT)]]);
    },
  );
}

t.test('a program gets a problem for a photo that is not taken', async (t) => {
  const { world, link } = await createFormWorld();
  const response = await send(world, link, [LARGE, PDF], { headers: { accept: 'application/json' } });
  t.equal(outcomeOf(response), '400 request_invalid');
  t.same(
    JSON.parse(response.body).errors.map(({ pointer, rule }: { pointer: string; rule: string }) => [
      pointer,
      rule,
    ]),
    [
      ['/incident/photos', 'value'],
      ['/incident/photos', 'value'],
    ],
  );
});

t.test('a claim with another problem comes back with its photos, which are named', async (t) => {
  const { world, link, store } = await createFormWorld();
  const response = await send(world, link, [FRONT], { fields: { '/policy/holder/email': 'no' } });
  t.equal(response.status, 400);
  t.match(response.body, '<bdi translate="no">front.jpg</bdi>');
  t.same(await stored(store), [idOf(FRONT[1])]);
});

t.test('a form that needs a photo is not sent without one', async (t) => {
  const { world, link } = await createFormWorld({ form: { need: 'required' } });
  const response = await send(world, link, [NONE]);
  t.equal(response.status, 400);
  t.match(response.body, 'Add a photo of the damage');
  t.equal((await send(world, link, [FRONT])).status, 200);
});

t.test('a form of another site is rejected before its body is read', async (t) => {
  const { world, link, store } = await createFormWorld();
  let isRead = false;
  const response = await world.claimlink.handle({
    method: 'POST',
    url: link.target,
    headers: { 'content-type': PARTS_TYPE, 'sec-fetch-site': 'cross-site', accept: 'application/json' },
    stream: () => {
      isRead = true;
      return nothing();
    },
  });
  t.equal(outcomeOf(response), '400 request_invalid');
  t.notOk(isRead);
  t.same(await stored(store), []);
});

t.test('a forged token is rejected before the body is read', async (t) => {
  const { world, link } = await createFormWorld();
  let isRead = false;
  const [page] = link.target.split('?');
  const response = await world.claimlink.handle({
    method: 'POST',
    url: `${page}?token=forged`,
    headers: { 'content-type': PARTS_TYPE, accept: 'application/json' },
    stream: () => {
      isRead = true;
      return nothing();
    },
  });
  t.equal(outcomeOf(response), '404 link_not_found');
  t.notOk(isRead);
});

t.test('a client that takes no photos takes no form in parts, and none of its body is read', async (t) => {
  for (const options of [{ form: { need: 'hidden' } }, { settings: { form: {} } }]) {
    const { world, link } = await createFormWorld(options);
    let isRead = false;
    const response = await world.claimlink.handle({
      method: 'POST',
      url: link.target,
      headers: { 'content-type': PARTS_TYPE, accept: 'application/json' },
      stream: () => {
        isRead = true;
        return nothing();
      },
    });
    t.equal(outcomeOf(response), '415 content_type_unsupported');
    t.notOk(isRead);
  }
});

t.test('other actions than a claim have no photos', async (t) => {
  const { world, link } = await createFormWorld();
  const headers = { accept: 'application/json' };
  for (const action of ['check', 'decline', 'start', 'renew'])
    t.equal(outcomeOf(await send(world, link, [], { fields: { action }, headers })), '400 request_invalid');
  t.equal((await send(world, link, [], { fields: { action: 'submit' }, headers })).status, 200);
});

t.test(
  'no photo is stored without the answer of the recipient: by cookie, or by the proof before the photos',
  async (t) => {
    const check = async () => createFormWorld({ settings: { recipientCheck: [PLATE] } });
    const body = 'action=check&answer=b%20cl%202026';
    const answer = (world: World, link: MintedLink, headers = {}) =>
      world.send('POST', link.target, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      });
    const { world, link, store } = await check();
    const asked = await send(world, link, [FRONT]);
    t.equal(asked.status, 403);
    t.match(asked.body, TEXT, 'the question keeps the text');
    t.same(await stored(store), []);
    const proof = /name="proof" value="([^"]+)"/.exec((await answer(world, link)).body)?.[1] ?? '';
    t.not(proof, '');
    const behind = Buffer.concat([file(FRONT), formInParts(Object.entries({ ...FIELDS, proof }), [])]);
    t.equal((await send(world, link, [], { body: behind })).status, 200, 'a proof behind the photos');
    t.same(await claimed(world), [undefined]);
    const proved = await check();
    const answered = await answer(proved.world, proved.link, { cookie: 'claimlink_probe=1' });
    const cookie = /^[^;]+/.exec(answered.headers['set-cookie'] ?? '')?.[0] ?? '';
    t.equal((await send(proved.world, proved.link, [FRONT], { headers: { cookie } })).status, 200);
    t.same(await claimed(proved.world), [[named(FRONT)]]);
    const other = await check();
    const html = (await answer(other.world, other.link)).body;
    const field = /name="proof" value="([^"]+)"/.exec(html)?.[1] ?? '';
    t.equal((await send(other.world, other.link, [FRONT], { fields: { proof: field } })).status, 200);
    t.same(await claimed(other.world), [[named(FRONT)]]);
  },
);

t.test('a form to a link that was revoked keeps its text, and no photo', async (t) => {
  const { world, link, store } = await createFormWorld();
  const { linkId = '' } = (await world.claimlink.listLinks(CLIENT_ID)).links[0] ?? {};
  await world.claimlink.revokeLink(CLIENT_ID, linkId);
  const response = await send(world, link, [FRONT]);
  t.equal(response.status, 410);
  t.match(response.body, TEXT);
  t.same(await stored(store), []);
});

t.test('a store that fails brings the text back, with a 503, and stores no claim', async (t) => {
  const store: PhotoStore = { ...createMemoryPhotoStore(), put: () => Promise.reject(new Error('full')) };
  const { world, link } = await createFormWorld({ store });
  const response = await send(world, link, [FRONT, BACK]);
  t.ok(response.status >= 500, String(response.status));
  t.match(response.body, TEXT);
  t.same(await claimed(world), []);
});

t.test(
  'as many forms of a link are read at a time as uploads: the next one gets its text back',
  async (t) => {
    const { world, link, store } = await createFormWorld({ photos: { maxUploads: 1 } });
    const bytes = formInParts(Object.entries(FIELDS), [FRONT]);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begin = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const first = world.claimlink.handle({
      method: 'POST',
      url: link.target,
      headers: { 'content-type': PARTS_TYPE },
      stream: async function* () {
        yield bytes.subarray(0, -100);
        begin();
        await held;
        yield bytes.subarray(-100);
      },
    });
    await hasBegun;
    const second = await send(world, link, [BACK]);
    t.equal(second.status, 400);
    t.match(second.body, 'Too many photos at once. Try again.');
    t.match(second.body, TEXT);
    t.same(await stored(store), []);
    release();
    t.equal((await first).status, 200);
    t.same(await claimed(world), [[named(FRONT)]]);
  },
);

t.test(
  'nothing remains of temporary files: of a photo, a photo that is too large, and a form that is cut',
  async (t) => {
    const { world, link } = await createFormWorld();
    const folder = t.testdir();
    const { TMPDIR } = process.env;
    process.env['TMPDIR'] = folder;
    t.teardown(() => {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    });
    await mkdir(folder, { recursive: true });
    await send(world, link, [FRONT, LARGE]);
    t.same(await readdir(folder), []);
    await send(world, link, [], { body: file(BACK).subarray(0, -1000) });
    t.same(await readdir(folder), []);
    process.env['TMPDIR'] = `${folder}/missing`;
    t.equal((await send(world, link, [BACK])).status, 200, 'in memory, without a folder');
  },
);

t.test('an end that is missing is an error, and no photo is stored', async (t) => {
  const { world, link, store } = await createFormWorld();
  const body = formInParts(Object.entries(FIELDS), [FRONT]).subarray(0, -END.length - 2);
  t.equal((await send(world, link, [], { body })).status, 400);
  t.same(await stored(store), []);
});

t.test('the form of a sender who has not answered keeps no one from sending photos', async (t) => {
  const { world, link } = await createFormWorld({
    photos: { maxUploads: 1 },
    settings: { recipientCheck: [PLATE] },
  });
  const answered = await world.send('POST', link.target, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'action=check&answer=b%20cl%202026',
  });
  const proof = /name="proof" value="([^"]+)"/.exec(answered.body)?.[1] ?? '';
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begin = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const unanswered = world.claimlink.handle({
    method: 'POST',
    url: link.target,
    headers: { 'content-type': PARTS_TYPE },
    stream: async function* () {
      yield file(FRONT).subarray(0, -100);
      begin();
      await held;
    },
  });
  await hasBegun;
  t.equal((await send(world, link, [BACK], { fields: { proof } })).status, 200);
  t.same(await claimed(world), [[named(BACK)]]);
  release();
  await unanswered;
});

t.test('of a form with many files, the store is asked for some of them', async (t) => {
  const memory = createMemoryPhotoStore();
  let calls = 0;
  const store: PhotoStore = {
    ...memory,
    list(link) {
      calls += 1;
      return memory.list(link);
    },
  };
  const { world, link } = await createFormWorld({ store });
  const files = Array.from({ length: 300 }, (_, index): FormFile => [`${index}.jpg`, jpeg(10, index)]);
  t.equal((await send(world, link, files)).status, 400);
  t.ok(calls < 120, `${calls} calls`);
});
