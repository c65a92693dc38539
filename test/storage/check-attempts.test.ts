// The attempts that findLink of the built-in storages tells, so that a locked link does not ask again.
import t from 'tap';
import type { CheckStorage, SearchStorage, Storage } from '../../lib/core/storage.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { createSqliteStorage, migrate } from '../../lib/storage/sqlite/index.js';
import { linkId, sampleLink } from '../../lib/testing/storage-suite/samples.js';
import { findPostgres, openTables } from './postgres-server.js';
import { DRIVERS, openDatabase } from './sqlite-drivers.js';

type Checked = Storage &
  CheckStorage &
  SearchStorage & { insertClient(client: { clientId: string }): unknown };

async function testAttempts(name: string, storage: Checked): Promise<void> {
  await t.test(
    `${name}: findLink and findLinks tell the number of attempts, and nothing of none`,
    async (t) => {
      const { clientId, accessCodeHash } = sampleLink();
      const id = linkId(accessCodeHash);
      await storage.insertClient({ clientId });
      await storage.insertLink(sampleLink());
      const read = async () => {
        const stored = await storage.findLink(id);
        t.same(await storage.findLinks({ accessCodeHash }), [stored]);
        return stored && 'checkAttempts' in stored ? stored.checkAttempts : 'absent';
      };
      t.equal(await read(), 'absent');
      for (let count = 0; count < 7; count++) await storage.takeAttempt({ ...id, limit: 5 });
      t.equal(await read(), 5);
      await storage.returnAttempt(id);
      t.equal(await read(), 4);
      for (let count = 0; count < 4; count++) await storage.returnAttempt(id);
      t.equal(await read(), 'absent');
      await storage.takeAttempt({ ...id, limit: 5 });
      await storage.unlockLink(id);
      t.equal(await read(), 'absent');
    },
  );
}

await testAttempts('memory', createMemoryStorage());
for (const [name, open] of Object.entries(DRIVERS)) {
  const database = openDatabase(t, open, ':memory:');
  await migrate(database);
  await testAttempts(name, createSqliteStorage(database));
}
const server = await findPostgres(t);
if (server !== undefined) await testAttempts('PostgreSQL', (await openTables(t, server)).storage);
