// claimlink sessions photos: writes the photos of a claim to files.
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Administration } from '../lib/core/administration/index.js';
import type { PhotoStore } from '../lib/core/photo-store.js';
import type { Awaitable, ClaimPhoto, SessionRecord } from '../lib/core/types.js';
import { fileProblem } from '../mock-server/scenario/file-problem.js';
import type { CommandDatabase } from './command-database.js';
import type { CommandIo } from './command-io.js';
import { withAdministration } from './database.js';
import { hostReason } from './database-errors.js';
import { Flag, HostError, UsageError } from './flags.js';
import { withoutCredentials } from './secrets.js';
import { clientFlag, needRecord } from './service-commands.js';

/** Maximum duration of a call of the store in seconds. */
const CALL_SECONDS = 60;
/** Number of photos after which a line on stderr says how many are written. */
const PROGRESS = 10;

interface PhotoFlags {
  clientId?: string;
  to: string;
  photos?: string;
  verbose?: boolean;
}

export function addSessionPhotos(sessions: Command, io: CommandIo): void {
  sessions
    .command('photos <reference>')
    .description('write the photos of a claim to new files')
    .addOption(clientFlag('the client, if several have such a session'))
    .addOption(new Flag('--to <folder>', 'folder for the files (required)').makeOptionMandatory())
    .addOption(
      new Flag('--photos <store>', 'folder:PATH (default: the export photos of --storage)').withVariable(),
    )
    .addHelpText(
      'after',
      `
The files have names such as 01-3f9a0c12d4e5.jpg. No file is replaced.
Example: claimlink sessions photos S-8K2M9P4T6W1X3Z5B --to claim --photos folder:photos`,
    )
    .action((reference: string, flags: PhotoFlags, command: Command) =>
      withAdministration(command, async (administration, database) => {
        const session = await findOne(administration, reference, flags.clientId);
        const photos = session.incident?.photos ?? [];
        const { clientId, link } = session;
        if (photos.length === 0 || link === undefined) {
          io.stdout.write(`The session ${reference} of ${clientId} has no photos.\n`);
          return;
        }
        const store = await openStore(flags.photos, database);
        const ofStore = callsOf(flags.verbose === true);
        await writePhotos(io, { store, ofStore }, { clientId, linkId: link.linkId }, photos, flags.to);
      }),
    );
}

/** Finds the one session with a reference. @throws UsageError if there is none, or more without a client */
async function findOne(
  { findSession, findSessions }: Administration,
  reference: string,
  clientId: string | undefined,
): Promise<SessionRecord> {
  if (clientId !== undefined)
    return needRecord(await findSession(clientId, reference), `session ${reference}`, clientId);
  const [session, ...others] = await findSessions(reference);
  if (session === undefined) throw new UsageError(`There is no session ${reference}.`);
  if (others.length === 0) return session;
  const clients = [session, ...others].map((match) => match.clientId).sort();
  throw new UsageError(
    `Several clients have a session ${reference}: name one of them by --client: ${clients.join(', ')}.`,
  );
}

async function openStore(name: string | undefined, database: CommandDatabase): Promise<PhotoStore> {
  const { guardPhotoStore } = await import('../lib/core/guarded-photo-store.js');
  const store = name === undefined ? await database.openPhotos?.() : await openFolder(name);
  if (store === undefined) throw new UsageError('Name the store of the photos: --photos folder:PATH.');
  return guardPhotoStore(store, { callSeconds: CALL_SECONDS, bodySeconds: CALL_SECONDS });
}

async function openFolder(name: string): Promise<PhotoStore> {
  const [, path] = /^folder:(.+)$/s.exec(name) ?? [];
  if (path === undefined)
    throw new UsageError(
      '--photos must look like folder:PATH. Another store comes from the export photos of --storage.',
    );
  await stat(path).catch((error: unknown) => {
    throw new UsageError(`The folder of --photos ${fileProblem(error)}.`);
  });
  const { createFolderStore } = await import('../lib/photos/folder.js');
  return createFolderStore(path);
}

/** Writes photos in the order of the claim. Those that the store does not have are an error after the others. */
async function writePhotos(
  io: CommandIo,
  { store, ofStore }: { store: PhotoStore; ofStore: CallStore },
  link: { clientId: string; linkId: string },
  photos: readonly ClaimPhoto[],
  folder: string,
): Promise<void> {
  const { fileNameOf } = await import('../lib/photos/photo-names.js');
  const files = photos.map(({ id, type }, index) => {
    const extension = fileNameOf({ photoId: id, type }).split('.')[1];
    const number = String(index + 1).padStart(2, '0');
    return { photoId: id, path: join(folder, `${number}-${id.slice(0, 12)}.${extension}`) };
  });
  await onDisk(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  // Before the first file is written.
  for (const { path } of files)
    if (await stat(path).catch(() => undefined)) throw new UsageError(`--to: ${path} exists already.`);
  const missing: string[] = [];
  for (const [index, { photoId, path }] of files.entries()) {
    const photo = await ofStore(() => store.get({ ...link, photoId }));
    if (photo === undefined) missing.push(photoId);
    else await writePhoto(path, photo.body, ofStore);
    const count = index + 1;
    if (count % PROGRESS === 0 && count < files.length)
      io.stderr.write(`${count} of ${files.length} photos\n`);
  }
  const written = files.length - missing.length;
  io.stdout.write(`Wrote ${written} ${written === 1 ? 'photo' : 'photos'} to ${folder}.\n`);
  if (missing.length > 0)
    throw new UsageError(
      `The store does not have ${missing.length} of the ${files.length} photos of the claim. Is it the store of this database? Missing: ${missing.join(', ')}.`,
    );
}

/** Writes a new file whole, or not at all. */
async function writePhoto(path: string, body: AsyncIterable<Uint8Array>, ofStore: CallStore): Promise<void> {
  const file = await onDisk(path, () => open(path, 'wx', 0o600));
  try {
    const chunks = body[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await ofStore(() => chunks.next());
      if (done) return;
      await onDisk(path, () => file.writeFile(value));
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Calls the store. @throws HostError */
type CallStore = <T>(call: () => Awaitable<T>) => Promise<T>;

/** @param isVerbose whether an error of the store shows its message */
function callsOf(isVerbose: boolean): CallStore {
  return async (call) => {
    try {
      return await call();
    } catch (error) {
      const reason = isVerbose ? `. ${withoutCredentials(String(error))}` : ` ${hostReason(error)}`;
      throw new HostError(`The store of photos failed${reason}`);
    }
  };
}

/** Uses the disk of the caller. @throws UsageError */
async function onDisk<T>(path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new UsageError(`--to: ${path} ${fileProblem(error)}.`);
  }
}
