// Command lines for curl: what a shell makes of them, and the form of PowerShell.

import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import t from 'tap';
import { type CurlRequest, curlLine, isPasteable } from '../../mock-server/curl.js';
import { serve } from '../listen.js';

const REQUEST: CurlRequest = {
  method: 'POST',
  url: "http://127.0.0.1:4010/o'brien/link",
  headers: { 'x-api-key': `k"$(x)'1`, 'content-type': 'application/json' },
  body: `{"name":"Zoë's $HOME \u2019"}`,
};

/** Returns the arguments that a POSIX shell passes to curl. */
async function argumentsOf(line: string, env: Record<string, string> = {}): Promise<string[]> {
  const script = `curl() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }\n${line}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env });
  return stdout.split('\0').slice(0, -1);
}

t.test('a POSIX shell passes every character unchanged', async (t) => {
  t.same(await argumentsOf(curlLine(REQUEST, 'linux')), [
    REQUEST.url,
    '-H',
    `x-api-key: k"$(x)'1`,
    '-H',
    'content-type: application/json',
    '--data-raw',
    REQUEST.body,
  ]);
});

t.test('a body that begins with @ is sent unchanged: curl reads no file of the user', async (t) => {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.end();
  });
  const url = `${await serve(t, server)}/`;
  const file = `${t.testdir({ secret: 'a file of the user' })}/secret`;
  const line = curlLine({ method: 'POST', url, headers: {}, body: `@${file}` }, 'linux');
  await promisify(execFile)('sh', ['-c', `${line} -s --noproxy '*'`]);
  t.same(bodies, [`@${file}`]);
});

t.test('a value of a variable is filled in by the shell', async (t) => {
  const request = {
    method: 'GET',
    url: 'http://a/',
    headers: { 'x-api-key': { variable: 'CLAIMLINK_API_KEY' } },
  };
  const line = curlLine(request, 'darwin');
  t.equal(line, 'curl \'http://a/\' \\\n  -H "x-api-key: $CLAIMLINK_API_KEY"');
  t.same(await argumentsOf(line, { CLAIMLINK_API_KEY: 'k 1' }), ['http://a/', '-H', 'x-api-key: k 1']);
  t.match(curlLine(request, 'win32'), '-H "x-api-key: $env:CLAIMLINK_API_KEY"');
});

t.test('the method is named unless curl uses it anyway', async (t) => {
  const request = { url: 'http://a/', headers: {} };
  t.equal(curlLine({ ...request, method: 'GET' }, 'linux'), "curl 'http://a/'");
  t.equal(curlLine({ ...request, method: 'POST' }, 'linux'), "curl -X POST 'http://a/'");
  t.equal(
    curlLine({ ...request, method: 'PUT', body: '' }, 'linux'),
    "curl -X PUT 'http://a/' \\\n  --data-raw ''",
  );
  t.equal(curlLine({ ...request, method: 'HEAD' }, 'linux'), "curl -I 'http://a/'");
  t.equal(curlLine({ ...request, method: 'GET', isInsecure: true }, 'linux'), "curl -k 'http://a/'");
});

t.test('PowerShell: curl.exe, doubled quotes, backticks, and the body in ASCII from a pipe', async (t) => {
  t.equal(
    curlLine(REQUEST, 'win32'),
    [
      `'{"name":"Zo\\u00eb''s $HOME \\u2019"}' | curl.exe 'http://127.0.0.1:4010/o''brien/link' \``,
      `  -H 'x-api-key: k"$(x)''1' \``,
      "  -H 'content-type: application/json' `",
      "  -d '@-'",
    ].join('\n'),
  );
  const url = 'http://a/\u2019';
  t.equal(curlLine({ method: 'GET', url, headers: {} }, 'win32'), "curl.exe 'http://a/\u2019\u2019'");
});

t.test(
  'a line with control characters is not for a terminal, which acts on them between quotes as well',
  async (t) => {
    const isSafe = (body: string) => isPasteable(curlLine({ ...REQUEST, body }, 'linux'));
    t.ok(isSafe('{\n\t"a": "Zoë’s 🚗"\n}'));
    for (const control of ['\x03', '\x15', '\x1b[201~', '\r', '\x7f', '\x9b'])
      t.notOk(isSafe(`a${control}b`));
  },
);
