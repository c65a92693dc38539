// The removal of photos: after events, and by a sweep that compares the store with the storage.
import { createHash } from 'node:crypto';
import { mock } from 'node:test';
import t from 'tap';
import { createClaimlink } from '../../lib/claimlink.js';
import { SWEEP_LIMIT } from '../../lib/core/photo-removal.js';
import type { PhotoLink, PhotoStore } from '../../lib/core/photo-store.js';
import type { Storage } from '../../lib/core/storage.js';
import type { ClaimlinkEvent, Incident, Session } from '../../lib/core/types.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { CLIENT_ID, createWorld, PUBLIC_URL, storedLink, USER_ID, type WorldOptions } from './world.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const idOf = (name: string) => createHash('sha256').update(name).digest('hex');

/** Creates a service with photos and a store of it. `claims` has the ids that the claim of a link names. */
async function createPhotoWorld({ wrapStorage, ...options }: WorldOptions = {}) {
  const store = createMemoryPhotoStore();
  const claims = new Map<string, readonly string[]>();
  const withPhotos = ({ link, ...session }: Session): Session => {
    const photos = claims.get(link?.linkId ?? '')?.map((id) => ({ id, type: 'image/jpeg', size: 4 }));
    return { ...session, ...(link && { link }), ...(photos && { incident: { photos } as Incident }) };
  };
  const world = await createWorld({
    photos: { store },
    withoutOnSubmit: true,
    wrapStorage(storage) {
      const submitLink: Storage['submitLink'] = (submission) =>
        storage.submitLink({ ...submission, session: withPhotos(submission.session) });
      const claiming = new Proxy(storage, {
        get: (target, name) => (name === 'submitLink' ? submitLink : Reflect.get(target, name)),
      });
      return wrapStorage ? wrapStorage(claiming) : claiming;
    },
    ...options,
  });
  const add = (link: PhotoLink, ...names: string[]) => addPhotos(store, link, ...names);
  const names = async (link: PhotoLink) => (await store.list(link)).map(({ photoId }) => photoId).sort();
  const mint = async () => {
    const minted = await world.mint();
    const stored = await storedLink(world, minted);
    return { minted, link: { clientId: CLIENT_ID, linkId: stored?.link.accessCodeHash ?? '' } };
  };
  /** Submits the claim of a link that names some of its photos. Returns the names in the store that the claim keeps. */
  const submit = async ({ minted, link }: Awaited<ReturnType<typeof mint>>, ...claimed: string[]) => {
    claims.set(link.linkId, claimed.map(idOf));
    await world.submitJson(minted);
  };
  return { ...world, photoStore: store, add, names, mint, submit };
}

async function addPhotos(store: PhotoStore, link: PhotoLink, ...names: string[]) {
  const { signal } = new AbortController();
  async function* body() {
    yield Buffer.from('jpeg');
  }
  for (const name of names)
    await store.put({ ...link, photoId: idOf(name), type: 'image/jpeg', size: 4 }, body(), { signal });
}

/** The ids in a store after a claim that names these photos: these and the mark of the claim. */
const kept = (...names: string[]) => [...names.map(idOf), idOf('claim')].sort();

t.test('a stored claim keeps the photos that it names, and no other one', async (t) => {
  const { add, names, mint, submit, claimlink, storage } = await createPhotoWorld();
  const link = await mint();
  await add(link.link, 'named', 'not named');
  await submit(link, 'named');
  await claimlink.idle();
  t.same(await names(link.link), kept('named'));
  t.same(await storage.countEvents({ limit: 10 }), { pending: 0, failed: 0 });
});

t.test('a claim without photos leaves nothing', async (t) => {
  const { add, names, mint, submit, claimlink } = await createPhotoWorld();
  const link = await mint();
  await add(link.link, 'not named');
  await submit(link);
  await claimlink.idle();
  t.same(await names(link.link), []);
});

t.test('the host gets only the events that it chose, and after the removal', async (t) => {
  const events: ClaimlinkEvent[] = [];
  const store = createMemoryPhotoStore();
  const left: number[] = [];
  for (const types of [['data.deleted'], ['claim.submitted'], ['link.expired']] as const) {
    events.length = 0;
    const { claimlink, mint, submit, add } = await createPhotoWorld({
      photos: { store },
      events: types,
      onEvent: async (event) => {
        events.push(event);
        left.push((await store.links({ limit: 10 })).length);
      },
    });
    const link = await mint();
    await addPhotos(store, link.link, 'not named');
    await add(link.link);
    await submit(link);
    await claimlink.deleteUser(CLIENT_ID, USER_ID);
    await claimlink.deliverPending();
    t.same(
      events.map(({ type }) => type),
      types[0] === 'link.expired' ? [] : types,
    );
  }
  t.same(left, [0, 0]);
});

t.test('deleted links lose all photos, in whatever process they were deleted', async (t) => {
  const { add, names, mint, submit, claimlink, storage, now } = await createPhotoWorld();
  const [open, claimed] = [await mint(), await mint()];
  await add(open.link, 'a');
  await add(claimed.link, 'b');
  await submit(claimed, 'b');
  await claimlink.idle();
  // As a command does.
  await storage.deleteUser({ clientId: CLIENT_ID, userId: USER_ID, at: now() });
  t.same(await names(claimed.link), kept('b'));
  await claimlink.deliverPending();
  t.same([await names(open.link), await names(claimed.link)], [[], []]);
});

t.test('the photos of a claim stay when its link is deleted, and go with the claim', async (t) => {
  const { add, names, mint, submit, claimlink, now, advance } = await createPhotoWorld();
  const link = await mint();
  await add(link.link, 'named');
  await submit(link, 'named');
  await claimlink.idle();
  advance(DAY * 60);
  t.equal(await claimlink.deleteExpiredLinks(now()), 1);
  await claimlink.deliverPending();
  t.same(await names(link.link), kept('named'));
  await claimlink.deleteSessions(now());
  await claimlink.deliverPending();
  t.same(await names(link.link), []);
});

t.test('the claim of a deleted link is found without its mark, and marked again', async (t) => {
  const calls: string[] = [];
  const { add, names, mint, submit, claimlink, now, advance, photoStore } = await createPhotoWorld({
    wrapStorage: (storage) =>
      new Proxy(storage, {
        get(target, name) {
          if (name === 'listClientSessions') calls.push(name);
          return Reflect.get(target, name);
        },
      }),
  });
  const link = await mint();
  await add(link.link, 'named');
  await submit(link, 'named');
  await claimlink.idle();
  advance(DAY * 60);
  await claimlink.deleteExpiredLinks(now());
  await photoStore.delete({ ...link.link, photoIds: [idOf('claim')] });
  await add(link.link, 'late');
  calls.length = 0;
  await claimlink.deliverPending();
  t.same(await names(link.link), kept('named'));
  const searches = calls.length;
  await claimlink.deliverPending();
  t.same(await names(link.link), kept('named'));
  t.equal(calls.length, searches);
});

t.test('a mark that names the claim of another link keeps nothing', async (t) => {
  const { mint, submit, names, claimlink, photoStore, storage, add, now } = await createPhotoWorld();
  const link = await mint();
  await add(link.link, 'named');
  await submit(link, 'named');
  await claimlink.idle();
  const [session] = (await storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 1 })).sessions;
  const bytes = Buffer.from(session?.reference ?? '');
  const other = { clientId: CLIENT_ID, linkId: idOf('no link') };
  async function* body() {
    yield bytes;
  }
  await photoStore.put(
    { ...other, photoId: idOf('claim'), type: 'image/jpeg', size: bytes.length },
    body(),
    new AbortController(),
  );
  await add(other, 'orphan');
  await claimlink.deliverPending();
  t.same(await names(other), []);
  t.same(await names(link.link), kept('named'), String(now()));
});

t.test(
  'a mark that is removed while a sweep reads it is no failure; one that cannot be read is',
  async (t) => {
    for (const isRemoved of [true, false]) {
      const store = createMemoryPhotoStore();
      const failing: PhotoStore = {
        ...store,
        async get(photo) {
          const mark = await store.get(photo);
          async function* body() {
            yield Buffer.from('a part');
            if (isRemoved) await store.delete({ ...photo, photoIds: [photo.photoId] });
            throw new Error('the store fails');
          }
          return mark && { ...mark, body: body() };
        },
      };
      const { mint, submit, claimlink, now, advance, errors } = await createPhotoWorld({
        photos: { store: failing },
      });
      const link = await mint();
      await addPhotos(store, link.link, 'named');
      await submit(link, 'named');
      await claimlink.idle();
      advance(DAY * 60);
      await claimlink.deleteExpiredLinks(now());
      await claimlink.idle();
      errors.length = 0;
      await claimlink.deliverPending();
      t.equal(errors.length, isRemoved ? 0 : 1);
      const ids = (await store.list(link.link)).map(({ photoId }) => photoId);
      t.same(ids.sort(), kept('named'));
    }
  },
);

t.test('a sweep removes what a process leaves that is killed', async (t) => {
  const { mint, submit, names, claimlink, add, advance } = await createPhotoWorld();
  const [usable, revoked, claimed] = [await mint(), await mint(), await mint()];
  const gone = { clientId: 'gone', linkId: idOf('gone') };
  await submit(claimed);
  await claimlink.idle();
  await claimlink.revokeLink(CLIENT_ID, revoked.link.linkId);
  for (const link of [usable.link, revoked.link, claimed.link, gone]) await add(link, 'a', 'b');
  await claimlink.deliverPending();
  t.same(await names(usable.link), [idOf('a'), idOf('b')].sort());
  for (const link of [revoked.link, claimed.link, gone]) t.same(await names(link), []);
  // A claim of an expired link may be on its way.
  advance(DAY + HOUR - 1000);
  await claimlink.deliverPending();
  t.equal((await names(usable.link)).length, 2);
  advance(2000);
  await claimlink.deliverPending();
  t.same(await names(usable.link), []);
});

t.test('a photo that arrives after the claim is removed at once', async (t) => {
  const { mint, submit, names, claimlink } = await createPhotoWorld({
    client: { settings: { form: { photos: { need: 'optional' } } } },
  });
  const link = await mint();
  const bytes = Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(100)]);
  async function* body() {
    yield bytes;
    await submit(link);
    await claimlink.idle();
  }
  const { accessCode, token } = link.minted;
  await t.rejects(claimlink.addPhoto(accessCode, token, { size: bytes.length, body: body() }), {
    code: 'link_submitted',
  });
  t.same(await names(link.link), []);
});

t.test('rounds remove what was deleted in a storage that records no deletion', async (t) => {
  const life = ['chooseEvents', 'addMoment', 'listMoments', 'addDueMoments'];
  const { mint, names, claimlink, add } = await createPhotoWorld({
    wrapStorage: (storage) =>
      new Proxy(storage, {
        get: (target, name) => (life.includes(String(name)) ? undefined : Reflect.get(target, name)),
      }),
  });
  const link = await mint();
  await add(link.link, 'a');
  await claimlink.deleteUser(CLIENT_ID, USER_ID);
  await claimlink.deliverPending();
  t.same(await names(link.link), []);
});

t.test('each call compares one page, and the calls reach all links again and again', async (t) => {
  const { claimlink, photoStore } = await createPhotoWorld();
  const links = Array.from({ length: 2 * SWEEP_LIMIT + 1 }, (_, n) => ({
    clientId: 'gone',
    linkId: idOf(`link ${n}`),
  }));
  for (const link of links) await addPhotos(photoStore, link, 'a');
  const count = async () => (await photoStore.links({ limit: 1000 })).length;
  const counts = [];
  for (let call = 0; call < 3; call++) {
    await claimlink.deliverPending();
    counts.push(await count());
  }
  t.same(counts, [SWEEP_LIMIT + 1, 1, 0]);
  await addPhotos(photoStore, links[0] as PhotoLink, 'a');
  await claimlink.deliverPending();
  t.equal(await count(), 0);
});

t.test('a removal that fails fails the attempt, and the next attempt repeats it', async (t) => {
  const store = createMemoryPhotoStore();
  let fails = true;
  const failing: PhotoStore = {
    ...store,
    list: (link) => (fails ? Promise.reject(new Error('down')) : store.list(link)),
  };
  const called: string[] = [];
  const { mint, submit, claimlink, storage, errors, advance } = await createPhotoWorld({
    photos: { store: failing },
    onEvent: ({ type }) => void called.push(type),
  });
  const link = await mint();
  await addPhotos(store, link.link, 'not named');
  await submit(link);
  await claimlink.idle();
  t.same(called, []);
  t.match(errors, [{ error: { message: 'down' } }]);
  fails = false;
  advance(HOUR);
  await claimlink.deliverPending();
  t.same(called, ['claim.submitted']);
  t.same(await store.list(link.link), []);
  t.same(await storage.countEvents({ limit: 10 }), { pending: 0, failed: 0 });
});

t.test('a store that hangs holds neither the delivery nor a page', async (t) => {
  const never = () => new Promise<never>(() => {});
  const { claimlink, mint, errors } = await createPhotoWorld({
    photos: { store: { put: never, list: never, get: never, delete: never, links: never } },
    onEvent: () => {},
  });
  const { minted } = await mint();
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const listing = claimlink.listPhotos(minted.accessCode, minted.token);
  const delivery = claimlink.deliverPending();
  const settled = Promise.allSettled([listing, delivery]);
  for (let tick = 0; tick < 50; tick++) await Promise.resolve().then(() => new Promise(setImmediate));
  mock.timers.tick(10_000);
  const [list, result] = await settled;
  t.match(list, { status: 'rejected', reason: { code: 'storage_unavailable' } });
  t.match(result, { status: 'fulfilled' });
  t.match(errors, [{ error: { message: /store of photos did not answer links within 10 s/ } }]);
});

t.test('a body that hangs ends with an error', async (t) => {
  const store = createMemoryPhotoStore();
  const hanging: PhotoStore = {
    ...store,
    async get(ref) {
      const photo = await store.get(ref);
      return (
        photo && { ...photo, body: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) } }
      );
    },
  };
  const { claimlink, mint } = await createPhotoWorld({ photos: { store: hanging } });
  const { minted, link } = await mint();
  await addPhotos(store, link, 'a');
  const photo = await claimlink.readPhoto(minted.accessCode, minted.token, idOf('a'));
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const reading = t.rejects(
    async () => {
      for await (const _ of photo?.body ?? []);
    },
    { code: 'storage_unavailable' },
  );
  for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate);
  mock.timers.tick(10_000);
  await reading;
});

t.test('photos need an outbox, and recorded submissions', async (t) => {
  const { storage, signer } = await createWorld();
  const photos = { store: createMemoryPhotoStore() };
  const options = { storage, signer, publicUrl: PUBLIC_URL, photos };
  const withoutOutbox = new Proxy(storage, {
    get: (target, name) => (name === 'leaseEvents' ? undefined : Reflect.get(target, name)),
  });
  t.throws(() => createClaimlink({ ...options, storage: withoutOutbox }), {
    code: 'options_invalid',
    message:
      /must implement OutboxStorage for the option photos.*use a storage of claimlink, or add leaseEvents/,
  });
  t.throws(() => createClaimlink({ ...options, recordSubmissions: false }), {
    code: 'options_invalid',
    message: /must not be false with photos/,
  });
});

t.test('a process whose events another one delivers removes no photos', async (t) => {
  for (const options of [{ recordSubmissions: true }, { events: ['claim.submitted'] as const }]) {
    const { claimlink, mint, submit, add, names, storage } = await createPhotoWorld(options);
    const link = await mint();
    await add(link.link, 'not named');
    await submit(link);
    await claimlink.idle();
    t.equal((await names(link.link)).length, 1);
    t.match(await storage.countEvents({ limit: 10 }), { pending: 1 });
    await t.rejects(claimlink.deliverPending(), { code: 'options_invalid' });
  }
});
