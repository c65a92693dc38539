// Suites that run inside a runtime: the storage suite on the memory storage and on SQLite, and every kind of link key.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createLinkSigner, createMemoryStorage } from 'claimlink';
import { createSqliteStorage, migrate } from 'claimlink/sqlite';
import { storageSuite } from 'claimlink/testing';

const CURVES = { 256: 'P-256', 384: 'P-384', 512: 'P-521' };

/** Returns one case for each kind of key: it signs a token and verifies it. */
function keyCases() {
  const cases = [];
  function add(name, algorithm, createKey) {
    const run = async () => assertSigns({ kid: '1', algorithm, ...createKey() });
    cases.push({ name, run });
  }
  const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
  for (const bits of [256, 384, 512]) {
    const hash = `sha${bits}`;
    add(`HS${bits}`, `HS${bits}`, () => ({ secret: randomBytes(64) }));
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

function assertSigns(key) {
  const signer = createLinkSigner({ keys: [key], issuer: 'https://claims.example.com' });
  const now = new Date('2026-01-01T00:00:00Z');
  const claims = {
    accessCode: 'code',
    clientId: 'acme',
    issuedAt: now,
    expiresAt: new Date(now.getTime() + 60_000),
  };
  const { accessCode } = signer.verify(signer.sign(claims), now);
  if (accessCode !== claims.accessCode) throw new Error(`The token has the access code ${accessCode}.`);
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

/** @param openDatabase opens a SQLite database in memory; undefined if the runtime has no SQLite */
export async function runSuites(openDatabase) {
  const createSqlite = async () => {
    const database = openDatabase();
    await migrate(database);
    return createSqliteStorage(database);
  };
  return {
    storage: await runCases(storageSuite(() => createMemoryStorage())),
    ...(openDatabase && { sqlite: await runCases(storageSuite(createSqlite)) }),
    keys: await runCases(keyCases()),
  };
}
