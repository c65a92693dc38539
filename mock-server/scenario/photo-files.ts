// The photos of links in a scenario file: names of files, which become data URLs.
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isRecord } from '../../lib/core/plain-data.js';
import { fileProblem } from './file-problem.js';
import { isDataUrl } from './photo-text.js';

const MIB = 1_048_576;
/** As the service takes them by default. */
const MAX_BYTES = 10 * MIB;
/** What a mock holds. */
const MAX_TOTAL_BYTES = 64 * MIB;

/**
 * Reads the photos that a scenario names, and puts data URLs in the place of their names. The scenario is not checked yet.
 * Returns the pointers of those that cannot be read, each with a sentence.
 * @param folder Names are relative to it.
 */
export async function readPhotoFiles(
  folder: string,
  scenario: unknown,
): Promise<{ pointer: string; detail: string }[]> {
  const problems: { pointer: string; detail: string }[] = [];
  let total = 0;

  /** Returns a photo as a data URL, or why it cannot be read. */
  async function readPhoto(name: string): Promise<{ url: string } | { problem: string }> {
    const path = resolve(folder, name);
    try {
      const { size } = await stat(path);
      if (size > MAX_BYTES) return { problem: `is larger than ${MAX_BYTES / MIB} MiB` };
      total += size;
      if (total > MAX_TOTAL_BYTES)
        return { problem: `is one too many: all photos have more than ${MAX_TOTAL_BYTES / MIB} MiB` };
      return { url: `data:;base64,${(await readFile(path)).toString('base64')}` };
    } catch (error) {
      return { problem: fileProblem(error) };
    }
  }

  for (const { photos, pointer } of photoLists(scenario))
    for (const [index, name] of photos.entries()) {
      if (typeof name !== 'string' || isDataUrl(name)) continue;
      const photo = await readPhoto(name);
      if ('url' in photo) photos[index] = photo.url;
      else problems.push({ pointer: `${pointer}/${index}`, detail: `${name} ${photo.problem}` });
    }
  return problems;
}

/** Yields the lists of photos with their pointers. */
function* photoLists(scenario: unknown): Generator<{ photos: unknown[]; pointer: string }> {
  for (const [client, { links }] of records(isRecord(scenario) && scenario['clients']))
    for (const [link, { photos }] of records(links))
      if (Array.isArray(photos)) yield { photos, pointer: `/clients/${client}/links/${link}/photos` };
}

function* records(list: unknown): Generator<[index: number, record: Readonly<Record<string, unknown>>]> {
  if (!Array.isArray(list)) return;
  for (const [index, each] of list.entries()) if (isRecord(each)) yield [index, each];
}
