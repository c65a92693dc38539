// Shows a failed delivery within a minute: rehearsal.db then has one, for `claimlink deliveries`. The receiver is away for five days
// of a clock of its own. Run: node failed.mjs. After `claimlink deliveries retry`: node failed.mjs --receiver-works
import { randomBytes } from 'node:crypto';
import { createClaimlink, createLinkSigner } from 'claimlink';
import { createSqliteStorage, migrate } from 'claimlink/sqlite';
import { openSqlite } from '../open-sqlite.mjs';

const HOUR_MS = 3_600_000;
const isAway = !process.argv.includes('--receiver-works');
let time = Date.now() - (isAway ? 120 * HOUR_MS : 0);

const database = await openSqlite('rehearsal.db');
await migrate(database);
const publicUrl = 'https://claims.example.com';
const claimlink = createClaimlink({
  storage: createSqliteStorage(database),
  publicUrl,
  signer: createLinkSigner({
    keys: [{ kid: 'rehearsal', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: publicUrl,
  }),
  now: () => new Date(time),
  onSubmit({ session }) {
    if (isAway) throw Object.assign(new Error('The receiver is away.'), { code: 'HTTP_503' });
    console.log(`delivered ${session.reference}`);
  },
  onError(error, _request, { reference, attempt, isFinal }) {
    console.log(`${reference}, attempt ${attempt}: ${error.code}${isFinal ? ', the last one' : ''}`);
  },
});

if (isAway) {
  const clientId = `rehearsal-${randomBytes(3).toString('hex')}`;
  await claimlink.addClient({ clientId });
  const config = { contact: { email: 'help@example.com', phone: '+44 2' }, currentUserId: 'user-1' };
  const { url } = await claimlink.createLink(clientId, {
    callbackUrl: 'https://app.example.com/done',
    config,
  });
  const { pathname, searchParams } = new URL(url);
  await claimlink.submitClaim(pathname.split('/').at(-1), searchParams.get('token'), {
    policy: {
      number: 'P-100',
      provider: 'Acme',
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      holder: { firstName: 'Ada', lastName: 'Lovelace', phone: '+44 1', email: 'ada@example.com' },
      vehicle: { licensePlate: 'B-CL 2026' },
    },
  });
  await claimlink.idle();
}
let result = await claimlink.deliverPending();
// The longest delay between two attempts is six hours.
while (isAway && result.pending > 0) {
  time += 6 * HOUR_MS;
  result = await claimlink.deliverPending();
}
console.log(result); // alert if `failed` is more than 0
database.close();
