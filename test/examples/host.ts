// Starts a host of examples/ as a reader does, and drives it over HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { type RawRequest, type RawResponse, send } from '../adapters/http-client.js';
import { CLAIM, linkRequest } from '../adapters/service.js';
import { REPOSITORY } from '../repository.js';

/** Removes the hooks that tap puts into the environment of child processes. */
const CLEAN = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS'];
export const PUBLIC_URL = 'https://claims.example.com/claims';
const GRACE_MS = 10_000;

export const pathOf = (path: string) => fileURLToPath(new URL(`examples/${path}`, REPOSITORY));

/** A running host. */
export interface Host {
  origin: string;
  /** The API key of the client `acme`. */
  key: string;
  /** Path of the first request that the host prints. */
  path: string;
  /** Prefix of claimlink's paths. */
  prefix: string;
  /** What the host has written to stdout and stderr. */
  log(): string;
  /** Sends SIGTERM. Resolves to the exit code, and rejects if the host does not end in time. */
  end(): Promise<number | null>;
  /** Sends SIGKILL, and waits for the end of the process. */
  kill(): Promise<void>;
}

/** How a host is started. */
export interface HostOptions {
  /** Program and arguments. Default: Node. */
  command?: readonly string[];
  cwd?: string;
  env?: Record<string, string>;
}

/** Starts a command with the file of an example, and waits for the line with the first request. */
export async function startHost(t: Test, args: readonly string[], options: HostOptions = {}): Promise<Host> {
  const { command = [process.execPath], cwd, env } = options;
  const child = spawn('env', [...CLEAN, ...command, ...args], {
    cwd,
    env: { ...process.env, PORT: '0', PUBLIC_URL, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  t.teardown(kill);
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (/^(curl|http).*\n/m.test(output)) break;
  }
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  // A sandbox that has its clients already prints its URL only.
  const [, flags, origin, path = ''] = /^(curl .*)?(http:\/\/[^/\s]+)(\S*)$/m.exec(output) ?? [];
  if (origin === undefined) throw new Error(`The host did not start: ${output}${log}`);
  return {
    origin,
    path,
    key: /-H 'x-api-key: (clk_[\w-]{43})'/.exec(flags ?? '')?.[1] ?? '',
    prefix: path.replace('/acme/sessions/user-1', ''),
    log: () => output + log,
    kill,
    async end() {
      child.kill('SIGTERM');
      const inTime = AbortSignal.timeout(GRACE_MS);
      const [code] = await Promise.race([
        exited,
        new Promise<never>((_, reject) => inTime.addEventListener('abort', () => reject(inTime.reason))),
      ]);
      return code;
    },
  };
}

/** Sends a request to a host. */
export type Send = (origin: string, request: RawRequest) => Promise<RawResponse>;

/** Drives claimlink in a host: the listing, a link, its page, a claim, and two errors. */
export async function driveClaimlink(t: Test, host: Host, request: Send = send): Promise<void> {
  const { origin, key, prefix } = host;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const get = (path: string, headers: Record<string, string> = {}) =>
    request(origin, { method: 'GET', path, headers });
  const post = (path: string, body: string) => request(origin, { method: 'POST', path, headers, body });
  const listing = `${prefix}/acme/sessions/user-1`;

  t.match(
    await get(listing, { 'x-api-key': key }),
    { status: 200, body: '[]' },
    'the first request succeeds',
  );

  const created = await post(`${prefix}/acme/link`, JSON.stringify(linkRequest()));
  t.equal(created.status, 200);
  const { data } = JSON.parse(created.body);
  t.ok(data.startsWith(`${PUBLIC_URL}/verify/`), data);
  const link = data.replace(PUBLIC_URL, prefix);

  const page = await get(link);
  t.equal(page.status, 200);
  t.match(page.headers['content-security-policy'], /^default-src 'none'/, 'the page keeps its own policy');
  t.equal(page.headers['referrer-policy'], 'strict-origin', 'also with helmet');
  t.match(page.body, /Acme Insurance[\s\S]*<form [^>]*id="claim"/);

  const submitted = await post(link, JSON.stringify(CLAIM));
  t.equal(submitted.status, 200);
  const { reference } = JSON.parse(submitted.body).data;
  const listed = await get(listing, { 'x-api-key': key });
  t.match(JSON.parse(listed.body), [{ reference, status: 'submitted' }]);
  t.match(host.log(), `claim ${reference} was submitted`, 'onSubmit ran');

  const isProblem = (response: RawResponse, status: number, code: string) => {
    t.equal(response.status, status);
    t.match(response.headers['content-type'], /^application\/problem\+json/);
    t.equal(JSON.parse(response.body).code, code);
  };
  isProblem(await get(listing), 401, 'api_key_missing');
  isProblem(await post(`${prefix}/acme/link`, ' '.repeat(65_537)), 413, 'body_too_large');
}

/** Checks that the host's own route responds. */
export async function driveOwnRoute(
  t: Test,
  { origin }: Pick<Host, 'origin'>,
  { path = '/', body = { hello: 'from the host' } as unknown, request = send as Send } = {},
): Promise<void> {
  const response = await request(origin, { method: 'GET', path });
  t.equal(response.status, 200);
  t.same(JSON.parse(response.body), body);
}

/** Checks that the host's own body parser and error handler work beside claimlink. */
export async function driveOwnParser(
  t: Test,
  { origin }: Pick<Host, 'origin'>,
  { headers = {} as Record<string, string> } = {},
): Promise<void> {
  const post = (body: string) =>
    send(origin, {
      method: 'POST',
      path: '/quotes',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const quote = await post('{"vehicle":"B-AB 123"}');
  t.equal(quote.status, 200);
  t.same(JSON.parse(quote.body), { received: { vehicle: 'B-AB 123' } });
  const malformed = await post('{');
  t.equal(malformed.status, 400);
  t.not(JSON.parse(malformed.body).code, 'request_invalid', 'the error is the host’s');
}
