// Medians, spreads and ratios as Markdown.

export function medianOf(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function summarize(numbers) {
  return { median: medianOf(numbers), min: Math.min(...numbers), max: Math.max(...numbers), rounds: numbers };
}

/** Each is first as often as the others, and every second round goes the other way round. */
export function orderOf(items, round) {
  const first = round % items.length;
  const order = [...items.slice(first), ...items.slice(0, first)];
  return round % 2 === 0 ? order : order.reverse();
}

/** The ratio of medians, and the least and the most of the rounds'. */
export function ratioOf(ours, theirs) {
  const perRound = ours.rounds.map((number, round) => number / theirs.rounds[round]);
  return { ofMedians: ours.median / theirs.median, min: Math.min(...perRound), max: Math.max(...perRound) };
}

/** A Markdown table; the first column is text, the others are numbers. */
export function tableOf(columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|---|${'--:|'.repeat(columns.length - 1)}`, ...rows.map(line)].join('\n');
}

export function describe(machine) {
  return Object.entries(machine)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
}

/** JSON that a person can read: no more digits than mean anything. */
export function toJson(value) {
  const short = (_key, member) =>
    typeof member === 'number' && !Number.isInteger(member) ? Number(member.toPrecision(5)) : member;
  return `${JSON.stringify(value, short, 2)}\n`;
}
