// One of several processes on a SQLite file. Prints `ready`, then does a task when its stdin says so.
import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isClaimlinkError } from 'claimlink';
import { createSqliteStorage, migrate } from 'claimlink/sqlite';
import Database from 'libsql';

const [file, task, name, count] = process.argv.slice(2);
const database = new Database(file);
const print = (line) => writeSync(1, `${line}\n`);
const clientId = 'acme';

function createSession(reference) {
  const now = new Date();
  const selectedPolicy = { number: 'P-1', provider: 'Acme', holder: {}, linkedContacts: [] };
  return {
    reference,
    date: now,
    camsReference: 'C-1',
    status: 'submitted',
    createdAt: now,
    selectedPolicy,
    link: { linkId: 'x' },
  };
}

/** Repeats a call that another process locked out, as a caller repeats a request after a 503. */
async function persist(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (!isClaimlinkError(error) || error.code !== 'storage_unavailable') throw error;
      await setImmediate();
    }
  }
}

const TASKS = {
  /** Prints the versions that the call applied. */
  async migrate() {
    print(JSON.stringify(await migrate(database)));
  },

  /** Submits each link five times, and prints the reference that each submission got. */
  async contest() {
    const storage = createSqliteStorage(database);
    for (let round = 0; round < 5; round++)
      for (let index = 0; index < Number(count); index++) {
        const accessCodeHash = `hash-${index}`;
        const session = createSession(`${name}-${round}-${index}`);
        const submission = { clientId, accessCodeHash, at: new Date(), session };
        const result = await persist(() => storage.submitLink(submission));
        print(`${result.outcome} ${accessCodeHash} ${result.session?.reference}`);
        await setImmediate();
      }
  },

  /** Creates and submits links until it is killed. Prints each reference when the submission is acknowledged. */
  async submit() {
    const storage = createSqliteStorage(database);
    for (let index = 0; ; index++) {
      const accessCodeHash = `${name}-${index}`;
      const now = new Date();
      const expiresAt = new Date(now.getTime() + 60_000);
      const config = { contact: { email: 'a@example.com', phone: '1' }, currentUserId: 'user-1' };
      const callback = { callbackUrl: 'https://a.example', callbackOnSubmit: true };
      const link = {
        accessCodeHash,
        clientId,
        userId: 'user-1',
        ...callback,
        config,
        createdAt: now,
        expiresAt,
      };
      storage.insertLink(link);
      const session = createSession(accessCodeHash);
      const event = { id: accessCodeHash, attempts: 0, nextAttemptAt: now };
      const { outcome } = storage.submitLink({ clientId, accessCodeHash, at: now, session, event });
      print(`${outcome} ${accessCodeHash}`);
    }
  },
};

print('ready');
process.stdin.once('data', async () => {
  await TASKS[task]();
  database.close();
  process.stdin.destroy();
});
