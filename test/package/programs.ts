// Runs programs as a user of the package does, and packs the tarball.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { REPOSITORY } from '../repository.js';

export const ROOT = fileURLToPath(REPOSITORY);
/** Type declarations for a folder that has none of its own. */
export const TYPES = join(ROOT, 'node_modules/@types');
export const TSC = join(ROOT, 'node_modules/.bin/tsc');

/** Removes the hooks that tap and c8 put into the environment of child processes. */
export const CLEAN: readonly string[] = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS'];

/** A program that hangs ends before tap ends the file, so that its output is shown. */
const TIMEOUT_MS = 120_000;

/** Runs a program to its end. Rejects with its output if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ stdout: string; stderr: string }> {
  const options = {
    cwd,
    env: { ...process.env, ...env },
    timeout: TIMEOUT_MS,
    maxBuffer: 16 * 1024 * 1024,
  };
  return promisify(execFile)('env', [...CLEAN, program, ...args], options).catch(
    (error: { message: string; stdout: string; stderr: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    },
  );
}

/** Creates a folder that is removed after the test. */
export async function createFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-package-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A packed tarball. */
export interface Tarball {
  file: string;
  /** Paths of the files in it. */
  paths: readonly string[];
}

/** Packs the built package. `prepack` would build it again, while other tests read dist/. */
export async function pack(folder: string): Promise<Tarball> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename, files }] = JSON.parse((await run('npm', args, ROOT)).stdout);
  return { file: join(folder, filename), paths: files.map(({ path }: { path: string }) => path) };
}

/** Installs packages into a folder. npm takes them from its cache where it can. */
export async function install(folder: string, ...packages: readonly string[]): Promise<void> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--omit=dev'];
  await run('npm', ['install', ...flags, ...packages], folder);
}

/** A folder in which the packed package is installed, and nothing else. */
export interface Installation {
  folder: string;
  tarball: Tarball;
}

let installation: Promise<Installation> | undefined;

/** Packs and installs the package once for all test files of this process. */
export function installPackage(): Promise<Installation> {
  installation ??= createInstallation();
  return installation;
}

async function createInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-installed-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const tarball = await pack(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await install(folder, tarball.file);
  await symlink(TYPES, join(folder, 'node_modules/@types'), 'junction');
  return { folder, tarball };
}
