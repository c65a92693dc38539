// A service with photos over one database and one folder. It creates links, sends photos, submits and deletes until it is killed.
// Prints a line at each step, so that its parent can end it at any of them.
import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createClaimlink, createLinkSigner } from 'claimlink';
import { createFolderStore } from 'claimlink/photos';

const { database, folder, name, keys } = JSON.parse(process.env.KILL_PROCESS);
const CHUNK = 65_536;
const clientId = 'acme';
const print = (line) => writeSync(1, `${line}\n`);

async function openStorage() {
  if (database.file !== undefined) {
    const { createSqliteStorage } = await import('claimlink/sqlite');
    const { default: Database } = await import('libsql');
    return createSqliteStorage(new Database(database.file), { synchronous: 'normal' });
  }
  const { createPostgresStorage } = await import('claimlink/postgres');
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: database.url, max: 5, application_name: name });
  return createPostgresStorage(pool, { schema: database.schema });
}

/** Prints a line when a call of an object begins, and one when it has ended. */
function printing(object, ...names) {
  const calls = names.map((key) => [
    key,
    async (...args) => {
      print(`${key} begins`);
      const result = await object[key](...args);
      print(`${key} has ended`);
      return result;
    },
  ]);
  return { ...object, ...Object.fromEntries(calls) };
}

const storage = await openStorage();
const publicUrl = 'https://claims.example.com';
const claimlink = createClaimlink({
  storage: printing(storage, 'submitLink', 'deleteUser', 'settleEvent'),
  signer: createLinkSigner({ keys, issuer: publicUrl }),
  publicUrl,
  photos: { store: printing(createFolderStore(folder), 'put', 'delete') },
  onError: (error) => print(`error ${error}`),
});

async function* chunks(bytes) {
  for (let start = 0; start < bytes.length; start += CHUNK) {
    print('chunk');
    yield bytes.subarray(start, start + CHUNK);
    await setImmediate();
  }
}

async function addPhoto(link) {
  const bytes = Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), randomBytes(3 * CHUNK)]);
  const photoId = createHash('sha256').update(bytes).digest('hex');
  await claimlink.addPhoto(...link, { photoId, size: bytes.length, body: chunks(bytes) });
  return { id: photoId };
}

const claim = {
  policy: {
    number: 'P-1',
    provider: 'Acme',
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    holder: { firstName: 'Ada', lastName: 'Lovelace', phone: '+44 20 7946 0000', email: 'ada@example.com' },
    vehicle: { licensePlate: 'B-CL 1' },
  },
};

/** The life of one link. */
async function runLink(userId, kind) {
  const { url, linkId } = await claimlink.createLink(clientId, {
    callbackUrl: 'https://app.example.com/done',
    config: { contact: { email: 'help@example.com', phone: '+44 20 7946 0001' }, currentUserId: userId },
  });
  const { pathname, searchParams } = new URL(url);
  const link = [pathname.split('/').at(-1), searchParams.get('token')];
  const [removed, ...photos] = await Promise.all([addPhoto(link), addPhoto(link), addPhoto(link)]);
  await claimlink.removePhoto(...link, removed.id);
  if (kind === 0) return;
  if (kind === 1) {
    await claimlink.revokeLink(clientId, linkId);
    return;
  }
  // A photo that arrives while the claim is stored.
  const late = addPhoto(link).catch(() => {});
  await claimlink.submitClaim(...link, { ...claim, incident: { photos } });
  if (kind === 2) await claimlink.deleteUser(clientId, userId);
  await late;
}

const work = async (worker) => {
  for (let round = 0; ; round++) await runLink(`${name}-${worker}-${round}`, (worker + round) % 4);
};

print('ready');
process.stdin.on('close', () => process.exit()); // the parent process has ended
process.stdin.once('data', () => Promise.all([work(0), work(1), work(2)]));
