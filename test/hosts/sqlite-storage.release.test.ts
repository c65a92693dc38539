// The SQLite storage of examples/hosts passes the suite for storages.
import { join } from 'node:path';
import t from 'tap';
import type { Storage } from '../../lib/index.js';
import { type StorageRecords, storageSuite } from '../../lib/testing/index.js';
import { HAS_PACKAGES } from './installed.js';
import { FOLDER, load } from './load.js';

/** The part of a libsql database that the test uses. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown };
}

const toTime = (date: Date | undefined) => date?.getTime() ?? null;

if (HAS_PACKAGES) {
  const LibsqlDatabase: new (path: string) => Database = load('libsql');
  const { createSqliteStorage, TABLES } = await import(join(FOLDER, 'sqlite-storage.mjs'));
  const databases = new WeakMap<Storage, Database>();
  const createStorage = (): Storage => {
    const database = new LibsqlDatabase(':memory:');
    database.exec(TABLES);
    const storage: Storage = createSqliteStorage(database);
    databases.set(storage, database);
    return storage;
  };
  const provision = (storage: Storage, { clients, apiKeys, sessions }: StorageRecords) => {
    const insert = (table: string, ...values: unknown[]) => {
      const places = values.map(() => '?').join(', ');
      databases
        .get(storage)
        ?.prepare(`INSERT INTO ${table} VALUES (${places})`)
        .run(...values);
    };
    for (const { clientId, name = null, callbackOrigins: origins } of clients) {
      insert('tenants', clientId, name, origins ? JSON.stringify(origins) : null);
    }
    for (const { hash, clientId, expiresAt, revokedAt } of apiKeys) {
      insert('tenant_keys', hash, clientId, toTime(expiresAt), toTime(revokedAt));
    }
    for (const { clientId, userId, ...session } of sessions) {
      const { reference, status, createdAt } = session;
      insert('claims', clientId, reference, userId, status, toTime(createdAt), JSON.stringify(session));
    }
  };
  const cases = storageSuite(createStorage, { provision });
  t.ok(cases.length > 100);
  for (const { name, run } of cases) t.test(name, run);
}
