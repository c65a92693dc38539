// Suites that run inside a runtime: the storage suite on the memory storage and on SQLite, the suite of photo stores, and every
// kind of link key, those with HMAC in both formats of the token.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createLinkSigner, createMemoryStorage } from 'claimlink';
import { createFolderStore, fromS3 } from 'claimlink/photos';
import { createSqliteStorage, migrate } from 'claimlink/sqlite';
import { photoStoreSuite, storageSuite } from 'claimlink/testing';
import { createMemoryPhotoStore } from '../../../build/lib/photos/memory.js';
import { createFakeS3 } from '../../../build/test/photos/fake-s3.js';

const CURVES = { 256: 'P-256', 384: 'P-384', 512: 'P-521' };

/** Returns one case for each kind of key: it signs a token and verifies it. */
function keyCases() {
  const cases = [];
  function add(name, algorithm, createKey, format = 'jws') {
    const run = async () => assertSigns({ kid: '1', algorithm, ...createKey() }, format);
    cases.push({ name, run });
  }
  const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
  for (const bits of [256, 384, 512]) {
    const hash = `sha${bits}`;
    const secretKey = () => ({ secret: randomBytes(64) });
    add(`HS${bits}`, `HS${bits}`, secretKey);
    add(`HS${bits}, compact`, `HS${bits}`, secretKey, 'compact');
    add(`RS${bits}`, `RS${bits}`, rsaKey);
    add(`PS${bits}`, `PS${bits}`, rsaKey);
    add(`PS${bits} with an RSA-PSS key`, `PS${bits}`, () =>
      generateKeyPairSync('rsa-pss', {
        modulusLength: 2048,
        hashAlgorithm: hash,
        mgf1HashAlgorithm: hash,
        saltLength: bits / 8,
      }),
    );
    add(`ES${bits}`, `ES${bits}`, () => generateKeyPairSync('ec', { namedCurve: CURVES[bits] }));
  }
  return cases;
}

function assertSigns(key, format) {
  const signer = createLinkSigner({ keys: [key], issuer: 'https://claims.example.com', format });
  const now = new Date('2026-01-01T00:00:00Z');
  const claims = {
    accessCode: 'q83vEjRWeJCrze8SNFZ4kA',
    clientId: 'acme',
    issuedAt: now,
    expiresAt: new Date(now.getTime() + 60_000),
  };
  const token = signer.sign(claims);
  if (token.includes('.') !== (format === 'jws')) throw new Error('The token has the other format.');
  const { clientId, accessCode } = signer.verify(token, now, claims.accessCode);
  if (accessCode !== claims.accessCode || clientId !== claims.clientId)
    throw new Error(`The token has the client ${clientId} and the access code ${accessCode}.`);
  let isAccepted = true;
  try {
    signer.verify(`${token.slice(0, -8)}AAAAAAAA`, now, claims.accessCode);
  } catch {
    isAccepted = false;
  }
  if (isAccepted) throw new Error('An altered token is accepted.');
}

async function runCases(cases) {
  const failed = [];
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (error) {
      failed.push({ name, message: String(error) });
    }
  }
  return { total: cases.length, failed };
}

/** Returns the cases of a store, also of two stores on one place. */
function photoCases(createPair) {
  return photoStoreSuite(async () => (await createPair())[0], { createPair });
}

function createS3Pair() {
  const s3 = createFakeS3('photos');
  return [1, 2].map(() => fromS3(s3, { bucket: 'photos' }));
}

/**
 * @param openDatabase opens a SQLite database in memory; undefined if the runtime has no SQLite
 * @param newFolder returns the path of a new folder; undefined if the runtime has no file system
 */
export async function runSuites(openDatabase, newFolder) {
  const createSqlite = async () => {
    const database = openDatabase();
    await migrate(database);
    return createSqliteStorage(database);
  };
  const createFolderPair = async () => {
    const folder = await newFolder();
    return [1, 2].map(() => createFolderStore(folder));
  };
  return {
    photosInMemory: await runCases(photoStoreSuite(createMemoryPhotoStore)),
    ...(newFolder && { photosInFolder: await runCases(photoCases(createFolderPair)) }),
    photosOnS3: await runCases(photoCases(createS3Pair)),
    storage: await runCases(storageSuite(() => createMemoryStorage())),
    ...(openDatabase && { sqlite: await runCases(storageSuite(createSqlite)) }),
    keys: await runCases(keyCases()),
  };
}
