// The methods that add and list photos of links, as the form of a link does.
import { photosOf } from '../../lib/core/photo-settings.js';
import { isRecord } from '../../lib/core/plain-data.js';
import { ClaimlinkError } from '../../lib/index.js';
import { invalidValue } from '../control/errors.js';
import type { ClientSelection, MockLink, MockPhoto } from '../control/types.js';
import { photoBytes, photoIdOf, photoProblem } from '../scenario/photo-text.js';
import { createSeedPhoto } from '../seed/seed-photo.js';
import type { MockClientState } from './mock-client.js';

/** Names a link by its URL or `linkId`. */
export interface LinkSelection extends ClientSelection {
  link: string;
}

/** A link that a method has found. */
export interface LinkTarget {
  client: MockClientState;
  link: MockLink;
  accessCode: string;
  token: string;
}

/** @param find Finds a link. @throws `link_not_found` */
export function createLinkPhotos(find: (selection: LinkSelection) => LinkTarget) {
  /** Adds a photo, as bytes. */
  async function add({ client, link, accessCode, token }: LinkTarget, bytes: Uint8Array): Promise<MockPhoto> {
    if (photosOf(client.client.settings).need === 'hidden')
      throw new ClaimlinkError(
        'photo_limit_reached',
        'The form of the client takes no photos. Set form.photos of its settings.',
      );
    const sent = { photoId: photoIdOf(bytes), size: bytes.length, body: once(bytes) };
    const proof = client.proofOf(link.linkId);
    const { photoId, ...entry } = await client.service.claimlink.addPhoto(accessCode, token, sent, proof);
    return { id: photoId, ...entry, isMissing: false };
  }

  /** Adds a photo that is generated: another one for each photo of the link. */
  function addGenerated(target: LinkTarget): Promise<MockPhoto> {
    const { clientId, userId, linkId } = target.link;
    const ordinals = [target.client.ordinalOf(linkId), target.client.photosOf(linkId).length + 1];
    return add(target, createSeedPhoto(JSON.stringify([clientId, userId, ...ordinals])));
  }

  return {
    /** Adds photos as texts, one after another. @throws `request_invalid` before it adds any */
    async addAll(target: LinkTarget, photos: readonly string[] = []): Promise<MockPhoto[]> {
      const all = photos.map((photo, index) => decode(photo, `/photos/${index}`));
      const added: MockPhoto[] = [];
      for (const bytes of all) added.push(await add(target, bytes));
      return added;
    },
    /** Returns the photos that a generated claim names: all of its link, and one at least if the form requires it. */
    async claimed(target: LinkTarget): Promise<readonly MockPhoto[]> {
      const { client, link } = target;
      const present = client.photosOf(link.linkId).filter(({ isMissing }) => !isMissing);
      const isRequired = photosOf(client.client.settings).need === 'required';
      return isRequired && present.length === 0 ? [await addGenerated(target)] : present;
    },
    methods: {
      /** Returns a photo with its bytes, or undefined if the link does not have it. */
      readPhoto({ photoId, ...selection }: LinkSelection & { photoId: string }) {
        const { client, link } = find(selection);
        const isListed = client.photosOf(link.linkId).some(({ id }) => id === photoId);
        return isListed ? client.readPhoto(link.linkId, photoId) : undefined;
      },
      photos(selection: LinkSelection): readonly MockPhoto[] {
        const { client, link } = find(selection);
        return client.photosOf(link.linkId);
      },
      async addPhoto({ photo, ...selection }: LinkSelection & { photo?: string }): Promise<MockPhoto> {
        const target = find(selection);
        return photo === undefined ? addGenerated(target) : add(target, decode(photo, '/photo'));
      },
    },
  };
}

/** Returns a claim that names further photos. */
export function withPhotos(claim: unknown, photos: readonly MockPhoto[]): unknown {
  if (photos.length === 0 || !isRecord(claim) || !isRecord(claim['incident'])) return claim;
  const { photos: named } = claim['incident'];
  const others: unknown[] = Array.isArray(named) ? named : [];
  const isNamed = (id: string) => others.some((other) => isRecord(other) && other['id'] === id);
  const added = photos.filter(({ id }) => !isNamed(id)).map(({ id }) => ({ id }));
  return { ...claim, incident: { ...claim['incident'], photos: [...others, ...added] } };
}

/** @throws `request_invalid` */
function decode(text: string, pointer: string): Uint8Array {
  const problem = photoProblem(text, pointer);
  if (problem !== undefined) throw invalidValue('The input', [problem]);
  return photoBytes(text) as Uint8Array;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
