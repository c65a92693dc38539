// Sends photos to the host of examples/attachments, and looks at its folder.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { type RawResponse, send } from '../adapters/http-client.js';
import { ROOT, run } from '../package/programs.js';
import { REPOSITORY } from '../repository.js';
import { temporaryFile } from '../storage/sqlite-drivers.js';
import { type Host, pathOf, startHost } from './host.js';

const CLI = fileURLToPath(new URL('dist/cli/bin.js', REPOSITORY));
const PICTURE = readFileSync(new URL('docs/images/claim-form.png', REPOSITORY));

/** Returns a PNG that browsers show. Each number gives another file. */
export function photo(number: number): Buffer {
  return Buffer.concat([PICTURE, Buffer.from(String(number))]);
}

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The running example, with a folder and a database of its own. */
export interface PhotoHost extends Host {
  database: string;
  /** Paths of all files in the folder of photos, sorted. */
  files(): string[];
  /** Creates a link for a user. */
  createLink(userId: string): Promise<PhotoLink>;
  /** Runs a command of claimlink with the database of the host. Resolves to its output. */
  claimlink(...args: string[]): Promise<string>;
}

export interface PhotoLink {
  /** Path and query of the page. */
  path: string;
  accessCode: string;
  token: string;
}

export async function startPhotoHost(t: Test): Promise<PhotoHost> {
  const database = temporaryFile(t);
  const folder = join(dirname(database), 'photos');
  const host = await startHost(t, [pathOf('attachments/host.mjs')], {
    env: { DATABASE: database, PHOTOS: folder },
  });
  const request = JSON.parse(readFileSync(pathOf('attachments/link.json'), 'utf8'));
  return {
    ...host,
    database,
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort(),
    async createLink(currentUserId) {
      const response = await fetch(`${host.origin}/claims/acme/link`, {
        method: 'POST',
        headers: { 'x-api-key': host.key, 'content-type': 'application/json' },
        body: JSON.stringify({ ...request, config: { ...request.config, currentUserId } }),
      });
      const { data } = (await response.json()) as { data: string };
      const { pathname, search, searchParams } = new URL(data);
      return {
        path: pathname + search,
        accessCode: pathname.split('/').at(-1) ?? '',
        token: searchParams.get('token') ?? '',
      };
    },
    async claimlink(...args) {
      const flags = ['--client', 'acme', '--database', `sqlite:${database}`];
      return (await run(process.execPath, [CLI, ...args, ...flags], ROOT)).stdout;
    },
  };
}

/** Uploads bytes with a link. */
export function upload(
  { origin }: { origin: string },
  { accessCode, token }: Omit<PhotoLink, 'path'>,
  body: Uint8Array | readonly string[],
): Promise<RawResponse> {
  const headers = { authorization: `Bearer ${token}` };
  return send(origin, { method: 'POST', path: `/photos/${accessCode}`, headers, body });
}
