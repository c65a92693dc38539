// What the three example hosts share: a service over in-memory storage, with one client, one key and one session.
import { randomBytes } from 'node:crypto';
import { createClaimlink, createLinkSigner, createMemoryStorage, hashApiKey } from 'claimlink';

export function createService(publicUrl) {
  const storage = createMemoryStorage({
    clients: [{ clientId: 'acme', name: 'Acme Insurance' }],
    // Issue real keys with issueApiKey(): show the key once, store its hash.
    apiKeys: [{ id: 'key-1', clientId: 'acme', hash: hashApiKey('clk_example'), createdAt: new Date() }],
  });
  return createClaimlink({
    storage,
    publicUrl,
    signer: createLinkSigner({
      // In production the secret comes from your secret store and outlives the process.
      keys: [{ kid: '2026-01', algorithm: 'HS256', secret: randomBytes(32) }],
      issuer: publicUrl,
    }),
    onSubmit: ({ session }) => console.error(`claim ${session.reference} is in`),
    onError: (error, request) => console.error(request, error),
  });
}

export const port = Number(process.env.PORT ?? 3000);
/** What users reach the service under. Behind a proxy that is its URL, not the port's. */
export const publicUrl = process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}/claims`;
