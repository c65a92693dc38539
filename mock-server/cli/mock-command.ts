// claimlink mock: starts the mock server, says where it is, and ends it with a signal.
import { readFile } from 'node:fs/promises';
import { quote } from '../dashboard/samples.js';
import { createLog } from '../http/log.js';
import type { MockServerOptions } from '../options.js';
import type { Scenario } from '../scenario/scenario.js';
import { startMockServer } from '../server.js';
import type { CommandIo } from './command-io.js';
import type { CommandLine, Environment } from './command-line.js';
import type { DatabasePool } from './database.js';
import { type FlagKey, UsageError } from './flags.js';
import { hasColor } from './output.js';
import { readyLine, type StartTextOptions, startText } from './start-text.js';

/** Connections of a mock to its database. */
const POOL_SIZE = 10;

/** How long they may take to end. */
const POOL_END_MS = 3000;

/** Resolves when a signal has closed the server. */
export async function runMock(line: CommandLine, env: Environment, io: CommandIo): Promise<void> {
  const { readyJson = false, databaseUrl, log = 'pretty', init } = line.values;
  if (init) return writeScenario(line, io);
  const options = await readOptions(line);
  if (env['NODE_ENV'] === 'production') io.stderr.write(PRODUCTION_WARNING);
  const stopped = untilStopped(io);
  let pool: DatabasePool | undefined;
  try {
    if (databaseUrl !== undefined) {
      const { openPool } = await import('./database.js');
      const onError = (error: Error) => createLog(log, io.stderr).error(error);
      pool = await openPool(databaseUrl, { max: POOL_SIZE, onError });
    }
    const mock = await startMockServer({
      ...options,
      log,
      logStream: io.stderr,
      ...(pool && { database: pool }),
    });
    io.stdout.write(
      readyJson
        ? readyLine(mock)
        : startText(mock, { ...shownOf(line), isColored: hasColor(io.stdout, env) }),
    );
    await stopped.signal;
    await mock.close();
  } finally {
    await endPool(pool, io);
    stopped.forget();
  }
}

const PRODUCTION_WARNING =
  'claimlink: this is a mock, on made-up data, and NODE_ENV is production; the real service is mounted with createClaimlink.\n';

/** What the flags say, as options; files that they name are read. */
async function readOptions(line: CommandLine): Promise<MockServerOptions> {
  const { values } = line;
  const { databaseUrl, schema, scenario, tlsCert, tlsKey, noControl } = values;
  if (databaseUrl === undefined && line.isGiven('schema'))
    throw new UsageError('--schema needs --database-url.');
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key go together: give both, or neither.');
  return {
    ...pick(values, OPTION_KEYS),
    ...(databaseUrl !== undefined && schema !== undefined && { schema }),
    ...(scenario !== undefined && { scenario: await loadScenarioOf(scenario) }),
    ...(tlsCert !== undefined &&
      tlsKey !== undefined && {
        tls: { cert: await readPem(line, 'tlsCert', tlsCert), key: await readPem(line, 'tlsKey', tlsKey) },
      }),
    ...(noControl !== undefined && { control: !noControl }),
  };
}

/** Flags that are options of the same name and the same values. */
const OPTION_KEYS = [
  'port',
  'host',
  'publicUrl',
  'corsOrigins',
  'seed',
  'refDate',
  'clientCount',
  'userCount',
  'sessionCount',
  'clients',
  'persistFile',
  'latencyMs',
  'errorRate',
  'controlToken',
] as const satisfies readonly (FlagKey & keyof MockServerOptions)[];

/** The members of those names that are there. */
function pick<T extends object, K extends keyof T>(values: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    keys.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]),
  ) as Pick<T, K>;
}

async function loadScenarioOf(path: string): Promise<Scenario> {
  const { loadScenario } = await import('../scenario/scenario-file.js');
  return loadScenario(path);
}

async function writeScenario(line: CommandLine, io: CommandIo): Promise<void> {
  const { writeStarter } = await import('../scenario/scenario-starter.js');
  const path = await writeStarter(line.values.scenario);
  io.stdout.write(
    `Wrote ${path}. Start the mock with it: claimlink --scenario ${/^[\w./-]+$/.test(path) ? path : quote(path)}\n`,
  );
}

async function readPem(line: CommandLine, key: FlagKey, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    throw new UsageError(`${line.nameOf(key)} cannot be read (${code}); name a file in PEM form.`);
  }
}

/** What the start text tells of. */
function shownOf({ values }: CommandLine): Omit<StartTextOptions, 'isColored'> {
  const { databaseUrl, persistFile, latencyMs, errorRate, noControl } = values;
  return {
    keptIn: databaseUrl === undefined ? persistFile : 'PostgreSQL',
    latencyMs,
    errorRate,
    hasControl: noControl !== true,
  };
}

/** A statement that is stuck in the database must not keep the process. */
async function endPool(pool: DatabasePool | undefined, io: CommandIo): Promise<void> {
  const timer = setTimeout(() => io.exit(0), POOL_END_MS);
  try {
    await pool?.end();
  } finally {
    clearTimeout(timer);
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
