// Adds the sessions of another system, one JSON object in each line of a file. Run it as often as you want: it adds what is missing.
//   export DATABASE_URL=postgres://... CLAIMLINK_SCHEMA=claimlink
//   npm install pg
//   node import-sessions.mjs acme claims.jsonl
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createClaimlink, createLinkSigner, isClaimlinkError } from 'claimlink';
import { assertSchema, createPostgresStorage } from 'claimlink/postgres';
import pg from 'pg';

const WORKERS = 10; // one connection each
const [clientId = '', file = ''] = process.argv.slice(2);
const { DATABASE_URL, CLAIMLINK_SCHEMA } = process.env;

// #region map
/** Yours: returns the session of a row of your system. */
function toSession(row) {
  return {
    clientId,
    userId: row.customerId,
    reference: row.claimNumber,
    camsReference: row.caseNumber ?? row.claimNumber,
    status: row.state === 'closed' ? 'accepted' : 'in_review',
    createdAt: new Date(row.openedAt), // with a time zone: 2025-03-01T09:30:00Z
    date: new Date(row.reportedAt),
    selectedPolicy: {
      number: row.policyNumber,
      provider: 'Acme Insurance',
      validFrom: row.policyFrom ?? '',
      validTo: row.policyTo ?? '',
      holder: {
        firstName: row.firstName ?? '',
        lastName: row.lastName ?? '',
        id: row.customerId,
        phone: row.phone ?? '',
        email: row.email ?? '',
      },
      linkedContacts: [],
      vehicle: { licensePlate: row.plate ?? '' },
    },
    ...(row.damage && { incident: { date: row.damageDate, description: row.damage } }),
  };
}
// #endregion

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: WORKERS, connectionTimeoutMillis: 2000 });
pool.on('error', (error) => console.error(error.message)); // an idle connection broke
const tables = CLAIMLINK_SCHEMA ? { schema: CLAIMLINK_SCHEMA } : {};
await assertSchema(pool, tables);
const publicUrl = 'https://claims.example.com';
const claimlink = createClaimlink({
  storage: createPostgresStorage(pool, tables),
  publicUrl,
  signer: createLinkSigner({
    keys: [{ kid: 'import', algorithm: 'HS256', secret: randomBytes(32) }], // it signs no link
    issuer: publicUrl,
  }),
});

// #region add
/** Adds a session. Returns what became of it. */
async function add(line) {
  try {
    const session = toSession(JSON.parse(line));
    try {
      await claimlink.addSession(session);
      return 'added';
    } catch (error) {
      if (!isClaimlinkError(error) || error.code !== 'already_exists') throw error;
      const stored = await claimlink.findSession(clientId, session.reference);
      const isSame = stored?.userId === session.userId && stored.date.getTime() === session.date.getTime();
      return isSame ? 'present' : 'another session has this reference';
    }
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON';
    if (!isClaimlinkError(error) || error.code !== 'request_invalid') throw error; // run it again
    // A problem names a place and a rule, and no value.
    return error.problems.map(({ pointer, parameter, rule }) => `${pointer ?? parameter} ${rule}`).join(', ');
  }
}

const counts = { added: 0, present: 0, rejected: 0 };
const lines = createInterface({ input: createReadStream(file) })[Symbol.asyncIterator]();
let number = 0;

async function work() {
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const current = ++number;
    if (current % 1000 === 0) console.error(`line ${current}`);
    if (next.value.trim() === '') continue;
    const outcome = await add(next.value);
    if (outcome in counts) counts[outcome]++;
    else {
      counts.rejected++;
      console.error(`line ${current}: ${outcome}`);
    }
  }
}
await Promise.all(Array.from({ length: WORKERS }, work));
// #endregion

console.log(counts);
process.exitCode = counts.rejected > 0 ? 1 : 0;
await pool.end();
