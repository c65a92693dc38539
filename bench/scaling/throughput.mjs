// How many requests' worth of statements a second so many connections do, at one size.
import { createPostgresStorage } from '../../dist/lib/storage/postgres/index.js';
import { addLinks, apiKeyClient, apiKeyHash, linkCount, linkHash, userClient, userOf } from './dataset.mjs';
import { newLink, newSubmission } from './measure.mjs';

/** Links that are there to be submitted in each second: more than one machine's connections can. */
const LINKS_PER_SECOND = 10_000;

const authenticate = (storage, { key }) =>
  storage.findCredentials({ apiKeyHash: apiKeyHash(key), clientId: apiKeyClient(key) });

/** The statements of each HTTP request, as lib/core/service.ts sends them; the listing first, before rows are added. */
const REQUESTS = {
  'listing: authenticate, list 20': async (storage, { sample }) => {
    await authenticate(storage, sample);
    await storage.listSessions({ ...sample.owner, limit: 1000 });
  },
  'link: authenticate, insert': async (storage, { sample }) => {
    await authenticate(storage, sample);
    await storage.insertLink(newLink());
  },
  'submission: find, submit': async (storage, { link }) => {
    const found = await storage.findLink(link);
    const { outcome } = await storage.submitLink(newSubmission(found.link));
    if (outcome !== 'submitted') throw new Error(`a submission came to ${outcome}`);
  },
};

/** Runs each for so many seconds over so many connections at once. Resolves to `{ request, connections, perSecond }[]`. */
export async function measureThroughput(
  createPool,
  size,
  { connections, seconds, random, signal, progress },
) {
  const results = [];
  let nextLink = linkCount(size.sessions);
  for (const [request, run] of Object.entries(REQUESTS)) {
    for (const count of connections) {
      signal.throwIfAborted();
      progress(`throughput: ${request}, connections: ${count}`);
      const pool = createPool(count);
      try {
        const storage = createPostgresStorage(pool, { schema: size.schema });
        const last = nextLink + seconds * LINKS_PER_SECOND;
        if (request.startsWith('submission')) await addLinks(pool, size, nextLink, last - nextLink);
        let done = 0;
        const start = performance.now();
        const work = async () => {
          while (performance.now() < start + seconds * 1000 && !signal.aborted && nextLink < last) {
            const sample = size.samples[Math.floor(random() * size.samples.length)];
            const number = nextLink++;
            const link = {
              clientId: userClient(userOf(number, size.users)),
              accessCodeHash: linkHash(number),
            };
            await run(storage, { sample, link });
            done++;
          }
        };
        await Promise.all(Array.from({ length: count }, work));
        results.push({ request, connections: count, perSecond: done / ((performance.now() - start) / 1000) });
        nextLink = last;
      } finally {
        await pool.end();
      }
    }
  }
  return results;
}

/** Deletes every link of the size, as the sweep does, in its portions. Resolves to `{ links, seconds }`. */
export async function measureSweep(pool, { schema }) {
  const storage = createPostgresStorage(pool, { schema });
  const start = performance.now();
  const links = await storage.deleteExpiredLinks(new Date('2031-01-01T00:00:00Z'));
  return { links, seconds: (performance.now() - start) / 1000 };
}
