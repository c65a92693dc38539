// The service, for the route and for instrumentation.js. Next.js bundles the two apart and reloads them when you edit
// a file, so the service is a member of globalThis.
import { randomBytes } from 'node:crypto';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}/claims` } = process.env;

async function createHost() {
  const claimlink = createClaimlink({
    // For tests and first steps. In production: PostgreSQL, or a storage over your own tables.
    storage: createMemoryStorage(),
    publicUrl: PUBLIC_URL,
    // In production the secret comes from your secret store and outlives the process.
    signer: createLinkSigner({
      keys: [{ kid: 'dev', algorithm: 'HS256', secret: randomBytes(32) }],
      issuer: PUBLIC_URL,
    }),
    onSubmit: ({ session }) => console.error(`claim ${session.reference} was submitted`),
    onError: (error, request, submission) => console.error(request ?? submission, error),
  });
  await claimlink.addClient({ clientId: 'acme', name: 'Acme Insurance' });
  const { key } = await claimlink.addApiKey('acme'); // show the key once: only its hash is stored
  return { claimlink, key };
}

globalThis.claimlinkHost ??= createHost();
export const { claimlink, key } = await globalThis.claimlinkHost;
