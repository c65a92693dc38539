// The load: wrk where it is installed, else autocannon; a process of its own, on a core of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, pinned } from './server-process.mjs';

const AUTOCANNON = fileURLToPath(new URL('autocannon-load.mjs', import.meta.url));

const OPEN_LOOP = fileURLToPath(new URL('open-loop.mjs', import.meta.url));

/** Prints what is needed as one line of JSON. There is no `response` function: it would slow wrk down. */
const SUMMARY = `
done = function(summary)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests":%d,"bytes":%d,"microseconds":%d,"from400":%d,"socketErrors":%d}\\n',
    summary.requests, summary.bytes, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
`;

export const generator = findProgram('wrk') === undefined ? 'autocannon' : 'wrk';

/**
 * Sends the requests in turn over so many connections, each of which sends the next when it has its answer.
 * Resolves to `{ requests, bytes, perSecond, from400, socketErrors }`; `bytes` are those read, headers included, and
 * `from400` the answers with a status of 400 or more.
 */
export async function runLoad({ port, requests, connections, seconds, folder, signal }) {
  signal.throwIfAborted();
  const file = join(folder, `load-${port}.${generator === 'wrk' ? 'lua' : 'json'}`);
  const isWrk = generator === 'wrk';
  const url = `http://127.0.0.1:${port}${requests[0].path}`;
  await writeFile(
    file,
    isWrk ? luaFor(requests) : JSON.stringify({ url, port, requests, connections, seconds }),
  );
  const [command, args] = isWrk
    ? ['wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', file, url]]
    : [process.execPath, [AUTOCANNON, file]];
  try {
    const printed = await run(...pinned(1, command, args), signal);
    const line = /^RESULT (.*)$/m.exec(printed)?.[1];
    if (line === undefined) throw new Error(`${generator} printed no result: ${printed}`);
    const result = JSON.parse(line);
    return { ...result, perSecond: result.requests / (result.microseconds / 1e6) };
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Sends one request at a constant rate for so many seconds, after a second that does not count. Resolves to
 * `{ p50, p99, p999, max, sentLateP99, perSecond }`, in milliseconds; the latencies count from the moment at which a
 * request was due. `wireBytes` is the length of every answer, headers included.
 */
export async function runOpenLoop({ folder, signal, ...options }) {
  signal.throwIfAborted();
  const file = join(folder, `open-loop-${options.port}.json`);
  await writeFile(file, JSON.stringify({ warmUpSeconds: 1, ...options }));
  const printed = await run(...pinned(1, process.execPath, [OPEN_LOOP, file]), signal);
  return JSON.parse(/^RESULT (.*)$/m.exec(printed)[1]);
}

async function run(command, args, signal) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the load generator ended with ${code}: ${printed}`);
  return printed;
}

/** One request is set once, and costs wrk nothing; several are formatted before the start and sent in turn. */
function luaFor(requests) {
  if (requests.length === 1) {
    const [{ method, headers, body }] = requests;
    const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`);
    return [`wrk.method = ${lua(method)}`, ...lines, body ? `wrk.body = ${lua(body)}` : '', SUMMARY].join(
      '\n',
    );
  }
  const formatted = requests.map(({ method, path, headers, body }) => {
    const members = Object.entries(headers).map(([name, value]) => `[${lua(name)}] = ${lua(value)}`);
    return `  wrk.format(${lua(method)}, ${lua(path)}, {${members.join(', ')}}, ${body ? lua(body) : 'nil'}),`;
  });
  return `
local requests
local last = 0
init = function()
  requests = {
${formatted.join('\n')}
  }
end
request = function()
  last = last % #requests + 1
  return requests[last]
end
${SUMMARY}`;
}

/** A Lua string, byte by byte where it is not plain. */
function lua(text) {
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte < 32 || byte > 126 || byte === 34 || byte === 92
      ? `\\${String(byte).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return `"${bytes.join('')}"`;
}
