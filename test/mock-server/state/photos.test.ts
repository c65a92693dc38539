// The photos of a mock: the conformance suite, their space, snapshots, the persist file, and the methods.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import t from 'tap';
import type { PhotoStore } from '../../../lib/photos/index.js';
import { linkNameOf } from '../../../lib/photos/photo-names.js';
import { photoStoreSuite } from '../../../lib/testing/index.js';
import type { MockPhoto } from '../../../mock-server/control/types.js';
import { createPhotoBytes } from '../../../mock-server/state/photo-bytes.js';
import { createClientPhotos } from '../../../mock-server/state/photos.js';
import { MIB } from '../../../mock-server/state/space.js';
import { CLAIM } from '../../adapters/service.js';
import { CLIENTS, type OpenState, openState } from './set-up.js';

const photoOf = (seed: number, size = 5000) =>
  Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(size - 4, seed)]);
const textOf = (seed: number, size?: number) => photoOf(seed, size).toString('base64');
const idOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const OPTIONAL = { form: { photos: { need: 'optional' as const } } };
const clients = CLIENTS.map((client) => ({ ...client, settings: OPTIONAL }));
const idsOf = (photos: readonly MockPhoto[]) => photos.map(({ id }) => id).sort();

/** Returns a store of all clients over the stores of each: the suite has two clients. */
function createStore(): PhotoStore {
  const openBytes = createPhotoBytes();
  const stores = new Map<string, PhotoStore>();
  function of(clientId: string): PhotoStore {
    const photos = new Map();
    const space = { reserve: () => {}, measure: () => {} };
    const hashes = () =>
      new Set<string>([...photos.values()].flatMap((each) => [...each.values()].map(({ hash }) => hash)));
    const records = { clientId, data: { photos } } as never;
    const { store } = createClientPhotos(records, openBytes(clientId, hashes), space, () => {});
    stores.set(clientId, stores.get(clientId) ?? store);
    return stores.get(clientId) as PhotoStore;
  }
  return {
    put: (photo, body, options) => of(photo.clientId).put(photo, body, options),
    list: (link) => of(link.clientId).list(link),
    get: (photo) => of(photo.clientId).get(photo),
    delete: (photos) => of(photos.clientId).delete(photos),
    async links({ limit, after }) {
      const pages = await Promise.all([...stores.values()].map((store) => store.links({ limit: 10_000 })));
      const start = after === undefined ? '' : linkNameOf(after);
      return pages
        .flat()
        .filter((link) => linkNameOf(link) > start)
        .sort((a, b) => (linkNameOf(a) < linkNameOf(b) ? -1 : 1))
        .slice(0, limit);
    },
  };
}

for (const { name, run } of photoStoreSuite(createStore)) t.test(`conformance: ${name}`, run);

/** Opens a mock with a link of each client. */
async function openWithLinks(options: Parameters<typeof openState>[0] = {}) {
  const open = await openState({ clients, ...options });
  const link = await open.createLink('demo', 'ada');
  const other = await open.createLink('other', 'ben');
  return { ...open, methods: open.state.methods, link, other };
}

const add = ({ state }: Pick<OpenState, 'state'>, link: string, seed: number, size?: number) =>
  state.methods.addPhoto({ link, photo: textOf(seed, size) });

t.test('a link has the photos that are added to it', async (t) => {
  const { state, methods, link, other } = await openWithLinks();
  const photo = { id: idOf(photoOf(1)), type: 'image/jpeg', size: 5000, isMissing: false };
  t.strictSame(await add({ state }, link, 1), photo);
  t.strictSame(await add({ state }, link, 1), photo, 'the same bytes are the same photo');
  t.strictSame(await methods.addPhoto({ link, photo: `data:image/png;base64,${textOf(1)}` }), photo);
  t.strictSame(methods.photos({ link }), [photo]);
  t.strictSame(methods.photos({ link: other }), []);
});

t.test('a photo that is generated is a PNG, another one each time, and the same in each run', async (t) => {
  const run = async () => {
    const { methods, link } = await openWithLinks();
    return [await methods.addPhoto({ link }), await methods.addPhoto({ link })];
  };
  const [first, second] = await run();
  t.equal(first?.type, 'image/png');
  t.not(first?.id, second?.id);
  t.strictSame(await run(), [first, second]);
});

t.test('a photo that is no photo is rejected, and a list of photos with one is not added', async (t) => {
  const { methods, link } = await openWithLinks();
  await t.rejects(methods.addPhoto({ link, photo: '%%' }), {
    code: 'request_invalid',
    message: /photo must be a photo in base64/,
  });
  const svg = Buffer.from('<svg onload="alert(1)"/>').toString('base64');
  const photos = [textOf(1), svg];
  await t.rejects(methods.submitLink({ link, photos }), {
    code: 'request_invalid',
    message: /photos\/1 must be a JPEG/,
  });
  t.strictSame(methods.photos({ link }), []);
});

t.test('a client whose form takes no photos gets none', async (t) => {
  const { state, createLink } = await openState();
  const link = await createLink('demo', 'ada');
  await t.rejects(state.methods.addPhoto({ link }), { code: 'photo_limit_reached' });
});

t.test('a generated claim names all photos of its link', async (t) => {
  const { state, methods, link } = await openWithLinks();
  const first = await add({ state }, link, 1);
  const { reference } = await methods.submitLink({ link, photos: [textOf(2)] });
  const [session] = methods
    .sessions({ clientId: 'demo', userId: 'ada' })
    .filter((each) => each.reference === reference);
  const claimed = session?.incident?.photos?.map(({ id }) => id).sort();
  t.strictSame(claimed, [first.id, idOf(photoOf(2))].sort());
  t.strictSame(idsOf(methods.photos({ link })), claimed);
});

t.test('a generated claim has a photo if the form requires one', async (t) => {
  const settings = { form: { photos: { need: 'required' as const } } };
  const { state, createLink } = await openState({ clients: [{ clientId: 'demo', apiKey: 'k', settings }] });
  const link = await createLink('demo', 'ada');
  await state.methods.submitLink({ link });
  t.equal(state.methods.photos({ link }).length, 1);
});

t.test('a claim has the photos that it names and those that come with it', async (t) => {
  const { state, methods, link } = await openWithLinks();
  const named = await add({ state }, link, 1);
  await add({ state }, link, 2);
  const photos = [{ id: named.id, name: 'front.jpg' }];
  const claim = { ...CLAIM, incident: { ...CLAIM.incident, date: '2026-01-15', photos } };
  await methods.submitLink({ link, claim, photos: [textOf(1), textOf(3)] });
  const claimed = methods.sessions({ clientId: 'demo', userId: 'ada' })[0]?.incident?.photos;
  t.same(
    claimed?.map(({ id, name }) => [id, name]),
    [
      [named.id, 'front.jpg'],
      [idOf(photoOf(3)), undefined],
    ],
  );
});

t.test('a client has 16 MiB of photos, and what no link names makes room', async (t) => {
  const { state, methods, link } = await openWithLinks();
  await add({ state }, link, 1, 8 * MIB);
  await add({ state }, link, 2, 8 * MIB);
  await t.rejects(add({ state }, link, 3), { code: 'storage_unavailable' });
  t.equal(methods.photos({ link }).length, 2);
  methods.snapshot({ name: 'full', clientId: 'demo' });
  methods.reset({ clientId: 'demo' });
  const next = (await methods.createLink({ clientId: 'demo', request: request('ada') })).url;
  await add({ state }, next, 3, 8 * MIB);
  methods.restore({ name: 'full', clientId: 'demo' });
  const restored = methods.photos({ link }).map(({ size, isMissing }) => [size, isMissing]);
  t.same(
    restored,
    [
      [8 * MIB, true],
      [8 * MIB, false],
    ],
    'the oldest one is gone',
  );
});

t.test('a photo that is missing is there again when it is sent again', async (t) => {
  const { state, methods, link, of } = await openWithLinks();
  await add({ state }, link, 1, 10 * MIB);
  methods.snapshot({ name: 'one', clientId: 'demo' });
  methods.reset({ clientId: 'demo' });
  const next = (await methods.createLink({ clientId: 'demo', request: request('ada') })).url;
  await add({ state }, next, 2, 10 * MIB);
  methods.restore({ name: 'one', clientId: 'demo' });
  t.match(methods.photos({ link }), [{ isMissing: true }]);
  const [code, token] = new URL(link).pathname
    .split('/')
    .slice(2)
    .concat(new URL(link).searchParams.get('token') ?? '');
  t.strictSame(await of('demo').listPhotos(code ?? '', token ?? ''), [], 'the service does not show it');
  await add({ state }, link, 1, 10 * MIB);
  t.match(methods.photos({ link }), [{ isMissing: false }]);
});

t.test(
  'all clients have 64 MiB of photos, and one that is full does not take the room of another',
  async (t) => {
    const many = Array.from({ length: 5 }, (_, index) => ({
      clientId: `client-${index}`,
      apiKey: `key-${index}`,
      settings: OPTIONAL,
    }));
    const { state, createLink } = await openState({ clients: many });
    for (const { clientId } of many.slice(0, 4)) {
      const link = await createLink(clientId, 'ada');
      for (const seed of [1, 2]) await add({ state }, link, seed, 8 * MIB);
    }
    const link = await createLink('client-4', 'ada');
    await t.rejects(add({ state }, link, 1), { code: 'storage_unavailable' });
    state.methods.reset({ clientId: 'client-0' });
    await add({ state }, link, 1);
  },
);

t.test('photos of a link that is removed free their room, and marks need none', async (t) => {
  const { state, methods, link, of } = await openWithLinks();
  const large = await add({ state }, link, 1, 10 * MIB);
  await add({ state }, link, 2, 6 * MIB);
  const [code = '', token = ''] = [
    new URL(link).pathname.split('/')[2],
    new URL(link).searchParams.get('token') ?? '',
  ];
  await of('demo').removePhoto(code, token, large.id);
  t.equal(methods.photos({ link }).length, 1);
  await methods.submitLink({ link });
  await state.need('demo').idle();
  const next = (await methods.createLink({ clientId: 'demo', request: request('ada') })).url;
  await add({ state }, next, 3, 10 * MIB);
  t.match(methods.photos({ link }), [{ isMissing: false }], 'the claim keeps its photo');
});

t.test('a persisted mock has no bytes of photos, starts without them and says so', async (t) => {
  const persistFile = join(t.testdir(), 'state.json');
  const first = await openWithLinks({ persistFile });
  await add(first, first.link, 1, 2 * MIB);
  await first.methods.submitLink({ link: first.link });
  await first.state.close();
  const hints: string[] = [];
  const options = { persistFile, clients };
  const second = await openState(options, { onMissingPhotos: (text) => hints.push(text) });
  t.teardown(() => second.state.close());
  t.match(hints, [/without the bytes of 1 photo:/]);
  t.match(second.state.methods.photos({ link: first.link }), [{ size: 2 * MIB, isMissing: true }]);
  t.equal(second.state.methods.sessions({ clientId: 'demo', userId: 'ada' })[0]?.incident?.photos?.length, 1);
});

t.test('the state has the photos of a link, and none of their bytes', async (t) => {
  const { state, link } = await openWithLinks();
  const before = Buffer.concat(state.need('demo').toJson()).length;
  await add({ state }, link, 1, 4 * MIB);
  const after = Buffer.concat(state.need('demo').toJson());
  t.ok(after.length - before < 1000);
  t.match(after.toString(), idOf(photoOf(1, 4 * MIB)));
});

t.test('photos of an added client come back with a snapshot of everything', async (t) => {
  const { state } = await openState({ clients });
  const { methods } = state;
  methods.addClient({ clientId: 'added', settings: OPTIONAL });
  const { url } = await methods.createLink({ clientId: 'added', request: request('ada') });
  await add({ state }, url, 1);
  methods.snapshot({ name: 'all' });
  methods.reset();
  t.notOk(state.find('added'));
  methods.restore({ name: 'all' });
  t.match(methods.photos({ link: url }), [{ isMissing: false }]);
});

const request = (currentUserId: string) => ({
  callbackUrl: 'https://example.com/back',
  config: { contact: { email: 'a@example.com', phone: '1' }, currentUserId },
});
