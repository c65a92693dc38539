// The load where there is no wrk: autocannon, as bench/speed/load.mjs asks for it; prints one line of JSON.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const { port, requests, connections, seconds } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const result = await autocannon({
  url: `http://127.0.0.1:${port}`,
  connections,
  duration: seconds,
  requests: requests.map(({ method, path, headers, body }) => ({ method, path, headers, body })),
});
const figures = {
  requests: result.requests.total,
  bytes: result.throughput.total,
  microseconds: Math.round(result.duration * 1e6),
  from400: result['4xx'] + result['5xx'],
  socketErrors: result.errors + result.timeouts,
};
console.log(`RESULT ${JSON.stringify(figures)}`);
