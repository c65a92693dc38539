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

/** Builds the code. `undefined`, and the tests skipped in one line, in a copy without the history of the repository. */
export async function findOlderCode(t: Test): Promise<OlderCode | undefined> {
  const cwd = fileURLToPath(REPOSITORY);
  const hasHistory = await run('git', ['rev-parse', '--is-shallow-repository'], { cwd }).then(
    ({ stdout }) => stdout.trim() === 'false',
    () => false,
  );
  if (!hasHistory) {
    t.test('tests with 0.2.0 are skipped: they need the history of the repository', { skip: true }, () => {});
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-0.2.0-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, 'lib.tar');
  await run('git', ['archive', '--output', archive, COMMIT, 'lib'], { cwd });
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
