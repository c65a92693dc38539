// The PostgreSQL storage of 0.2.0 and its storage suite, built from the commit of the release.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Test } from 'tap';
import type { LifeEvent } from '../../lib/core/storage.js';
import type { migrate, PostgresDatabase, PostgresStorage } from '../../lib/storage/postgres/index.js';
import type { storageSuite } from '../../lib/testing/index.js';
import { REPOSITORY } from '../repository.js';

const run = promisify(execFile);

const COMMIT = '4dc99014';

/** What its storage has beside the methods of this version. */
interface OlderLifeStorage {
  leaseLifeEvents(query: {
    at: Date;
    leaseUntil: Date;
    limit: number;
  }): Promise<readonly { event: LifeEvent; attempts: number }[]>;
  settleLifeEvent(key: { id: string }): Promise<void>;
  listLifeEvents(query: {
    state: 'pending' | 'failed';
    limit: number;
  }): Promise<readonly { event: LifeEvent; attempts: number }[]>;
}

/** The code of 0.2.0. */
export interface OlderCode {
  createPostgresStorage(database: PostgresDatabase, options?: object): PostgresStorage & OlderLifeStorage;
  migrate: typeof migrate;
  assertSchema(database: PostgresDatabase, options?: object): Promise<void>;
  storageSuite: typeof storageSuite;
}

/** Builds the code. `undefined`, and the test skipped in one line, in a copy without history; a failure under CI=true. */
export async function findOlderCode(t: Test): Promise<OlderCode | undefined> {
  const cwd = fileURLToPath(REPOSITORY);
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-0.2.0-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, 'lib.tar');
  try {
    await run('git', ['archive', '--output', archive, COMMIT, 'lib'], { cwd });
  } catch (error) {
    const message = `the commit of 0.2.0 is not there: ${(error as Error).message}`;
    if (process.env['CI']) t.fail(message);
    else t.test(`tests with 0.2.0 are skipped: ${message}`, { skip: true }, () => {});
    return undefined;
  }
  await run('tar', ['-xf', archive, '-C', folder]);
  const outfile = join(folder, 'older.mjs');
  await build({
    stdin: {
      contents: `export * from './lib/storage/postgres/index.ts'; export * from './lib/testing/storage-suite/suite.ts';`,
      resolveDir: folder,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}
