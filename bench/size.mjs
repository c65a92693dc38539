// Part `size`: bytes of the package, and of an installation with its dependencies.

import { execFile } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { progress, tableOf } from './rounds.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export async function run({ against, signal, folder }) {
  const sizes = [];
  for (const checkout of against === undefined ? [ROOT] : [ROOT, against]) {
    progress(`packing and installing ${checkout}`);
    sizes.push(await measure(checkout, join(folder, `size-${sizes.length}`), signal));
  }
  progress('');
  const [own, other] = sizes;
  const rows = Object.entries(own).map(([name, value]) => [
    name,
    value.toLocaleString('en'),
    other?.[name].toLocaleString('en') ?? '',
    other === undefined ? '' : (value / other[name]).toFixed(2),
  ]);
  console.log(`\n${tableOf(['size', 'now', against ?? '', 'ratio to --against'], rows)}`);
}

/** Packs a checkout as it is built, installs the tarball in a folder and returns the sizes. */
async function measure(checkout, folder, signal) {
  const npm = async (cwd, ...args) => (await promisify(execFile)('npm', args, { cwd, signal })).stdout;
  await mkdir(folder);
  const packed = await npm(checkout, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder);
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`);
  const { files, bytes } = await sizeOf(join(folder, 'node_modules'));
  return {
    'tarball, bytes': size,
    'unpacked, bytes': unpackedSize,
    'unpacked, files': entryCount,
    'installed with dependencies, bytes': bytes,
    'installed with dependencies, files': files,
  };
}

/** Adds up the files below a folder. A file counts with its length, not with its blocks on the disk. */
async function sizeOf(folder) {
  let files = 0;
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return { files, bytes };
}
