// A process of the benchmark: sends requests at a rate, or as many as the server takes, and prints latencies and the rate.
import autocannon from 'autocannon';
import { REQUESTS } from './data.mjs';

const { port, caseName, seconds, rate } = JSON.parse(process.argv[2]);
const { method, path, headers, body } = REQUESTS[caseName];
const result = await autocannon({
  url: `http://127.0.0.1:${port}${path}`,
  method,
  headers,
  body,
  connections: 32,
  duration: seconds,
  // Latencies count from the moment at which a request was due.
  ...(rate !== undefined && { overallRate: rate }),
});
const { p50, p99, p99_9 } = result.latency;
const failed = result.errors + result.timeouts + result.non2xx;
process.stdout.write(JSON.stringify({ rate: result.requests.average, p50, p99, p999: p99_9, failed }));
