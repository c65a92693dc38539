// Real proxies for tests, in a temporary folder, on a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../listen.js';

/** A kind of proxy: what it needs on this machine, and how it starts in the foreground with the part that a test names. */
export interface Proxy {
  missing(): string | undefined;
  configuration(folder: string, port: number, part: string): string;
  command(file: string): readonly string[];
}

const findIn = (folders: readonly string[], name: string) =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path));

const PROGRAMS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];
const NGINX = findIn(PROGRAMS, 'nginx');
const APACHE = findIn(PROGRAMS, 'apache2') ?? findIn(PROGRAMS, 'httpd');
const MODULE = 'mod_proxy_http.so';
const APACHE_MODULES = findIn(['/usr/lib/apache2/modules', '/usr/lib64/httpd/modules'], MODULE)?.slice(
  0,
  -MODULE.length,
);

export const nginx: Proxy = {
  missing: () => (NGINX === undefined ? 'there is no nginx on this machine' : undefined),
  configuration: (folder, port, part) => `
daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${part.replace('listen 80;', `listen 127.0.0.1:${port};`)}
}
`,
  command: (file) => [NGINX ?? '', '-c', file],
};

export const apache: Proxy = {
  missing: () =>
    APACHE === undefined || APACHE_MODULES === undefined
      ? 'there is no Apache with mod_proxy_http on this machine'
      : undefined,
  configuration: (folder, port, part) => `
ServerRoot ${folder}
ServerName 127.0.0.1
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
User nobody
Group nogroup
${['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'rewrite', 'filter', 'deflate'].map((name) => `LoadModule ${name}_module ${APACHE_MODULES}mod_${name}.so`).join('\n')}
${part.replace('*:80', `127.0.0.1:${port}`)}
`,
  command: (file) => [APACHE ?? '', '-DFOREGROUND', '-f', file],
};

/** Starts a proxy that ends with the test. Returns its origin. */
export async function startProxy(t: Test, proxy: Proxy, part: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-proxy-'));
  await chmod(folder, 0o777);
  const port = await freePort();
  const file = join(folder, 'proxy.conf');
  await writeFile(file, proxy.configuration(folder, port, part));
  const [program = '', ...args] = proxy.command(file);
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  while (!(await accepts(port))) {
    if (hasEnded(child)) {
      const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
      throw new Error(`${program} has ended: ${output}${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return `http://127.0.0.1:${port}`;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
