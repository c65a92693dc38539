// How the memory and the handles of a process grow.

/** A reading of a process. */
export interface Sample {
  /** Bytes of the JavaScript heap after a garbage collection. */
  heap: number;
  /** Bytes of memory that the process has of the system. */
  rss: number;
  /** Sockets, timers and other resources that keep the process alive. */
  handles: number;
  /** Open file descriptors. */
  files: number;
}

export interface TimedSample extends Sample {
  hours: number;
}

/**
 * Growth over a run that is accepted, of the line through the samples. A leak of 100 bytes per request is 10 MB in an hour.
 * The rest of the limit is for compiled code, which grows slowly. The limit of handles is for connections.
 */
export const LIMITS: Partial<Record<keyof Sample, number>> = { heap: 4_000_000, handles: 10, files: 10 };

/** Share of the samples that is left out: caches fill, and code is compiled. */
const WARM_UP = 0.1;

export interface Growth {
  measure: keyof Sample;
  /** Slope of the line through the samples. */
  perHour: number;
  /** Last value divided by the first one. */
  ratio: number;
  isTooMuch: boolean;
}

/** Measures the growth of a process. */
export function measureGrowth(samples: readonly TimedSample[]): Growth[] {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  const [first, last] = [warm[0], warm.at(-1)];
  if (first === undefined || last === undefined || first === last)
    throw new Error('The run is too short for two samples.');
  return (['heap', 'rss', 'handles', 'files'] as const).map((measure) => {
    const perHour = slope(warm.map((sample) => [sample.hours, sample[measure]]));
    const growth = perHour * (last.hours - first.hours);
    const ratio = last[measure] / first[measure];
    return { measure, perHour, ratio, isTooMuch: !(growth <= (LIMITS[measure] ?? Number.POSITIVE_INFINITY)) };
  });
}

/** Returns the slope of the line with the least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const products = points.map(([x, y]) => (x - meanX) * (y - meanY));
  const squares = points.map(([x]) => (x - meanX) ** 2);
  return mean(products) / mean(squares);
}
