// A folder as a user of the package has it: claimlink and its frameworks are installed, nothing else is there.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ROOT, run } from '../package/programs.js';

const INSTALLED = ['@types', 'express', 'fastify', 'libsql', 'pg', 'postgres'];
/** Removes the hooks that tap and c8 put into the environment of child processes. */
const CLEAN = ['-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE', '-u', 'NODE_TEST_CONTEXT'];

/** Creates the folder. `claimlink` in it is the built package, so that its types and subpaths count. */
export async function createWorkspace(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-docs-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/claimlink'), 'junction');
  for (const name of INSTALLED)
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
  return folder;
}

/** Creates the folder with the command line, and returns a function that runs lines of a shell in it to their end. */
export async function createShell(t: Test, env: NodeJS.ProcessEnv = {}) {
  const folder = await createWorkspace(t);
  const bin = join(ROOT, 'dist/cli/bin.js');
  await chmod(bin, 0o755);
  await mkdir(join(folder, 'node_modules/.bin'));
  await symlink(bin, join(folder, 'node_modules/.bin/claimlink'));
  return { folder, shell: (lines: string) => run('sh', ['-ec', lines], folder, env) };
}

/** A program that runs. */
export interface Program {
  child: ChildProcess;
  /** Returns what the program has written to stdout and stderr. */
  output(): string;
  /** Resolves when the output matches. Rejects if the program ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends the program and resolves when its output is complete. */
  stop(): Promise<void>;
}

/** Starts Node in a folder. */
export function startNode(
  t: Test,
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Program {
  const child = spawn('env', [...CLEAN, process.execPath, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const closed = once(child, 'close');
  async function stop(): Promise<void> {
    child.kill();
    await closed;
  }
  t.teardown(stop);
  return {
    child,
    output: () => output,
    stop,
    async waitFor(pattern) {
      for (;;) {
        const match = pattern.exec(output);
        if (match !== null) return match;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`The program ended: ${output}`);
        await Promise.race([once(child.stdout, 'data'), closed]);
      }
    },
  };
}
