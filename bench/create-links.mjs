// A process of the benchmark: creates links while its clock runs, and prints its memory after each tenth of them.
import { LINK_TTL_SECONDS, REQUESTS } from './data.mjs';
import { createService, handle } from './service.mjs';

/** Links that are alive at the same time. */
const LIVE_LINKS = 20_000;
const total = Number(process.argv[2]);
const readings = [];
let now = Date.UTC(2026, 4, 4, 12);
const claimlink = await createService({ now: () => new Date(now) });
for (let created = 1; created <= total; created++) {
  const { status, body } = await handle(claimlink, REQUESTS.link);
  if (status !== 200) throw new Error(`a link request got ${status}: ${body}`);
  now += (LINK_TTL_SECONDS * 1000) / LIVE_LINKS;
  if (created % (total / 10) !== 0) continue;
  // A second collection frees what the first one only found, such as entries of weak maps.
  globalThis.gc();
  await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  readings.push({ created, rss, heapUsed });
}
process.stdout.write(JSON.stringify(readings));
