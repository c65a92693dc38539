// Interleaved rounds, medians, ratios and tables.

/**
 * The order of the items in a round. It rotates, and every second rotation is reversed, so that a disturbance of the
 * machine does not always hit the same item. Two items have the orders ab, ba, ba, ab.
 */
export function orderOf(items, round) {
  const first = round % items.length;
  const order = [...items.slice(first), ...items.slice(0, first)];
  return Math.floor(round / items.length) % 2 === 0 ? order : order.reverse();
}

export function medianOf(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The ratios of two figures, round by round: their median, and the range. */
export function ratioOf(numerators, denominators) {
  const ratios = numerators.map((number, round) => number / denominators[round]);
  return { median: medianOf(ratios), range: rangeOf(ratios, 2) };
}

export function rangeOf(numbers, digits) {
  return `${Math.min(...numbers).toFixed(digits)}–${Math.max(...numbers).toFixed(digits)}`;
}

/** A Markdown table. The first column is text, the others are numbers. */
export function tableOf(columns, rows) {
  const toLine = (cells) => `| ${cells.join(' | ')} |`;
  return [toLine(columns), `|---|${'--:|'.repeat(columns.length - 1)}`, ...rows.map(toLine)].join('\n');
}

/** Shows a line while the benchmark runs, on a terminal only. */
export function progress(message) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${message}`);
}
