// Rules about the photos of a link. They apply to a deployment and a client that take photos.
import { createHash } from 'node:crypto';
import type { CreatedLink, Deployment } from './deployment.js';
import {
  expect,
  expectStatus,
  header,
  memberOf,
  NotApplicableError,
  objectOf,
  statusLine,
} from './expect.js';
import type { TextResponse } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
import { WANTS_JSON } from './samples.js';

/** The first bytes of a JPEG, and random ones. */
const PHOTO = Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(2000, 7)]);
const NO_PHOTO = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');

const idOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The photos of a link. */
interface LinkPhotos {
  list(): Promise<TextResponse>;
  send(bytes: Uint8Array, id?: string): Promise<TextResponse>;
  read(id: string): Promise<TextResponse>;
  remove(id: string): Promise<TextResponse>;
  ids(): Promise<unknown[]>;
}

/** Creates a link that takes photos. */
async function createPhotoLink(deployment: Deployment): Promise<LinkPhotos> {
  const photos = photosOf(deployment, await deployment.createOpenableLink());
  const { status } = await photos.list();
  if (status === 404) throw new NotApplicableError('the deployment, or this client of it, takes no photos');
  return photos;
}

function photosOf(deployment: Deployment, { url }: CreatedLink): LinkPhotos {
  function request(method: string, path: string, query = '', body?: Uint8Array): Promise<TextResponse> {
    const [start, parameters] = url.split('?', 2);
    return deployment.send({
      method,
      url: `${start}/photos${path}?${parameters}${query}`,
      title: `${method} /verify/<access_code>/photos${path && '/:photoId'}?token=<token>${query}`,
      headers: { ...WANTS_JSON, ...(body && { 'content-type': 'application/octet-stream' }) },
      ...(body && { body }),
    });
  }
  const list = () => request('GET', '');
  return {
    list,
    send: (bytes, id = idOf(bytes)) => request('POST', `/${id}`, '', bytes),
    read: (id) => request('GET', `/${id}`),
    remove: (id) => request('POST', `/${id}`, '&action=remove'),
    async ids() {
      const response = await list();
      expectStatus(response, 200);
      const data = memberOf(response, 'data');
      expect(Array.isArray(data), response, 'no list in data', 'a list of photos in data');
      return data.map((photo: unknown) => objectOf(photo)?.['id']);
    },
  };
}

/** Returns a rule whose check gets a link that takes photos. */
function rule(name: string, check: (photos: LinkPhotos) => Promise<void>): ContractRule {
  return { name, check: async (deployment) => check(await createPhotoLink(deployment)) };
}

export const photoSection: ContractSection = {
  section: 'Decision: photos',
  advice:
    'Take photos by their first bytes and their SHA-256, and serve them as attachments that run nothing.',
  rules: [
    rule('a photo is answered 200 with its id, type and size, also when it is sent again', async (photos) => {
      for (let n = 0; n < 2; n++) {
        const response = await photos.send(PHOTO);
        expectStatus(response, 200);
        const { id, type, size } = objectOf(memberOf(response, 'data')) ?? {};
        const isPhoto = id === idOf(PHOTO) && type === 'image/jpeg' && size === PHOTO.length;
        expect(isPhoto, response, 'another id, type or size', 'id, type and size of the photo in data');
      }
      const ids = await photos.ids();
      expect(ids.length === 1, 'the list of photos', `${ids.length} photos`, 'one photo');
    }),
    rule('bytes that are no photo are a 415, and bytes with another hash a 400', async (photos) => {
      expectStatus(await photos.send(NO_PHOTO), 415);
      expectStatus(await photos.send(PHOTO, '0'.repeat(64)), 400);
      const ids = await photos.ids();
      expect(ids.length === 0, 'the list of photos', `${ids.length} photos`, 'no photo');
    }),
    rule(
      'a photo is an attachment with its type, nosniff and a policy by which nothing runs',
      async (photos) => {
        expectStatus(await photos.send(PHOTO), 200);
        const response = await photos.read(idOf(PHOTO));
        expectStatus(response, 200);
        for (const [name, pattern] of [
          ['content-type', /^image\/jpeg$/],
          ['content-disposition', /^attachment\b/],
          ['x-content-type-options', /^nosniff$/],
          ['content-security-policy', /\bsandbox\b(?!.*\ballow-scripts\b)/],
        ] as const) {
          const value = header(response, name);
          expect(
            pattern.test(value),
            response,
            `${name}: ${value || 'none'}`,
            `${name} that matches ${pattern}`,
          );
        }
      },
    ),
    rule('a photo that was removed is not there', async (photos) => {
      expectStatus(await photos.send(PHOTO), 200);
      const removed = await photos.remove(idOf(PHOTO));
      expect(removed.status === 204, removed, statusLine(removed), '204');
      expectStatus(await photos.read(idOf(PHOTO)), 404);
    }),
  ],
};
