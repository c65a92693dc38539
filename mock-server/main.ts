// The command line without the process: arguments, environment and streams come in, an exit code goes out.
import { createRequire } from 'node:module';
import { type CommandLine, type Environment, readCommandLine } from './command-line.js';
import { DEFAULT_HOST, DEFAULT_PORT } from './defaults.js';
import { FLAGS, type FlagKey, type FlagValues, UsageError } from './flags.js';
import { helpText } from './help.js';
import { hasColor, type LogStream } from './output.js';

/** What the command line needs of a process. */
export interface CommandIo {
  stdout: LogStream;
  stderr: LogStream;
  /** Where SIGINT and SIGTERM come from. */
  signals: {
    on(signal: NodeJS.Signals, listener: () => void): unknown;
    off(signal: NodeJS.Signals, listener: () => void): unknown;
  };
  /** Ends the process at once: the second signal. */
  exit(code: number): void;
}

/**
 * Runs a command. Resolves to the exit code: 0 done, 1 a bug of ours, 2 called in a way that cannot work.
 * `mock` resolves when a signal has closed the server.
 */
export async function main(argv: readonly string[], env: Environment, io: CommandIo): Promise<number> {
  let line: CommandLine | undefined;
  try {
    line = readCommandLine(argv, env);
    return await run(line, env, io);
  } catch (error) {
    const sentence = await usageSentence(error, line);
    if (sentence !== undefined) {
      io.stderr.write(`claimlink: ${sentence}\n`);
      return 2;
    }
    io.stderr.write(`claimlink: unexpected error\n${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
}

async function run({ command, values }: CommandLine, env: Environment, io: CommandIo): Promise<number> {
  if (command === 'help') io.stdout.write(helpText());
  else if (values.version) io.stdout.write(`${version()}\n`);
  else if (command === 'openapi') io.stdout.write(await openApiText(values.publicUrl));
  else await runMock(values, env, io);
  return 0;
}

async function runMock(values: FlagValues, env: Environment, io: CommandIo): Promise<void> {
  const stopped = untilStopped(io);
  try {
    // Loaded here: Fastify and faker are most of the start-up time, and the other commands need neither.
    const { startMockServer } = await import('./server.js');
    const { readyJson = false, help: _help, version: _version, ...options } = values;
    const mock = await startMockServer({
      log: 'pretty',
      ...options,
      logStream: io.stderr,
    });
    if (readyJson) {
      const { readyLine } = await import('./start-text.js');
      io.stdout.write(readyLine(mock));
    } else {
      const [{ startText }, { createSamples }, { createSeeder }] = await Promise.all([
        import('./start-text.js'),
        import('./samples.js'),
        import('./seed.js'),
      ]);
      // With the address that works on this machine, whatever the public URL is.
      const samples = createSamples({
        url: mock.url,
        publicUrl: mock.url,
        seeder: createSeeder({ seed: mock.seed }),
      });
      io.stdout.write(startText(mock, samples, hasColor(io.stdout, env)));
    }
    await stopped.signal;
    await mock.close();
  } finally {
    stopped.forget();
  }
}

/** The first SIGINT or SIGTERM asks for a clean end, the second one ends the process. */
function untilStopped(io: CommandIo): { signal: Promise<void>; forget(): void } {
  let count = 0;
  let stop: () => void = () => {};
  const signal = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const listener = () => {
    count++;
    if (count > 1) io.exit(130);
    stop();
  };
  io.signals.on('SIGINT', listener);
  io.signals.on('SIGTERM', listener);
  return {
    signal,
    forget() {
      io.signals.off('SIGINT', listener);
      io.signals.off('SIGTERM', listener);
    },
  };
}

async function openApiText(publicUrl = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`): Promise<string> {
  const { createClaimlink, createLinkSigner, createMemoryStorage } = await import('../lib/index.js');
  // The document needs neither storage nor keys, but a service has both.
  const signer = createLinkSigner({
    keys: [{ kid: 'unused', algorithm: 'HS256', secret: new Uint8Array(32) }],
    issuer: publicUrl,
  });
  const { openapi } = createClaimlink({ storage: createMemoryStorage(), signer, publicUrl });
  return `${JSON.stringify(openapi, null, 2)}\n`;
}

function version(): string {
  // By its own name, so that it is found from the sources as well as from dist.
  return String(createRequire(import.meta.url)('claimlink/package.json').version);
}

/** An error that the caller can mend, in terms of what the caller wrote. */
async function usageSentence(error: unknown, line: CommandLine | undefined): Promise<string | undefined> {
  if (error instanceof UsageError) return error.message;
  const { isClaimlinkError } = await import('../lib/index.js');
  if (!isClaimlinkError(error) || error.code !== 'options_invalid') return undefined;
  const sentences = (error.details ?? []).map(({ pointer = '', detail }) => {
    const [, key = '', , member] = pointer.split('/');
    const name = Object.hasOwn(FLAGS, key) ? line?.nameOf(key as FlagKey) : key;
    return `${name}${member ? `: ${member}` : ''} ${detail}`;
  });
  return `${sentences.join('; ')}.`;
}
