// Mints links for a long time while the clock goes on, and prints a line of JSON with its memory now and then.
import { createService, link } from './service.mjs';

const LIVE = 20_000;
const TTL_SECONDS = 60;
const total = Number(process.argv[2]);
const readings = process.argv[3].split(',').map(Number);

const service = createService({ linkTtlSeconds: TTL_SECONDS });
await settle();
print(0);
for (let minted = 1; minted <= total; minted++) {
  const { status, body } = await service.claimlink.handle(link());
  if (status !== 200) throw new Error(`no link, but ${status}: ${body}`);
  // So that LIVE links are younger than their time to live.
  service.advance((TTL_SECONDS * 1000) / LIVE);
  if (!readings.includes(minted)) continue;
  await settle();
  print(minted);
}

function print(minted) {
  const { rss, heapUsed } = process.memoryUsage();
  console.log(JSON.stringify({ minted, rss, heapUsed, held: service.countLinks() }));
}

/** Twice: what the first finds dead, such as entries of weak maps, may only be given back by the second. */
async function settle() {
  for (let i = 0; i < 2; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
