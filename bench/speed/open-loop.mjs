// Sends one request at a constant rate, whatever the server does, and prints how long the answers took.
//
// Each request has a moment at which it is due, and its latency counts from that moment to the end of its answer: when
// the server, or a connection that is still busy, makes requests wait, the wait counts. A generator that sends the next
// request when it has the last answer would leave out just those (coordinated omission).
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const { port, request, rate, seconds, warmUpSeconds, connections, status, wireBytes } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
);

const body = request.body ?? '';
const head = Object.entries({
  host: `127.0.0.1:${port}`,
  ...request.headers,
  ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
}).map(([name, value]) => `${name}: ${value}\r\n`);
const bytes = Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
const statusLine = Buffer.from(`HTTP/1.1 ${status} `);

const total = Math.ceil(rate * (warmUpSeconds + seconds));
const warmUp = Math.ceil(rate * warmUpSeconds);
const interval = 1000 / rate;
const latencies = new Float64Array(total - warmUp);
/** How late a request that found a free connection was sent: what this generator itself adds. */
const delays = new Float64Array(total - warmUp);

const free = await Promise.all(Array.from({ length: connections }, open));
let due = 0;
let sent = 0;
let answered = 0;
const start = performance.now() + 5;
setImmediate(tick);

/** Runs without a pause, so that a request is sent within microseconds of its moment. */
function tick() {
  const now = performance.now();
  while (due < total && start + due * interval <= now) due++;
  while (sent < due && free.length > 0) {
    const connection = free.pop();
    connection.number = sent;
    connection.left = wireBytes;
    connection.socket.write(bytes);
    if (sent >= warmUp) delays[sent - warmUp] = now - (start + sent * interval);
    sent++;
  }
  if (answered < total) setImmediate(tick);
  else finish(now);
}

function open() {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const connection = { socket, number: -1, left: 0 };
    socket.on('connect', () => resolve(connection));
    socket.on('error', reject);
    socket.on('close', () => {
      if (answered < total) fail('a connection was closed');
    });
    socket.on('data', (chunk) => onData(connection, chunk));
  });
}

/** All answers are equally long, so that counting finds their end; a wrong one shows at the start of the next. */
function onData(connection, chunk) {
  if (connection.left === wireBytes && statusLine.compare(chunk, 0, statusLine.length) !== 0)
    fail(`another answer than ${status}: ${chunk.subarray(0, 200)}`);
  connection.left -= chunk.length;
  if (connection.left > 0) return;
  if (connection.left < 0) fail(`an answer of more than ${wireBytes} bytes`);
  const { number } = connection;
  if (number >= warmUp) latencies[number - warmUp] = performance.now() - (start + number * interval);
  answered++;
  free.push(connection);
}

function finish(now) {
  latencies.sort();
  delays.sort();
  const figures = {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    p999: percentile(latencies, 0.999),
    max: latencies.at(-1),
    sentLateP99: percentile(delays, 0.99),
    perSecond: total / ((now - start) / 1000),
  };
  console.log(`RESULT ${JSON.stringify(figures)}`);
  process.exit();
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
