// The bytes of the photos of a mock: beside its state, by client and SHA-256. What the state of no client names makes room.
import { ClaimlinkError } from '../../lib/index.js';
import { MIB } from './space.js';

/** Maximum size of the photos of a client, and of all clients. */
export const CLIENT_PHOTO_BYTES = 16 * MIB;
const ALL_BYTES = 64 * MIB;

/** What a small photo counts: it takes memory beside its bytes. */
const MIN_BYTES = 1024;

/** The bytes of a photo. */
export type Blocks = readonly Uint8Array[];

interface ClientBytes {
  /** Size of its photos, and of those that are on their way. */
  size: number;
  /** By SHA-256, in the order of arrival. */
  readonly photos: Map<string, { blocks: Blocks; size: number }>;
  /** Each returns the hashes that a state of the client names: a client that is replaced has two for a moment. */
  readonly states: Set<() => ReadonlySet<string>>;
}

/** The photos of a client. */
export type PhotoBytes = ReturnType<ReturnType<typeof createPhotoBytes>>;

/** Creates a function that returns the photos of a client. All clients share one space. */
export function createPhotoBytes() {
  const clients = new Map<string, ClientBytes>();
  let total = 0;

  function resize(client: ClientBytes, change: number): void {
    client.size += change;
    total += change;
  }

  /** Drops photos that no state of the client names, oldest first, until there is enough room. */
  function makeRoom(client: ClientBytes, hasRoom: () => boolean): void {
    if (hasRoom() || client.photos.size === 0) return;
    const named = new Set([...client.states].flatMap((hashes) => [...hashes()]));
    for (const [hash, { size }] of client.photos) {
      if (hasRoom()) return;
      if (named.has(hash)) continue;
      client.photos.delete(hash);
      resize(client, -size);
    }
  }

  return (clientId: string, hashes: () => ReadonlySet<string>) => {
    const client = clients.get(clientId) ?? { size: 0, photos: new Map(), states: new Set() };
    clients.set(clientId, client);
    client.states.add(hashes);

    return {
      has: (hash: string) => client.photos.has(hash),
      get: (hash: string) => client.photos.get(hash)?.blocks,
      /**
       * Reserves room for a photo. Returns a function to call once: it stores the photo, or without one gives the room back.
       * @throws `storage_unavailable` if there is no room.
       */
      reserve(bytes: number): (photo?: { hash: string; blocks: Blocks }) => void {
        const size = Math.max(bytes, MIN_BYTES);
        makeRoom(client, () => client.size + size <= CLIENT_PHOTO_BYTES);
        for (const each of [client, ...clients.values()]) makeRoom(each, () => total + size <= ALL_BYTES);
        if (client.size + size > CLIENT_PHOTO_BYTES || total + size > ALL_BYTES)
          throw new ClaimlinkError('storage_unavailable', 'The mock has no space for another photo.');
        resize(client, size);
        return (photo) => {
          if (photo === undefined || client.photos.has(photo.hash)) resize(client, -size);
          else client.photos.set(photo.hash, { blocks: photo.blocks, size });
        };
      },
      /** Ends a state of the client: its photos stay while there is room, since a snapshot may name them. */
      end(): void {
        client.states.delete(hashes);
        if (client.states.size === 0 && client.size === 0) clients.delete(clientId);
      },
    };
  };
}
