// Rules of delete and links, and of ids that are no names of files.
import type { PhotoLink, PhotoStore } from '../../core/photo-store.js';
import assert from '../storage-suite/assert.js';
import {
  assertAbsent,
  assertListed,
  assertStored,
  bodyOf,
  idOf,
  LINK,
  noAbort,
  OTHER_LINK,
  type PhotoRule,
  photoOf,
  withPhoto,
} from './photos.js';

const SIZE = 1000;

/** Client ids that are paths, reserved names, or the same for a file system that ignores case or forms of Unicode. */
const CLIENT_IDS = [
  'acme',
  'Acme',
  'a/b',
  '../acme',
  '..\\acme',
  '/etc/passwd',
  'CON',
  'acme.',
  'acme%2F',
  'clients',
  'caf\u00e9',
  'cafe\u0301',
  'a b\u2028c',
  '__proto__',
  'x'.repeat(100),
  '\u{1f600}'.repeat(50),
];

/** Ids that reach another photo, if a store makes a path or a key of them. */
function hostileIds(): string[] {
  const { linkId } = OTHER_LINK;
  return [
    '',
    '.',
    '..',
    `../${linkId}`,
    `../${linkId}/${photoOf(SIZE).photoId}`,
    `..%2F${linkId}`,
    `..\\${linkId}`,
    `/${linkId}`,
    `${linkId}/`,
    `${linkId}\0`,
    linkId.toUpperCase(),
    linkId.slice(0, 63),
    '%',
    '*',
    '__proto__',
    'x'.repeat(5000),
  ];
}

/** Returns all links, in pages. */
async function allLinks(store: PhotoStore, limit: number): Promise<PhotoLink[]> {
  const links: PhotoLink[] = [];
  for (;;) {
    const after = links.at(-1);
    const page = await store.links({ ...(after && { after }), limit });
    assert.ok(page.length <= limit, `a page has at most ${limit} links`);
    links.push(...page);
    if (page.length < limit) return links;
  }
}

function namesOf(links: readonly PhotoLink[]): string[] {
  return links.map(({ clientId, linkId }) => `${clientId} ${linkId}`).sort();
}

export const removingRules: readonly PhotoRule[] = [
  {
    name: 'delete removes the photos that it names, and no other one',
    async check(store) {
      const photos = [];
      for (const seed of [1, 2, 3]) photos.push(await withPhoto(store, SIZE, { seed }));
      const [first, second, third] = photos.map(({ photoId }) => photoId);
      await store.delete({ ...LINK, photoIds: [first ?? '', third ?? '', idOf('no photo')] });
      await assertListed(
        store,
        photos.filter(({ photoId }) => photoId === second),
      );
      for (const photo of photos) if (photo.photoId !== second) await assertAbsent(store, photo);
    },
  },
  {
    name: 'delete without ids removes all photos of the link, and of no other one',
    async check(store) {
      for (const seed of [1, 2, 3]) await withPhoto(store, SIZE, { seed });
      const other = await withPhoto(store, SIZE, OTHER_LINK);
      await store.delete(LINK);
      await assertListed(store, []);
      await assertListed(store, [other], OTHER_LINK);
      assert.deepEqual(namesOf(await allLinks(store, 10)), namesOf([OTHER_LINK]));
    },
  },
  {
    name: 'delete with an empty list of ids removes nothing',
    async check(store) {
      const photo = await withPhoto(store, SIZE);
      await store.delete({ ...LINK, photoIds: [] });
      await assertListed(store, [photo]);
    },
  },
  {
    name: 'delete of what is not there does nothing, also twice',
    async check(store) {
      for (let count = 0; count < 2; count++) {
        await store.delete(LINK);
        await store.delete({ ...LINK, photoIds: [idOf('no photo')] });
      }
      await assertListed(store, []);
    },
  },
  {
    name: 'a photo can be stored again after it was removed',
    async check(store) {
      const photo = await withPhoto(store, SIZE);
      await store.delete(LINK);
      await withPhoto(store, SIZE);
      await assertListed(store, [photo]);
      await assertStored(store, photo);
    },
  },
  {
    name: 'links returns each link with a photo once, whatever the size of its pages',
    async check(store) {
      const links = [LINK, OTHER_LINK, ...['b', 'c'].map((clientId) => ({ ...LINK, clientId }))];
      for (let index = 0; index < 6; index++) links.push({ clientId: 'd', linkId: idOf(`link ${index}`) });
      for (const link of links) for (const seed of [1, 2]) await withPhoto(store, SIZE, { ...link, seed });
      for (const limit of [1, 2, 3, 10, 100])
        assert.deepEqual(namesOf(await allLinks(store, limit)), namesOf(links));
    },
  },
  {
    name: 'links goes on after a link that was removed meanwhile',
    async check(store) {
      const links = [1, 2, 3, 4].map((number) => ({ clientId: 'acme', linkId: idOf(`link ${number}`) }));
      for (const link of links) await withPhoto(store, SIZE, link);
      const ordered = await allLinks(store, 10);
      const after = ordered[1] as PhotoLink;
      await store.delete(after);
      assert.deepEqual(await store.links({ after, limit: 10 }), ordered.slice(2));
    },
  },
  {
    name: 'each client has photos of its own, whatever the characters of its id',
    async check(store) {
      const photos = [];
      for (const [seed, clientId] of CLIENT_IDS.entries())
        photos.push({ clientId, photo: await withPhoto(store, SIZE + seed, { clientId, seed }) });
      for (const { clientId, photo } of photos) {
        await assertListed(store, [photo], { ...LINK, clientId });
        await assertStored(store, photo);
      }
      const links = CLIENT_IDS.map((clientId) => ({ ...LINK, clientId }));
      assert.deepEqual(namesOf(await allLinks(store, 5)), namesOf(links));
    },
  },
  {
    name: 'an id that claimlink does not make reaches no photo of another link',
    async check(store) {
      const other = await withPhoto(store, SIZE, OTHER_LINK);
      const signal = noAbort();
      /** A store may reject such an id, or treat it as that of another link. */
      const tolerate = async <T>(call: () => T): Promise<Awaited<T> | undefined> => {
        try {
          return await call();
        } catch {
          return undefined;
        }
      };
      for (const id of hostileIds()) {
        const link = { ...LINK, linkId: id };
        const photo = { ...LINK, photoId: id };
        assert.equal(await tolerate(() => store.get(photo)), undefined, JSON.stringify(id));
        assert.equal(
          await tolerate(() => store.get({ ...other, linkId: id })),
          undefined,
          JSON.stringify(id),
        );
        assert.deepEqual((await tolerate(() => store.list(link))) ?? [], [], JSON.stringify(id));
        await tolerate(() => store.delete({ ...LINK, photoIds: [id] }));
        await tolerate(() => store.delete(link));
        await tolerate(() => store.put(photoOf(SIZE, { photoId: id }), bodyOf(SIZE, 2), { signal }));
        await tolerate(() => store.put(photoOf(SIZE, { linkId: id, seed: 2 }), bodyOf(SIZE, 2), { signal }));
        await assertListed(store, [other], OTHER_LINK);
        await assertStored(store, other);
        await tolerate(() => store.delete(link));
      }
    },
  },
];
