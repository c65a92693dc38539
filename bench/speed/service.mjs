// claimlink as a host would set it up, on the data of the benchmarks.
import { createClaimlink, createLinkSigner, createMemoryStorage, hashApiKey } from '../../dist/lib/index.js';
import { API_KEY, CLIENT, LINK_TTL_SECONDS, LISTING_SIZES, PUBLIC_URL, SECRET, sessionsOf } from './data.mjs';

const API_KEY_RECORD = {
  id: 'bench',
  clientId: CLIENT.clientId,
  hash: hashApiKey(API_KEY),
  createdAt: new Date('2026-01-01T00:00:00Z'),
};

/** A memory storage with all that the cases ask for. */
export function createSeededStorage() {
  const storage = createMemoryStorage();
  storage.insertClient(CLIENT);
  storage.insertApiKey(API_KEY_RECORD);
  for (const record of sessionRecords()) storage.insertSession(record);
  return storage;
}

/** Fills an empty storage, such as PostgreSQL's. */
export async function seed(storage) {
  await storage.insertClient(CLIENT);
  await storage.insertApiKey(API_KEY_RECORD);
  for (const record of sessionRecords()) await storage.insertSession(record);
}

/** `storage` defaults to a seeded memory storage. */
export function createService(storage = createSeededStorage()) {
  const key = { kid: '2026-01', algorithm: 'HS256', secret: SECRET };
  return createClaimlink({
    storage,
    signer: createLinkSigner({ keys: [key], issuer: PUBLIC_URL }),
    publicUrl: PUBLIC_URL,
    linkTtlSeconds: LINK_TTL_SECONDS,
    // What goes wrong under load must be seen.
    onError: (error, request) => console.error(request?.method, request?.path, error),
  });
}

function sessionRecords() {
  return LISTING_SIZES.flatMap((size) =>
    sessionsOf(size).map((session) => ({ ...session, clientId: CLIENT.clientId, userId: `user-${size}` })),
  );
}
