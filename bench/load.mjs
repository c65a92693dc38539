// A process of the benchmark: puts load on one server with autocannon, and prints what came of it as JSON.
import autocannon from 'autocannon';

const [options] = process.argv.slice(2).map((argument) => JSON.parse(argument));
const { duration, requests, throughput, errors, timeouts, non2xx } = await autocannon(options);
const result = { duration, requests: requests.total, bytes: throughput.total, errors, timeouts, non2xx };
process.stdout.write(JSON.stringify(result));
