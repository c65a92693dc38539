// A lock file: keeps two processes from writing one file. That of a process which is gone is taken over.
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from './file-errors.js';

/** A lock that is held. */
export interface FileLock {
  /** Whether it still is: somebody may have deleted the lock file, and another process taken the place. */
  isHeld(): Promise<boolean>;
  /** Gives it up. */
  release(): Promise<void>;
}

/** Who holds a lock. */
interface Holder {
  pid: number;
  host: string;
  /** When it was taken: a process with the id of an earlier one began later. */
  since: string;
}

/** Thrown when a lock is held by a process that lives, or may live. The message is the end of a sentence. */
export class LockedError extends Error {}

const ATTEMPTS = 10;

/** The holder writes its lock right after it has made it. Whoever is slower than this was killed in between. */
const WRITING_MS = 200;
const POLL_MS = 10;

/**
 * Takes the lock `<file>.lock`. `asideOf` names files that may be left behind when this process is killed right now.
 * @throws `LockedError`; what the file system throws, such as ENOENT for a folder that is not there.
 */
export async function lockFile(file: string, asideOf: () => string): Promise<FileLock> {
  const path = `${file}.lock`;
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  const text = `${JSON.stringify({ ...holder, token: randomBytes(9).toString('base64url') })}\n`;
  const isHeld = async () => (await readLock(path)) === text;
  const release = async () => {
    if (await isHeld()) await rm(path, { force: true });
  };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const found = await readHolder(path);
      // Ours, when another process took it for stale, moved it away and has put it back.
      if (found?.text === text) return { isHeld, release };
      if (found?.holder !== undefined && isAlive(found.holder))
        throw new LockedError(inUse(found.holder, path));
      if (found !== undefined) await removeStale(path, found.text, asideOf());
      continue;
    }
    if (await isHeld()) return { isHeld, release };
  }
  throw new LockedError(
    `is in use by processes that begin at the same time; delete ${path} if there are none`,
  );
}

/** Of several that find the same stale lock one moves it away; whoever moves a fresh one puts it back. */
async function removeStale(path: string, stale: string, aside: string): Promise<void> {
  try {
    await rename(path, aside);
    if ((await readLock(aside)) !== stale) await link(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error))) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** undefined: the lock is gone. Without a holder: it was never written to its end. */
async function readHolder(path: string): Promise<{ text: string; holder?: Holder } | undefined> {
  for (let waited = 0; ; waited += POLL_MS) {
    const text = await readLock(path);
    if (text === undefined) return undefined;
    const holder = parseHolder(text);
    if (holder !== undefined) return { text, holder };
    if (waited >= WRITING_MS) return { text };
    await wait(POLL_MS);
  }
}

async function readLock(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, host, since } = Object(JSON.parse(text));
    const isHolder = Number.isSafeInteger(pid) && pid > 0 && typeof host === 'string';
    return isHolder ? { pid, host, since: String(since) } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, host, since }: Holder): boolean {
  // Nobody here can ask another machine, or another container: it may live.
  if (host !== hostname()) return true;
  if (pid !== process.pid) return isProcess(pid);
  const startedAt = new Date(Date.now() - process.uptime() * 1000);
  return since >= startedAt.toISOString();
}

function inUse({ pid, host }: Holder, path: string): string {
  if (host !== hostname())
    return `is in use by the process ${pid} on ${host}; if that one has ended, delete ${path}`;
  if (pid === process.pid) return 'is in use by another mock of this process; give each a file of its own';
  return `is in use by the process ${pid}; give each mock a file of its own, or, if that is no mock, delete ${path}`;
}

/** Whether there is a process of this id on this machine. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
