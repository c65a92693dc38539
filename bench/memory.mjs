// Part `memory`: whether the memory of a process stays the same while links are created and expire.
import { fileURLToPath } from 'node:url';
import { runNode } from './processes.mjs';
import { progress, tableOf } from './rounds.mjs';

const CREATE_LINKS = fileURLToPath(new URL('create-links.mjs', import.meta.url));
const LINKS_PER_ROUND = 200_000;
/** The memory storage sweeps now and then, so it holds a varying number of expired links. */
const MAX_GROWTH = 1.2;

export async function run({ rounds, signal }) {
  const total = rounds * LINKS_PER_ROUND;
  progress(`creating ${total} links`);
  const readings = JSON.parse(await runNode(['--expose-gc', CREATE_LINKS, `${total}`], { signal }));
  progress('');
  const toMegabytes = (bytes) => (bytes / 1e6).toFixed(0);
  const rows = readings.map(({ created, rss, heapUsed }) => [created, ...[rss, heapUsed].map(toMegabytes)]);
  console.log(`\n${tableOf(['links created', 'RSS MB', 'heap MB'], rows)}`);
  const growth = readings.at(-1).rss / readings[0].rss;
  const verdict = growth <= MAX_GROWTH ? 'yes' : 'NO';
  console.log(`\nRSS, last / first: ${growth.toFixed(2)}; at most ${MAX_GROWTH.toFixed(2)}: ${verdict}`);
}
