// Photos in folders: pending/<linkId> before the claim, claims/<linkId> after it. The name of a file is its SHA-256.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HEAD_BYTES, LIMITS, Rejection, typeOf } from './photo-limits.mjs';

/** One process uses the folder. It must not be a folder that a web server serves. */
export function createPhotoStore(folder) {
  const placeOf = (state, linkId) => join(folder, state, linkId);
  const incoming = join(folder, 'incoming');
  rmSync(incoming, { recursive: true, force: true }); // uploads that ended with their process
  for (const name of ['incoming', 'pending', 'claims'])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  /** Number of running uploads by link. */
  const running = new Map();
  const list = (path) => readdir(path).catch(() => []);

  return {
    /** Stores the body of a request as a photo of a link. Returns its SHA-256. @throws `Rejection` */
    async add(linkId, body) {
      const count = running.get(linkId) ?? 0;
      running.set(linkId, count + 1);
      const path = join(incoming, randomUUID());
      try {
        const stored = await list(placeOf('pending', linkId));
        if (stored.length + count >= LIMITS.photos) throw new Rejection('photos');
        const { sha256, extension } = await receive(body, path);
        await mkdir(placeOf('pending', linkId), { recursive: true, mode: 0o700 });
        await rename(path, join(placeOf('pending', linkId), `${sha256}.${extension}`));
        return sha256;
      } finally {
        await rm(path, { force: true });
        const left = running.get(linkId) - 1;
        if (left > 0) running.set(linkId, left);
        else running.delete(linkId);
      }
    },

    /** Removes a photo that no claim has yet. */
    async remove(linkId, sha256) {
      const names = await list(placeOf('pending', linkId));
      for (const name of names.filter((name) => name.startsWith(sha256)))
        await rm(join(placeOf('pending', linkId), name), { force: true });
    },

    /**
     * Ties photos to the claim of their link, and removes the others of the link. Returns how many of them there are. A further
     * call changes nothing.
     */
    async claim(linkId, hashes) {
      const [pending, claimed] = [placeOf('pending', linkId), placeOf('claims', linkId)];
      if (existsSync(claimed)) await rm(pending, { recursive: true, force: true });
      for (const name of await list(pending))
        if (!hashes.includes(name.split('.')[0])) await rm(join(pending, name), { force: true });
      if (existsSync(pending)) await rename(pending, claimed);
      return (await list(claimed)).length;
    },

    /** Removes the photos of a link that has no claim. */
    async discard(linkId) {
      await rm(placeOf('pending', linkId), { recursive: true, force: true });
    },

    /** Removes all photos of a link. In this order, a concurrent `claim` leaves none. */
    async delete(linkId) {
      for (const state of ['pending', 'claims'])
        await rm(placeOf(state, linkId), { recursive: true, force: true });
    },
  };
}

/** Reads the rest of a body without a use for it, up to the size of a photo. */
export async function drop(body) {
  let size = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > LIMITS.bytes) return;
    }
  } catch {} // the browser has gone
}

/** Writes a body to a new file. @throws `Rejection` */
async function receive(body, path) {
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let [size, head] = [0, Buffer.alloc(0)];
  try {
    // Otherwise a rejection would close the connection, and the browser would not get the reason.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > LIMITS.bytes) throw new Rejection('bytes');
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
      // The rest of a file of another type is read and dropped, for the same reason.
      if (head.length === HEAD_BYTES && typeOf(head) === undefined) continue;
      hash.update(chunk);
      await file.appendFile(chunk);
    }
    const extension = typeOf(head);
    if (extension === undefined) throw new Rejection('type');
    await file.sync();
    return { sha256: hash.digest('hex'), extension };
  } finally {
    await file.close();
  }
}
