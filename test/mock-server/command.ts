// Runs the command line in this process.
import { EventEmitter } from 'node:events';
import { main } from '../../cli/main.js';
import { createSink } from './client.js';

type Environment = Record<string, string>;

/** Everything that a command line writes, and ways to run it. */
export function setUp(isTTY = false) {
  const stdout = createSink(isTTY);
  const stderr = createSink();
  const signals = new EventEmitter();
  const exits: number[] = [];
  const exit = (code: number) => exits.push(code);
  const io = Object.assign(signals, { stdout, stderr, exit, env: {} });
  const runWords = (args: readonly string[], env: Environment = {}) =>
    withEnvironment(env, () => main(args, Object.assign(io, { env })));
  const run = (args: string, env: Environment = {}) => runWords(args.split(' ').filter(Boolean), env);
  /** Runs the mock until stdout has the pattern, calls back with the match, and ends it with a signal. */
  async function runMock(args: string, env: Environment, use: (ready: string) => Promise<void> | void) {
    const written = new Promise<void>((resolve) => {
      const write = stdout.write;
      stdout.write = (text: string) => {
        write(text);
        resolve();
      };
    });
    const code = run(args, env);
    await Promise.race([written, code]);
    await use(stdout.text);
    signals.emit('SIGTERM');
    return code;
  }
  return { io, stdout, stderr, signals, exits, run, runWords, runMock };
}

/** Calls a function that reads variables from `process.env` before it returns, as commander does. */
export function withEnvironment<T>(env: Environment, call: () => T): T {
  const actual = process.env;
  process.env = { ...env };
  try {
    return call();
  } finally {
    process.env = actual;
  }
}

/** Runs a command line that is a mistake; gives its sentence. */
export async function mistake(args: string, env: Environment = {}): Promise<string> {
  const { run, stdout, stderr } = setUp();
  const code = await run(args, env);
  if (code !== 2 || stdout.text !== '') throw new Error(`exit code ${code}, stdout ${stdout.text}`);
  return stderr.text;
}
