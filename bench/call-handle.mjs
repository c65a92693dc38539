// A process of the benchmark: calls `handle` of the build beside it, without HTTP, and prints the CPU time of each request.
// `compare.mjs` copies it into the folder of the other revision.
import pg from 'pg';
import { createMemoryStorage } from '../dist/lib/index.js';
import { createPostgresStorage, migrate } from '../dist/lib/storage/postgres/index.js';
import { CLAIM_BODY, LINK_BODY, REQUESTS, USER_ID } from './data.mjs';
import { medianOf } from './rounds.mjs';
import { createService, handle, seed } from './service.mjs';

const { url, schema } = JSON.parse(process.argv[2]);
const CALLERS = 8;
const BATCHES = 11;
/** The first batches are slower: they run before their code is compiled. */
const WARM_UP_BATCHES = 6;
let users = 0;

const pool = new pg.Pool({ connectionString: url });
await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
await migrate(pool, { schema });
const results = {
  memory: await measure(createMemoryStorage(), { listings: 5000, links: 1000, openings: 200 }),
  PostgreSQL: await measure(createPostgresStorage(pool, { schema }), {
    listings: 1000,
    links: 300,
    openings: 100,
  }),
};
await pool.end();
process.stdout.write(JSON.stringify(results));

/** Resolves to microseconds by the name of the request: the median of batches with these numbers of requests. */
async function measure(storage, numbers) {
  await seed(storage);
  const claimlink = await createService({ storage });
  const batches = [];
  for (let batch = 0; batch < BATCHES; batch++) batches.push(await measureBatch(claimlink, numbers));
  const measured = batches.slice(WARM_UP_BATCHES);
  return Object.fromEntries(
    Object.keys(batches[0]).map((name) => [name, medianOf(measured.map((batch) => batch[name]))]),
  );
}

async function measureBatch(claimlink, { listings, links, openings }) {
  const listing = await measureRequests(claimlink, Array(listings).fill(REQUESTS.listing));
  const link = await measureRequests(claimlink, Array.from({ length: links }, createLinkRequest));
  const paths = link.bodies.map((body) => JSON.parse(body).data.replace(/^https:\/\/[^/]+/, ''));
  const opening = await measureRequests(
    claimlink,
    paths.slice(0, openings).map((path) => ({ method: 'GET', path, headers: {}, body: '' })),
  );
  const headers = { 'content-type': 'application/json' };
  const submission = await measureRequests(
    claimlink,
    paths.map((path) => ({ method: 'POST', path, headers, body: CLAIM_BODY })),
  );
  return { listing: listing.cpu, link: link.cpu, opening: opening.cpu, submission: submission.cpu };
}

/** Each claim is of another user, so that no listing grows. */
function createLinkRequest() {
  return { ...REQUESTS.link, body: LINK_BODY.replaceAll(USER_ID, `claimant-${++users}`) };
}

async function measureRequests(claimlink, requests) {
  const bodies = [];
  let next = 0;
  const before = process.cpuUsage();
  const run = async () => {
    while (next < requests.length) {
      const request = requests[next++];
      const { status, body } = await handle(claimlink, request);
      if (status !== 200) throw new Error(`${request.method} ${request.path} got ${status}: ${body}`);
      bodies.push(body);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, run));
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / requests.length, bodies };
}
