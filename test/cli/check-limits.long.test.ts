// claimlink check against a server whose responses are too large: the process stays small, and one line says why it ended.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { serve } from '../listen.js';
import { REPOSITORY } from '../repository.js';

const CLI = fileURLToPath(new URL('dist/cli/bin.js', REPOSITORY));
const MEBIBYTE = 1024 * 1024;
const MAX_RSS_MEBIBYTES = 200;
/** Writes the maximum memory of the process in MiB to stderr at its end. */
const MEASURED =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("RSS "+Math.ceil(process.resourceUsage().maxRSS/1024)+"\\n"))';

/** Runs the check. Returns what it printed, its exit code, and its maximum memory in MiB. */
async function check(url: string) {
  const args = ['--import', MEASURED, CLI, 'check', url, '--client-id', 'acme', '--user-id', 'user-1'];
  // maxRSS of a process includes what its parent used at the fork. The shell uses little.
  const child = spawn('sh', ['-c', '"$@"; exit $?', 'sh', process.execPath, ...args], {
    env: { PATH: process.env['PATH'], CLAIMLINK_API_KEY: 'key-of-acme-1' },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  const rss = Number(/RSS (\d+)\n$/.exec(stderr)?.[1]);
  return { stdout, stderr: stderr.replace(/RSS \d+\n$/, ''), code, rss };
}

/** Repeats a text to this number of MiB. */
const filled = (part: string, mebibytes: number) => Buffer.alloc(mebibytes * MEBIBYTE, part);

/** Members of gzip may follow each other (RFC 1952, 2.2). */
const zeros = (mebibytes: number) => Buffer.concat(Array(mebibytes).fill(gzipSync(Buffer.alloc(MEBIBYTE))));

/** Bodies of every response, and what the check prints about them. */
const BODIES: Readonly<Record<string, readonly [body: Buffer, encoding: string, actual: string]>> = {
  '400 MiB of zeros in gzip': [zeros(400), 'gzip', 'a decoded body of more than 16 MiB'],
  '128 MiB of text': [filled('text ', 128), 'identity', 'a decoded body of more than 16 MiB'],
  '16 MiB of nested arrays': [
    Buffer.concat([filled('[', 8), filled(']', 8)]),
    'identity',
    'JSON of more than 100 levels',
  ],
  '16 MiB of nested arrays that do not end': [filled('[', 16), 'identity', 'JSON of more than 100 levels'],
  '16 MiB of nested objects': [filled('{"a":', 16), 'identity', 'JSON of more than 100 levels'],
  '16 MiB of empty arrays': [
    Buffer.concat([Buffer.from('['), filled('[],', 15), Buffer.from('[]]')]),
    'identity',
    'JSON of more than 1048576 values',
  ],
};

for (const [what, [body, encoding, actual]] of Object.entries(BODIES)) {
  t.test(`a server that sends ${what} ends the check in less than ${MAX_RSS_MEBIBYTES} MiB`, async (t) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body);
    });
    const result = await check(await serve(t, server));
    t.equal(result.code, 2);
    t.ok(result.rss > 20 && result.rss < MAX_RSS_MEBIBYTES, `${result.rss} MiB`);
    t.equal(result.stdout, '');
    t.match(result.stderr, `claimlink: The check ended: GET /acme/sessions/user-1: saw ${actual}; expected `);
    t.equal(result.stderr.split('\n').length, 2, 'one line');
  });
}
