// claimlink mock: starts the mock server, says where it is, and ends it with a signal.
import type { CommandIo } from './command-io.js';
import type { CommandLine, Environment } from './command-line.js';
import type { DatabasePool } from './database.js';
import { UsageError } from './flags.js';
import { createLog } from './log.js';
import { hasColor } from './output.js';
import { createSamples } from './samples.js';
import { createSeeder } from './seed.js';
import { type MockServer, startMockServer } from './server.js';
import { readyLine, startText } from './start-text.js';

/** Connections of a mock to its database. */
const POOL_SIZE = 10;

/** How long they may take to end. */
const POOL_END_MS = 3000;

/** Resolves when a signal has closed the server. */
export async function runMock(line: CommandLine, env: Environment, io: CommandIo): Promise<void> {
  const { readyJson = false, databaseUrl, schema, log = 'pretty', ...options } = line.values;
  if (databaseUrl === undefined && line.isGiven('schema'))
    throw new UsageError('--schema needs --database-url.');
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
      ...(pool && { database: pool, ...(schema !== undefined && { schema }) }),
    });
    io.stdout.write(
      readyJson ? readyLine(mock) : greeting(mock, pool !== undefined, hasColor(io.stdout, env)),
    );
    await stopped.signal;
    await mock.close();
  } finally {
    await endPool(pool, io);
    stopped.forget();
  }
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

function greeting(mock: MockServer, isDurable: boolean, isColored: boolean): string {
  // With the address that works on this machine, whatever the public URL is.
  const samples = createSamples({
    url: mock.url,
    publicUrl: mock.url,
    seeder: createSeeder({ seed: mock.seed }),
  });
  return startText(mock, samples, { isDurable, isColored });
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
