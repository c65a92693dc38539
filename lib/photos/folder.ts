// The folder store: photos as files below a folder.
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { invalidOption } from '../core/errors.js';
import type { PhotoEntry, PhotoLink, PhotoStore } from '../core/photo-store.js';
import { BLOCK_BYTES, readBlocks } from './photo-chunks.js';
import {
  assertPhotoId,
  clientNameOf,
  fileNameOf,
  isHexId,
  linkNameOf,
  parseFileName,
} from './photo-names.js';

/** Age from which a temporary file belongs to a process that is gone, in milliseconds. */
const LEFTOVER_AGE = 3_600_000;

/** How often a file is moved to a folder that another call removes at the same moment. */
const MOVES = 100;

/**
 * Creates a store of files below a folder, for one process or for several with the same disk. It creates the folder with
 * the first photo, for its own user alone (mode 0700). The names are hashes: no part of the input becomes a path. A photo is
 * written to a temporary file, synced and renamed, so no reader sees a part of one.
 *
 * @param path The folder. A relative path begins at the current folder of the process.
 * @throws `options_invalid` for an empty path.
 */
export function createFolderStore(path: string): PhotoStore {
  if (typeof path !== 'string' || path.trim() === '')
    throw invalidOption('/path', 'value', 'must be the path of a folder');
  const root = resolve(path);
  const temporary = join(root, 'tmp');
  const photos = join(root, 'photos');
  const clients = join(root, 'clients');
  const folderOf = (link: PhotoLink) => join(photos, linkNameOf(link));

  /** Writes a file so that it is there whole, or not at all, and stays after a loss of power. */
  async function write(target: string, blocks: AsyncIterable<Uint8Array> | readonly Uint8Array[]) {
    const draft = join(temporary, randomUUID());
    await makeFolder(temporary);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        for await (const block of blocks) await file.writeFile(block);
        await file.sync();
      } finally {
        await file.close();
      }
      await move(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    for (let folder = dirname(target); folder.length >= root.length; folder = dirname(folder))
      await syncFolder(folder);
    await syncFolder(dirname(root));
  }

  /** Writes the id of a client, which `links` returns. A hash does not tell it. */
  async function writeClient(clientId: string) {
    const target = join(clients, clientNameOf(clientId));
    const isThere = await stat(target).catch(ignoring('ENOENT'));
    if (!isThere) await write(target, [Buffer.from(clientId)]);
  }

  async function list(link: PhotoLink): Promise<PhotoEntry[]> {
    const folder = folderOf(link);
    const entries = (await namesIn(folder)).map(async (name): Promise<PhotoEntry[]> => {
      const photo = parseFileName(name);
      const file = photo && (await stat(join(folder, name)).catch(ignoring('ENOENT')));
      return file ? [{ ...photo, size: file.size }] : [];
    });
    return (await Promise.all(entries)).flat();
  }

  return {
    list,

    async put(photo, body, options) {
      const target = join(folderOf(photo), fileNameOf(photo));
      options.signal.throwIfAborted();
      await writeClient(photo.clientId);
      await write(target, readBlocks(photo, body, options, { reusesBlock: true }));
    },

    async get(ref) {
      assertPhotoId(ref.photoId);
      const photo = (await list(ref)).find(({ photoId }) => photoId === ref.photoId);
      return photo && { ...photo, body: readFileBlocks(join(folderOf(ref), fileNameOf(photo))) };
    },

    async delete({ photoIds, ...link }) {
      const folder = folderOf(link);
      const ids = photoIds && new Set(photoIds);
      for (const name of await namesIn(folder))
        if (ids === undefined || ids.has(parseFileName(name)?.photoId ?? ''))
          await rm(join(folder, name), { force: true });
      await rmdir(folder).catch(ignoring('ENOENT', 'ENOTEMPTY', 'EEXIST'));
    },

    async links({ after, limit }) {
      if (after === undefined) await removeLeftovers(temporary);
      const start = after === undefined ? '' : linkNameOf(after);
      const links: PhotoLink[] = [];
      for (const clientName of (await namesIn(photos)).filter(isHexId).sort()) {
        if (clientName < start.slice(0, clientName.length)) continue;
        const clientId = await readFile(join(clients, clientName), 'utf8').catch(ignoring('ENOENT'));
        if (clientId === undefined) continue;
        for (const linkId of (await namesIn(join(photos, clientName))).filter(isHexId).sort()) {
          if (`${clientName}/${linkId}` <= start) continue;
          if (links.length === limit) return links;
          links.push({ clientId, linkId });
        }
      }
      return links;
    },
  };
}

/** Returns a handler of errors: the result is undefined for these codes, and other errors are thrown again. */
function ignoring(...codes: readonly string[]) {
  return (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

/** Returns the names in a folder, none for a folder that is not there. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoring('ENOENT'))) ?? [];
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** Moves a file. A call that removes the last photo of the link may remove its folder before the file arrives. */
async function move(draft: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Node's mkdir fails as well if a folder that exists goes at this moment.
      await makeFolder(dirname(target));
      await rename(draft, target);
      return;
    } catch (error) {
      if (attempt === MOVES) throw error;
      ignoring('ENOENT')(error as NodeJS.ErrnoException);
    }
  }
}

/** Makes the names in a folder durable. Windows cannot; the folder may be gone, or above the one of the store. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r').catch(ignoring('ENOENT', 'EACCES'));
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}

/** Returns the bytes of a file. It opens the file when the first block is read. */
async function* readFileBlocks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file: FileHandle = await open(path, 'r');
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(BLOCK_BYTES), 0, BLOCK_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Removes temporary files of processes that are gone. */
async function removeLeftovers(temporary: string): Promise<void> {
  for (const name of await namesIn(temporary)) {
    const path = join(temporary, name);
    const file = await stat(path).catch(ignoring('ENOENT'));
    if (file !== undefined && Date.now() - file.mtimeMs > LEFTOVER_AGE) await rm(path, { force: true });
  }
}
