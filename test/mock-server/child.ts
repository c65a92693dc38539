// Runs the built command line as a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { REPOSITORY } from '../repository.js';

const CLI = fileURLToPath(new URL('dist/cli/bin.js', REPOSITORY));

/** tap would count what is in dist for coverage of its own. */
const UNMEASURED = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS'];

export interface Child {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves when stdout matches. */
  until(pattern: RegExp): Promise<string>;
  /** Sends a signal and resolves to the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function startCli(
  t: Test,
  args: readonly string[],
  env: Record<string, string> = {},
  cli = CLI,
): Child {
  const child = spawn('env', [...UNMEASURED, process.execPath, cli, ...args], {
    env: { PATH: process.env['PATH'], ...env },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  t.teardown(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    async until(pattern) {
      while (!pattern.test(stdout)) {
        const ended = exited.then(([code]) => {
          throw new Error(`The process ended with ${code}: ${stderr}`);
        });
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
      return stdout;
    },
    async end(signal) {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}
