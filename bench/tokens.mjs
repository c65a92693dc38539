// Part `tokens`: the length of a link, and the CPU time of creating and opening one, with each format of the token.
import { createLinkSigner, createMemoryStorage } from '../dist/lib/index.js';
import { PUBLIC_URL, REQUESTS, SECRET } from './data.mjs';
import { medianOf, orderOf, progress, ratioOf, tableOf } from './rounds.mjs';
import { createService, handle, seed } from './service.mjs';

const FORMATS = ['jws', 'compact'];
const CLIENT_IDS = ['demo', 'nordlicht-versicherung', 'x'.repeat(100)];
const LINKS_PER_ROUND = 5000;

export async function run({ rounds, signal }) {
  const lengths = CLIENT_IDS.map((clientId) => [
    clientId.length > 30 ? `${clientId.length} characters` : clientId,
    ...FORMATS.flatMap((format) => {
      const { length } = signerOf(format).sign({
        accessCode: 'A'.repeat(22),
        clientId,
        issuedAt: new Date(),
        expiresAt: new Date(),
      });
      return [length, `${PUBLIC_URL}/verify/${'A'.repeat(22)}?token=`.length + length];
    }),
  ]);
  const columns = FORMATS.flatMap((format) => [`${format}: token`, `${format}: URL`]);
  console.log(`\n${tableOf(['client id', ...columns], lengths)}`);

  const times = Object.fromEntries(FORMATS.map((format) => [format, { create: [], open: [], both: [] }]));
  for (const format of FORMATS) await measure(format);
  for (let round = 0; round < rounds; round++)
    for (const format of orderOf(FORMATS, round)) {
      signal.throwIfAborted();
      progress(`round ${round + 1} of ${rounds}: ${format}`);
      const { create, open } = await measure(format);
      times[format].create.push(create);
      times[format].open.push(open);
      times[format].both.push(create + open);
    }
  progress('');
  const rows = Object.entries({
    create: 'create a link',
    open: 'open it, without the page',
    both: 'both',
  }).map(([step, title]) => {
    const { median, range } = ratioOf(times.compact[step], times.jws[step]);
    return [
      title,
      ...FORMATS.map((format) => medianOf(times[format][step]).toFixed(1)),
      median.toFixed(2),
      range,
    ];
  });
  console.log(`\n${tableOf(['CPU time', 'jws µs', 'compact µs', 'compact / jws', 'min–max'], rows)}`);
}

function signerOf(format) {
  return createLinkSigner({
    keys: [{ kid: '2026-01', algorithm: 'HS256', secret: SECRET }],
    issuer: PUBLIC_URL,
    format,
  });
}

/** Returns the microseconds of CPU time of a link, on a storage of its own. */
async function measure(format) {
  const storage = createMemoryStorage();
  await seed(storage);
  const claimlink = await createService({ storage, signer: signerOf(format) });
  const urls = [];
  const create = await timeOf(async () => {
    const { status, body } = await handle(claimlink, REQUESTS.link);
    if (status !== 200) throw new Error(`a link request got ${status}: ${body}`);
    urls.push(JSON.parse(body).data);
  });
  const open = await timeOf(async (index) => {
    const { pathname, searchParams } = new URL(urls[index]);
    await claimlink.openLink(pathname.slice('/verify/'.length), searchParams.get('token'));
  });
  return { create, open };
}

async function timeOf(step) {
  const before = process.cpuUsage();
  for (let index = 0; index < LINKS_PER_ROUND; index++) await step(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / LINKS_PER_ROUND;
}
