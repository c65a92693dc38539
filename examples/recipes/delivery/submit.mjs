// A service in memory with a user who submits a claim, for the tests of this folder.
import { randomBytes } from 'node:crypto';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';

const publicUrl = 'https://claims.example.com';
const policy = {
  number: 'P-100',
  provider: 'Acme',
  validFrom: '2026-01-01',
  validTo: '2026-12-31',
  holder: { firstName: 'Ada', lastName: 'Lovelace', phone: '+44 1', email: 'ada@example.com' },
  vehicle: { licensePlate: 'B-CL 2026' },
};

/** Creates the service. `advance` moves its clock by seconds. */
export function createService(onSubmit) {
  let time = Date.now();
  const claimlink = createClaimlink({
    storage: createMemoryStorage({ clients: [{ clientId: 'acme' }] }),
    signer: createLinkSigner({
      keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }],
      issuer: publicUrl,
    }),
    publicUrl,
    now: () => new Date(time),
    onSubmit,
    onError: () => {},
  });
  const advance = (seconds) => {
    time += seconds * 1000;
  };
  return { claimlink, advance };
}

/** Submits a claim, waits until its delivery has ended, and returns its reference. */
export async function submitClaim(claimlink) {
  const { url } = await claimlink.createLink('acme', {
    callbackUrl: 'https://app.example.com/done',
    config: {
      contact: { email: 'help@example.com', phone: '+44 2' },
      currentUserId: 'user-1',
      extra: { case: 'K-7' },
    },
  });
  const { pathname, searchParams } = new URL(url);
  const [, , accessCode] = pathname.split('/');
  const { reference } = await claimlink.submitClaim(accessCode, searchParams.get('token'), { policy });
  await claimlink.idle();
  return reference;
}
