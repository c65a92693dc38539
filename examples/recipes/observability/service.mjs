// The service that the tests of this folder trace. Its storage has no sessions of `user-lost`, but an error.
import { createClaimlink, createLinkSigner, createMemoryStorage, issueApiKey } from 'claimlink';

const publicUrl = 'https://claims.example.com';
const { key, hash } = issueApiKey();
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
    onError,
  });
  return {
    list: (userId) =>
      claimlink.handle({ method: 'GET', url: `/acme/sessions/${userId}`, headers: { 'x-api-key': key } }),
    get: (url) => claimlink.handle({ method: 'GET', url, headers: {} }),
  };
}
