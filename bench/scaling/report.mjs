// From samples to figures, and from figures to the tables that are printed.

const GROWING = ['buffers', 'executionMicros', 'serverMicros', 'endToEndMicros'];

/** One row per size and case; `growth` is to the first size. */
export function toRows(sizes, results) {
  const rows = sizes.flatMap(({ sessions }, index) =>
    [...results[index]].map(([name, samples]) => ({
      sessions,
      case: name,
      rows: mean(samples.rows),
      buffers: mean(samples.hit) + mean(samples.read),
      buffersRead: mean(samples.read),
      planningMicros: quantile(samples.planning, 0.5),
      executionMicros: quantile(samples.execution, 0.5),
      // NaN without pg_stat_statements.
      serverMicros: quantile(samples.server, 0.5),
      endToEndMicros: quantile(samples.endToEnd, 0.5),
      endToEndP95Micros: quantile(samples.endToEnd, 0.95),
      samples: samples.endToEnd.length,
      plans: samples.plans,
    })),
  );
  const order = [...new Set(rows.map((row) => row.case))];
  for (const row of rows) {
    const first = rows.find((other) => other.case === row.case);
    row.growth = {};
    for (const figure of GROWING) row.growth[figure] = row[figure] / first[figure];
  }
  return rows.sort((a, b) => order.indexOf(a.case) - order.indexOf(b.case) || a.sessions - b.sessions);
}

/** Plans that read a whole table where an index must be used. */
export function findSequentialScans(rows, fromSessions = 100_000) {
  return rows
    .filter(
      ({ sessions, plans }) =>
        sessions >= fromSessions && Object.keys(plans).some((plan) => /Seq Scan/.test(plan)),
    )
    .map(
      ({ sessions, case: name, plans }) =>
        `${name} at ${sessions} sessions: ${Object.keys(plans).join(' / ')}`,
    );
}

export function growthTable(rows) {
  const lines = rows.map((row) => [
    row.case,
    thousands(row.sessions),
    row.rows.toFixed(1),
    row.buffers.toFixed(1),
    row.buffersRead.toFixed(1),
    row.planningMicros.toFixed(0),
    row.executionMicros.toFixed(1),
    row.serverMicros.toFixed(0),
    row.endToEndMicros.toFixed(0),
    row.endToEndP95Micros.toFixed(0),
    ...GROWING.map((figure) => row.growth[figure].toFixed(2)),
  ]);
  return markdown(
    [
      'case',
      'sessions',
      'rows',
      'pages',
      'from disk',
      'planning µs',
      'execution µs',
      'server µs',
      'end to end µs',
      'p95 µs',
      '× pages',
      '× execution',
      '× server',
      '× end to end',
    ],
    lines,
  );
}

export function storageTable(sizes) {
  const lines = sizes.flatMap(({ sessions, storage }) =>
    storage
      .filter(({ bytes }) => bytes > 0)
      .map(({ name, bytes, rows, depth }) => [
        thousands(sessions),
        name,
        thousands(rows),
        (bytes / 2 ** 20).toFixed(1),
        (bytes / rows).toFixed(0),
        depth ?? '',
      ]),
  );
  return markdown(['sessions', 'table or index', 'rows', 'MiB', 'bytes a row', 'depth'], lines);
}

export function throughputTable(results) {
  const lines = results.map(({ request, connections, perSecond }) => [
    request,
    connections,
    thousands(Math.round(perSecond)),
  ]);
  return markdown(['request', 'connections', 'a second'], lines);
}

/** What a listing costs at the last size against the first, in one line each. */
export function verdict(rows) {
  const last = Math.max(...rows.map(({ sessions }) => sessions));
  return rows
    .filter((row) => row.sessions === last && row.case.startsWith('listing'))
    .map(({ case: name, growth }) => {
      const growths = `pages × ${growth.buffers.toFixed(2)}, execution × ${growth.executionMicros.toFixed(2)}, server × ${growth.serverMicros.toFixed(2)}, end to end × ${growth.endToEndMicros.toFixed(2)}`;
      const whole = Number.isNaN(growth.serverMicros) ? growth.endToEndMicros : growth.serverMicros;
      const within = Math.max(whole, growth.endToEndMicros) <= 1.2;
      return `${name}: ${growths}: ${within ? 'no more than a fifth' : 'MORE THAN A FIFTH'}`;
    })
    .join('\n');
}

function markdown(head, lines) {
  const all = [head, ...lines].map((line) => line.map(String));
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column].length)));
  const print = (line) =>
    `| ${line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [print(all[0]), rule, ...all.slice(1).map(print)].join('\n');
}

function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function quantile(values, q) {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}
