// claimlink mock: starts the mock server, prints where it is, and closes it on a signal.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import type { MockServerOptions } from '../options.js';
import { errorCode } from '../scenario/file-problem.js';
import { hasColor } from '../terminal.js';
import type { CommandContext, CommandIo } from './command-io.js';
import { quote } from './curl.js';
import { type FlagReader, toUsageError, UsageError } from './flags.js';
import type { MOCK_FLAGS } from './mock-flags.js';
import { readyLine, startText } from './start-text.js';

type MockFlags = FlagReader<typeof MOCK_FLAGS>;

/** Resolves when a signal has closed the server. */
export async function runMock({ flags, env, io }: CommandContext<typeof MOCK_FLAGS>): Promise<void> {
  const { init, readyJson = false, log = 'pretty' } = flags.values;
  if (init) return writeScenario(flags.values.scenario, io);
  if (env['NODE_ENV'] === 'production') io.stderr.write(PRODUCTION_WARNING);
  if (env['CLAIMLINK_DATABASE_URL']) io.stderr.write(DATABASE_WARNING);
  const stop = untilStopped(io);
  try {
    const options = await readOptions(flags);
    const { startMockServer } = await import('../server.js');
    const mock = await startMockServer({ ...options, log, logStream: io.stderr });
    const shown = { ...flags.values, platform: process.platform, isColored: hasColor(io.stdout, env) };
    io.stdout.write(await (readyJson ? readyLine(mock, flags.values.noControl) : startText(mock, shown)));
    boundMemory();
    await stop.signal;
    await mock.close();
  } catch (error) {
    // These options have other names than their flags.
    throw toUsageError(error, flags, { tls: flags.nameOf('tlsCert'), control: flags.nameOf('noControl') });
  } finally {
    stop.forget();
  }
}

/**
 * Makes V8 collect garbage when the heap has grown by 40 %. By default it lets a heap grow to several times of its content.
 * A mock shares the machine of a developer, so less memory is worth more collections. They would delay the start.
 */
function boundMemory(): void {
  setFlagsFromString('--heap-growing-percent=40');
}

const PRODUCTION_WARNING =
  'claimlink: NODE_ENV is production, but this is a mock with generated data. Mount the real service with createClaimlink.\n';

const DATABASE_WARNING =
  'claimlink: the mock ignores CLAIMLINK_DATABASE_URL. Use --persist <file> to keep its state, or run the service on a database: examples/sandbox.mjs.\n';

/** Returns the options that the flags set, and reads the files that they name. */
async function readOptions(flags: MockFlags): Promise<MockServerOptions> {
  const { scenario, tlsCert, tlsKey, noControl, init, readyJson, ...others } = flags.values;
  const options: MockServerOptions = others;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key need each other.');
  if (others.clientCount !== undefined && others.clients !== undefined)
    throw new UsageError(
      `${flags.nameOf('clientCount')} cannot be used together with ${flags.nameOf('clients')}.`,
    );
  if (scenario !== undefined) {
    const { loadScenario } = await import('../scenario/scenario-file.js');
    options.scenario = await loadScenario(scenario);
  }
  if (tlsCert !== undefined)
    options.tls = { cert: await readPem(flags, 'tlsCert'), key: await readPem(flags, 'tlsKey') };
  if (noControl !== undefined) options.control = !noControl;
  return options;
}

async function writeScenario(file: string | undefined, io: CommandIo): Promise<void> {
  const { writeStarter } = await import('../scenario/scenario-starter.js');
  const path = await writeStarter(file);
  const word = /^[\w./-]+$/.test(path) ? path : quote(path);
  io.stdout.write(`Wrote ${path}. Start the mock with it: claimlink --scenario ${word}\n`);
}

async function readPem(flags: MockFlags, key: 'tlsCert' | 'tlsKey'): Promise<string> {
  try {
    return await readFile(flags.need(key), 'utf8');
  } catch (error) {
    throw new UsageError(
      `${flags.nameOf(key)} cannot be read (${errorCode(error)}). Name a file in PEM format.`,
    );
  }
}

/** The first SIGINT or SIGTERM asks for a clean end, the second one ends the process. */
function untilStopped(io: CommandIo): { signal: Promise<unknown>; forget(): void } {
  const stop = new AbortController();
  const listener = () => {
    if (stop.signal.aborted) io.exit(130);
    stop.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) io.on(name, listener);
  return {
    signal: once(stop.signal, 'abort'),
    forget() {
      for (const name of ['SIGINT', 'SIGTERM'] as const) io.off(name, listener);
    },
  };
}
