// The tables of bench/speed.mjs: a case each, and the targets.
import { ratioOf, summarize, tableOf } from './report.mjs';

const OURS = {
  'claimlink-node': 'over node:http',
  'claimlink-fastify': 'as a Fastify plugin',
  'claimlink-postgres': 'over PostgreSQL',
  'claimlink-postgres-prepared': 'with prepareStatements',
};

/** Case, ours, theirs, the least that ours must be of theirs; `theirs` may be another case of ours. */
const TARGETS = [
  ['listing-10', 'claimlink-node', 'bare-node', 0.8],
  ['link', 'claimlink-node', 'bare-node', 0.5],
  ['listing-10', 'claimlink-fastify', 'bare-fastify', 0.85],
  ['link', 'claimlink-fastify', 'bare-fastify', 0.45],
  ['listing-10', 'claimlink-fastify', 'by-hand-fastify', 1.5],
  ['link', 'claimlink-fastify', 'by-hand-fastify', 1.15],
  ['listing-10', 'claimlink-node', 'by-hand-fastify', 1.5],
  ['link', 'claimlink-node', 'by-hand-fastify', 1.15],
  ['listing-10', 'claimlink-node', 'prism', 10],
  ['link', 'claimlink-node', 'prism', 10],
  ['listing-10', 'claimlink-node', 'json-server', 3],
  ['listing-10', 'claimlink-node', 'json-server-1', 3],
  ['listing-10', 'claimlink-postgres', 'by-hand-postgres', 0.95],
  ['listing-100', 'claimlink-postgres', 'by-hand-postgres', 0.95],
  ['link', 'claimlink-postgres', 'by-hand-postgres', 0.95],
  ['401', 'claimlink-node', 'claimlink-node', 1, 'listing-0'],
  ['401', 'claimlink-fastify', 'claimlink-fastify', 1, 'listing-0'],
];

/** What `measureRates` gave, as the tables and the JSON file have it: requests a second, and CPU time in microseconds. */
export function summarizeCases(measured) {
  return [...measured].map(([{ id, name }, ofCase]) => ({
    id,
    name,
    servers: [...ofCase].map(([server, figures]) => ({
      id: server.id,
      name: server.name,
      ...summarize(figures.map(({ perSecond }) => perSecond)),
      ...summarizeCpu(figures),
    })),
  }));
}

/** Nothing where the operating system does not tell. */
function summarizeCpu(figures) {
  const cpu = figures.map((figure) => figure.cpu);
  return cpu.includes(undefined) ? {} : { cpu: summarize(cpu) };
}

/** One table for each case: every server, and how many times its rate each of ours is. */
export function speedTables(results) {
  return results.map(speedTable).join('\n\n');
}

function speedTable({ name, servers }) {
  const ours = servers.filter(({ id }) => id in OURS);
  const columns = [
    name,
    'a second',
    'min–max',
    'CPU, µs',
    ...ours.map(({ id }) => `claimlink ${OURS[id]} is`),
  ];
  const rows = servers.map((server) => [
    server.name,
    toRate(server.median),
    `${toRate(server.min)}–${toRate(server.max)}`,
    server.cpu ? server.cpu.median.toFixed(1) : '',
    ...ours.map((our) => (our === server ? '' : `${ratioOf(our, server).ofMedians.toFixed(2)} ×`)),
  ]);
  return tableOf(columns, rows);
}

/** The targets whose servers and cases were measured. */
export function targetTable(results) {
  const find = (caseId, serverId) =>
    results.find(({ id }) => id === caseId)?.servers.find(({ id }) => id === serverId);
  const rows = TARGETS.flatMap(([caseId, ourId, theirId, least, theirCase = caseId]) => {
    const [our, their] = [find(caseId, ourId), find(theirCase, theirId)];
    if (our === undefined || their === undefined) return [];
    const { ofMedians, min, max } = ratioOf(our, their);
    const cpu = our.cpu && their.cpu ? ratioOf(their.cpu, our.cpu).ofMedians.toFixed(2) : '';
    const what =
      theirCase === caseId
        ? `${caseId}: ${our.name} / ${their.name}`
        : `${our.name}: ${caseId} / ${theirCase}`;
    const verdict = ofMedians >= least ? 'reached' : 'NOT reached';
    return [
      [what, ofMedians.toFixed(2), `${min.toFixed(2)}–${max.toFixed(2)}`, cpu, least.toFixed(2), verdict],
    ];
  });
  return rows.length === 0
    ? ''
    : tableOf(['target', 'ratio', 'of the rounds', 'by CPU time', 'at least', ''], rows);
}

function toRate(perSecond) {
  return perSecond >= 1000 ? `${(perSecond / 1000).toFixed(1)}k` : perSecond.toFixed(0);
}
