// claimlink with the options of a usual host and the data of the benchmark.
import { createClaimlink, createLinkSigner, createMemoryStorage, hashApiKey } from '../dist/lib/index.js';
import {
  API_KEY,
  CLIENT,
  createSessions,
  INVALID_LINK_REQUEST,
  LINK_TTL_SECONDS,
  PUBLIC_URL,
  REQUESTS,
  SECRET,
  USER_ID,
} from './data.mjs';

/** Writes the client, its key and its sessions into an empty storage. */
export async function seed(storage) {
  await storage.insertClient(CLIENT);
  await storage.insertApiKey({
    id: 'bench',
    clientId: CLIENT.clientId,
    hash: hashApiKey(API_KEY),
    createdAt: new Date('2026-01-01T00:00:00Z'),
  });
  for (const session of createSessions())
    await storage.insertSession({ ...session, clientId: CLIENT.clientId, userId: USER_ID });
}

/** Creates the service on a seeded memory storage. `options` replace options of createClaimlink. */
export async function createService(options = {}) {
  const storage = options.storage ?? createMemoryStorage();
  if (options.storage === undefined) await seed(storage);
  return createClaimlink({
    signer: createLinkSigner({
      keys: [{ kid: '2026-01', algorithm: 'HS256', secret: SECRET }],
      issuer: PUBLIC_URL,
    }),
    publicUrl: PUBLIC_URL,
    linkTtlSeconds: LINK_TTL_SECONDS,
    // The harness shows what a server printed when its answers are wrong.
    onError: (error, request) => console.error(request?.method, request?.path, error),
    ...options,
    storage,
  });
}

/** Sends a request of `data.mjs` to a service without HTTP. */
export function handle(claimlink, { method, path, headers, body }) {
  return claimlink.handle({ method, url: path, headers, body: async () => Buffer.from(body) });
}

/** Resolves to claimlink's own responses by the names in `REQUESTS`, and `invalidLink`. */
export async function createResponses() {
  const claimlink = await createService();
  const requests = { ...REQUESTS, invalidLink: INVALID_LINK_REQUEST };
  const responses = {};
  for (const [name, request] of Object.entries(requests)) responses[name] = await handle(claimlink, request);
  return responses;
}
