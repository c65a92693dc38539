// The service that the tests of this folder trace. Its storage has no sessions of `user-lost`, but an error. The first
// delivery of a claim fails.
import { createClaimlink, createLinkSigner, createMemoryStorage, issueApiKey } from 'claimlink';

const publicUrl = 'https://claims.example.com';
const { key, hash } = issueApiKey();
const policy = {
  number: 'P-100',
  provider: 'Acme',
  validFrom: '2026-01-01',
  validTo: '2026-12-31',
  holder: { firstName: 'Ada', lastName: 'Lovelace', phone: '+44 1', email: 'ada@example.com' },
  vehicle: { licensePlate: 'B-CL 2026' },
};
const storage = createMemoryStorage({
  clients: [{ clientId: 'acme' }],
  apiKeys: [{ id: 'key-1', clientId: 'acme', hash, createdAt: new Date() }],
});

/** Creates a service. */
export function createService(onError) {
  const claimlink = createClaimlink({
    storage: {
      ...storage,
      async listSessions(query) {
        if (query.userId === 'user-lost') throw new Error('The database is down.');
        return storage.listSessions(query);
      },
    },
    signer: createLinkSigner({
      keys: [{ kid: '1', algorithm: 'HS256', secret: 'a secret for tests, of over 32 bytes' }],
      issuer: publicUrl,
    }),
    publicUrl,
    onSubmit({ attempt }) {
      if (attempt === 1) throw Object.assign(new Error('for Ada'), { code: 'ECONNREFUSED' });
    },
    onError,
  });
  return {
    /** Submits a claim, and waits for its delivery. */
    async submit() {
      const { url } = await claimlink.createLink('acme', {
        callbackUrl: 'https://app.example.com/done',
        config: { contact: { email: 'help@example.com', phone: '+44 2' }, currentUserId: 'user-1' },
      });
      const { pathname, searchParams } = new URL(url);
      await claimlink.submitClaim(pathname.split('/').at(-1), searchParams.get('token'), { policy });
      await claimlink.idle();
    },
    list: (userId) =>
      claimlink.handle({ method: 'GET', url: `/acme/sessions/${userId}`, headers: { 'x-api-key': key } }),
    get: (url) => claimlink.handle({ method: 'GET', url, headers: {} }),
  };
}
