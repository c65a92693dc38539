// The photos of a claim: which it has, what it may say of them, and what becomes of a photo that arrives too late.
import { createHash } from 'node:crypto';
import t from 'tap';
import type { AcceptedClaim, ClaimPhoto, FormPhotos } from '../../lib/core/types.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { claim, createWorld, type MintedLink, outcomeOf, type World, type WorldOptions } from './world.js';

const photoOf = (seed: number) => Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(100, seed)]);
const idOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const [FIRST, SECOND] = [photoOf(1), photoOf(2)];
const TAKEN = [FIRST, SECOND]
  .map((bytes) => ({ id: idOf(bytes), type: 'image/jpeg' as const, size: bytes.length }))
  .sort((a, b) => (a.id < b.id ? -1 : 1));
const UNKNOWN = 'a'.repeat(64);

async function* chunks(bytes: Uint8Array) {
  yield bytes;
}

const linkOf = ({ accessCode, token }: MintedLink) => [accessCode, token] as const;

function add(world: World, link: MintedLink, bytes: Uint8Array, body = chunks(bytes)) {
  return world.claimlink.addPhoto(...linkOf(link), { size: bytes.length, body, photoId: idOf(bytes) });
}

/** Creates a world whose client takes photos, and a link with two of them. */
async function createPhotoWorld(
  need: FormPhotos['need'] = 'optional',
  options: WorldOptions = {},
): Promise<{ world: World; link: MintedLink }> {
  const client = { settings: { form: { photos: { need } } } };
  const photos = { store: createMemoryPhotoStore() };
  const world = await createWorld({ client, photos, ...options });
  return { world, link: await world.mint() };
}

const withPhotos = (photos: unknown) => claim({ incident: { place: 'Home', photos } as never });

/** Returns the photos of the session that a link created. */
const storedPhotos = ({ storage }: World) => storage.snapshot?.().sessions?.at(-1)?.incident?.photos;

function problemsOf({ body }: { body: string }): string[] {
  return JSON.parse(body).errors.map(
    ({ pointer, rule }: { pointer: string; rule: string }) => `${pointer} ${rule}`,
  );
}

const JSON_WANTED = { accept: 'application/json' };

t.test('a form has all photos of its link, also those that came from another device', async (t) => {
  const { world, link } = await createPhotoWorld();
  await add(world, link, FIRST);
  await add(world, link, SECOND);
  t.equal((await world.submitForm(link)).status, 200);
  t.strictSame(storedPhotos(world), TAKEN);
});

t.test('a form of a widget that names photos has these', async (t) => {
  const { world, link } = await createPhotoWorld();
  await add(world, link, FIRST);
  await add(world, link, SECOND);
  t.equal((await world.submitForm(link, withPhotos([{ id: idOf(FIRST) }]))).status, 200);
  t.strictSame(
    storedPhotos(world)?.map(({ id }) => id),
    [idOf(FIRST)],
  );
});

t.test(
  'a form names the files of its photos, as far as a name can be stored, and claims the others as well',
  async (t) => {
    const { world, link } = await createPhotoWorld();
    const photos = [FIRST, SECOND, photoOf(3), photoOf(4), photoOf(5)];
    for (const bytes of photos) await add(world, link, bytes);
    const names = ['Front.jpg', undefined, 'x'.repeat(201), 'a\0b', ' '];
    const photoNames = Object.fromEntries(photos.map((bytes, index) => [idOf(bytes), names[index]]));
    const body = { ...claim(), photoNames: { ...photoNames, [UNKNOWN]: 'gone.jpg' } };
    t.equal((await world.submitForm(link, body)).status, 200);
    const stored = storedPhotos(world) ?? [];
    t.equal(stored.length, 5);
    t.strictSame(
      stored.filter(({ name }) => name !== undefined).map(({ id, name }) => [id, name]),
      [[idOf(FIRST), 'Front.jpg']],
    );
    t.equal((await world.submitForm(link, body, JSON_WANTED)).body.includes('"unchanged":true'), true);
  },
);

t.test('the names of a form select no photos, and those of another shape are ignored', async (t) => {
  for (const photoNames of [[], 'x', 1, null, { [idOf(FIRST)]: 1 }]) {
    const { world, link } = await createPhotoWorld();
    await add(world, link, FIRST);
    t.equal((await world.submitForm(link, { ...claim(), photoNames })).status, 200);
    t.strictSame(
      storedPhotos(world),
      TAKEN.filter(({ id }) => id === idOf(FIRST)),
    );
  }
});

t.test('JSON has the photos that it names, each once, and the store says type and size', async (t) => {
  const { world, link } = await createPhotoWorld();
  await add(world, link, FIRST);
  await add(world, link, SECOND);
  const named = [
    { id: idOf(FIRST), name: 'front.jpg', type: 'image/webp', size: -1, path: '/etc/passwd' },
    { id: idOf(FIRST), name: 'again.jpg' },
  ];
  t.equal((await world.submitJson(link, withPhotos(named))).status, 200);
  const expected = [{ id: idOf(FIRST), type: 'image/jpeg', size: FIRST.length, name: 'front.jpg' }];
  t.strictSame(storedPhotos(world), expected);
});

t.test('JSON that names no photos has none', async (t) => {
  for (const body of [claim(), withPhotos([])]) {
    const { world, link } = await createPhotoWorld();
    await add(world, link, FIRST);
    t.equal((await world.submitJson(link, body)).status, 200);
    t.equal(storedPhotos(world), undefined);
  }
});

t.test('a photo that the link does not have is a problem with its pointer', async (t) => {
  const { world, link } = await createPhotoWorld();
  const other = await world.mint();
  await add(world, link, FIRST);
  await add(world, other, SECOND);
  const named = [UNKNOWN, idOf(SECOND), idOf(FIRST), '../x', '__proto__'].map((id) => ({ id }));
  const response = await world.submitJson(link, withPhotos(named));
  t.equal(response.status, 400);
  t.strictSame(
    problemsOf(response),
    [0, 1, 3, 4].map((index) => `/incident/photos/${index}/id unknown_photo`),
  );
  await world.claimlink.removePhoto(...linkOf(link), idOf(FIRST));
  const removed = await world.submitJson(link, withPhotos([{ id: idOf(FIRST) }]));
  t.strictSame(problemsOf(removed), ['/incident/photos/0/id unknown_photo']);
});

for (const [photos, problem] of [
  [{}, '/incident/photos type'],
  [['x'], '/incident/photos/0 type'],
  [[{}], '/incident/photos/0/id required'],
  [[{ id: 1 }], '/incident/photos/0/id type'],
  [[{ id: ' ' }], '/incident/photos/0/id minLength'],
  [[{ id: 'a'.repeat(65) }], '/incident/photos/0/id maxLength'],
  [[{ id: UNKNOWN, name: 'x'.repeat(201) }], '/incident/photos/0/name maxLength'],
  [Array.from({ length: 51 }, () => ({ id: UNKNOWN })), '/incident/photos maxItems'],
] as const)
  t.test(`photos that are no list of names are a problem: ${problem}`, async (t) => {
    const { world, link } = await createPhotoWorld();
    const response = await world.submitJson(link, withPhotos(photos));
    t.equal(response.status, 400);
    t.ok(problemsOf(response).includes(problem), response.body);
  });

t.test('a required photo that is missing is a problem for forms and JSON, among the others', async (t) => {
  const { world, link } = await createPhotoWorld('required');
  const incomplete = { ...claim(), policy: { ...claim().policy, number: '' } };
  const expected = ['/policy/number minLength', '/incident/photos required'];
  t.strictSame(problemsOf(await world.submitForm(link, incomplete, JSON_WANTED)), expected);
  t.strictSame(problemsOf(await world.submitJson(link, incomplete)), expected);
  t.strictSame(problemsOf(await world.submitJson(link, withPhotos([]))), ['/incident/photos required']);
  await add(world, link, FIRST);
  t.strictSame(problemsOf(await world.submitJson(link, claim())), ['/incident/photos required']);
  t.equal((await world.submitForm(link)).status, 200);
});

t.test(
  'a client whose form takes no photos: a form has none, and JSON that names one is rejected',
  async (t) => {
    const { world, link } = await createPhotoWorld('optional');
    await add(world, link, FIRST);
    await world.claimlink.updateClient({ clientId: 'acme', settings: { form: null } });
    t.equal((await world.submitJson(link, withPhotos([{ id: UNKNOWN }]))).status, 400);
    t.equal((await world.submitForm(link)).status, 200);
    t.equal(storedPhotos(world), undefined);
    const without = await createWorld();
    const response = await without.submitJson(await without.mint(), withPhotos([{ id: UNKNOWN }]));
    t.strictSame(problemsOf(response), ['/incident/photos/0/id unknown_photo'], 'a process without photos');
  },
);

t.test('validateClaim gets the photos, also those that arrive while it runs', async (t) => {
  const calls: (readonly ClaimPhoto[] | undefined)[] = [];
  let uploads: Promise<unknown> = Promise.resolve();
  const { world, link } = await createPhotoWorld('optional', {
    async validateClaim({ incident }: AcceptedClaim) {
      calls.push(incident?.photos);
      if (calls.length > 1) return;
      uploads = add(world, link, SECOND);
      while ((await world.claimlink.listPhotos(...linkOf(link))).length < 2) await new Promise(setImmediate);
    },
  });
  await add(world, link, FIRST);
  await world.submitForm(link);
  t.strictSame(
    calls[0]?.map(({ id }) => id),
    [idOf(FIRST)],
  );
  t.strictSame(calls.slice(1), [TAKEN]);
  t.strictSame(storedPhotos(world), TAKEN);
  t.match(await uploads, { photoId: idOf(SECOND) });
});

t.test('the listing does not change by photos', async (t) => {
  const { world, link } = await createPhotoWorld();
  await add(world, link, FIRST);
  await world.submitForm(link);
  t.notMatch((await world.list()).body, /photo|incident/);
});

t.test('unchanged compares claims without their photos', async (t) => {
  for (const body of [claim(), withPhotos(undefined)]) {
    const { world, link } = await createPhotoWorld();
    await add(world, link, FIRST);
    await world.submitForm(link, body);
    t.equal(storedPhotos(world)?.length, 1);
    const unchanged = async (repeated: unknown) =>
      JSON.parse((await world.submitForm(link, repeated, JSON_WANTED)).body).data.unchanged;
    t.equal(await unchanged(body), true);
    const incident = { ...body.incident, photos: [{ id: UNKNOWN }] };
    t.equal(await unchanged({ ...body, incident }), true);
    t.equal(await unchanged(claim({ incident: { place: 'Elsewhere' } })), false);
  }
});

t.test('a photo that ends after the claim is not part of it: 410', async (t) => {
  const { world, link } = await createPhotoWorld();
  async function* body() {
    yield FIRST;
    await world.submitForm(link);
  }
  await t.rejects(add(world, link, FIRST, body()), {
    code: 'link_submitted',
    statusCode: 410,
    message: 'This photo is not part of the claim: it arrived after the claim was submitted.',
  });
  t.equal(storedPhotos(world), undefined);
});

t.test('a photo that ends while the claim is stored gets the result of the claim', async (t) => {
  // The storage waits until the photo of this name is stored.
  for (const [late, part] of [
    [FIRST, true],
    [SECOND, false],
  ] as const) {
    let uploads: Promise<unknown> = Promise.resolve();
    const { world, link } = await createPhotoWorld('optional', {
      wrapStorage: (storage) => ({
        ...storage,
        async submitLink(submission) {
          uploads = add(world, link, late);
          uploads.catch(() => {});
          await new Promise(setImmediate);
          return storage.submitLink(submission);
        },
      }),
    });
    await add(world, link, FIRST);
    await world.submitForm(link);
    if (part) t.match(await uploads, { photoId: idOf(FIRST) });
    else await t.rejects(uploads, { code: 'link_submitted', message: /^This photo is not part/ });
    t.equal(storedPhotos(world)?.length, 1);
  }
});

t.test('a process without the option photos takes no claim of a client that asks for photos', async (t) => {
  for (const need of ['optional', 'required'] as const) {
    const world = await createWorld({ client: { settings: { form: { photos: { need } } } } });
    const link = await world.mint();
    for (const response of [await world.submitJson(link, claim()), await world.submitForm(link)]) {
      t.equal(response.status, 503);
      t.ok(response.headers['retry-after']);
    }
    t.equal(outcomeOf(await world.submitJson(link, claim())), '503 settings_unknown');
    t.match(world.errors.at(-1)?.error, { message: /this process has no option photos/ });
    t.equal(world.storage.snapshot?.().sessions?.length ?? 0, 0);
  }
});

t.test('a client that asks for photos is rejected by a service without the option photos', async (t) => {
  const world = await createWorld();
  const settings = { form: { photos: { need: 'optional' } } } as const;
  const rejection = {
    code: 'request_invalid',
    message: /settings\.form\.photos needs the option photos of createClaimlink/,
  };
  await t.rejects(world.claimlink.updateClient({ clientId: 'acme', settings }), rejection);
  await t.rejects(world.claimlink.addClient({ clientId: 'new', settings }), rejection);
  const hidden = { form: { photos: { need: 'hidden' } } } as const;
  t.equal(await world.claimlink.updateClient({ clientId: 'acme', settings: hidden }), true);
});

t.test('the form of a link gets its photos, if its client takes some', async (t) => {
  const { world, link } = await createPhotoWorld();
  await add(world, link, FIRST);
  await world.open(link);
  t.strictSame(
    world.widget.forms.at(-1)?.photos,
    TAKEN.filter(({ id }) => id === idOf(FIRST)),
  );
  await world.claimlink.updateClient({ clientId: 'acme', settings: { form: null } });
  await world.open(link);
  t.equal(world.widget.forms.at(-1)?.photos, undefined);
});

t.test('onSubmit gets the photos', async (t) => {
  const { world, link } = await createPhotoWorld();
  await add(world, link, FIRST);
  await add(world, link, SECOND);
  await world.submitForm(link, withPhotos([{ id: idOf(FIRST) }]));
  while (world.events.length === 0) await new Promise(setImmediate);
  t.strictSame(world.events[0]?.session.incident?.photos, storedPhotos(world));
});

t.test('the export of a user has the photos of a claim', async (t) => {
  const { world, link } = await createPhotoWorld();
  await add(world, link, FIRST);
  await world.submitForm(link);
  const { sessions } = await world.claimlink.exportUser('acme', 'user-1');
  t.strictSame(sessions[0]?.incident?.photos, storedPhotos(world));
});
