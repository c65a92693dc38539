// What of a link costs what: a bare server that does one step more each, beside claimlink. bench/README.md says more.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CASES } from './speed/cases.mjs';
import { generator } from './speed/load.mjs';
import { measureRates } from './speed/measure.mjs';
import { describe, ratioOf, tableOf, toJson } from './speed/report.mjs';
import { describeMachine, readFlags, runBenchmark, toCount } from './speed/run.mjs';
import { isPinned } from './speed/server-process.mjs';
import { prepareServers, SERVERS, versionsOf } from './speed/servers.mjs';
import { summarizeCases } from './speed/speed-tables.mjs';

const USAGE = `node bench/link-steps.mjs [flags]
  --rounds 5         each measures every server once
  --seconds 2        of one measurement; the first of a server is after three of warm-up
  --connections 32   that are kept busy
  --json file        write all figures there, too`;

const flags = readFlags(USAGE, {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '32' },
  json: { type: 'string' },
});
const rounds = toCount(USAGE, 'rounds', flags.rounds, 1);
const seconds = toCount(USAGE, 'seconds', flags.seconds, 1);
const connections = toCount(USAGE, 'connections', flags.connections, 1);

const FLOOR = fileURLToPath(new URL('speed/servers/link-floor.mjs', import.meta.url));
const STEPS = {
  read: 'reads the body',
  parse: '... parses it',
  validate: '... holds it against its schema (ajv)',
  key: '... hashes the API key',
  store: '... draws and hashes an access code, keeps the request',
  sign: '... signs a token (HMAC-SHA-256), answers the URL',
};

const servers = [
  SERVERS.find(({ id }) => id === 'bare-node'),
  ...Object.entries(STEPS).map(([step, name]) => ({
    id: step,
    name,
    cases: ['link'],
    answers: step === 'sign' ? 'same' : 'constant',
    toArgs: (port) => [FLOOR, `${port}`, step],
  })),
  SERVERS.find(({ id }) => id === 'claimlink-node'),
];

await runBenchmark('link-steps', async (context) => {
  await prepareServers(context.folder);
  const machine = describeMachine({
    load: `${generator}, ${connections} connections`,
    pinned: isPinned ? 'server on core 0, load on core 1' : 'no',
    measurements: `${rounds} rounds of ${seconds} s`,
    ...(await versionsOf()),
  });
  const cases = CASES.filter(({ id }) => id === 'link');
  const measured = await measureRates({ servers, cases, rounds, seconds, connections }, context);
  const [link] = summarizeCases(measured);
  const [bare] = link.servers;
  const rows = link.servers.map((server, index) => {
    const before = index === 0 ? undefined : link.servers[index - 1];
    const more = before?.cpu && server.cpu ? (server.cpu.median - before.cpu.median).toFixed(0) : '';
    return [
      server.name,
      server.median.toFixed(0),
      server.cpu?.median.toFixed(0) ?? '',
      more,
      ratioOf(server, bare).ofMedians.toFixed(2),
    ];
  });
  const columns = ['a link', 'a second', 'CPU, µs', 'more', 'of bare node:http'];
  console.log(`${describe(machine)}\n\n${tableOf(columns, rows)}`);
  if (flags.json) await writeFile(flags.json, toJson({ machine, results: [link] }));
});
