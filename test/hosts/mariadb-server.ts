// A real MariaDB for tests, in a temporary folder, with a socket and no port.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { access, chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';

const run = promisify(execFile);

/** Servers and their folders. A process that is interrupted runs no teardown: its exit ends and deletes them. */
const servers = new Map<string, ChildProcess | undefined>();
process.on('exit', () => {
  for (const [folder, server] of servers) {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});

/** A server that the test may stop and start. Its user is `root`, without a password. */
export interface MariadbServer {
  socketPath: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The programs, on the PATH or where Debian puts them. `undefined` if they are not installed. */
export async function findMariadb(): Promise<{ server: string; install: string } | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/bin'];
  const find = async (name: string) => {
    for (const folder of folders) {
      const path = join(folder, name);
      if (
        await access(path).then(
          () => true,
          () => false,
        )
      )
        return path;
    }
    return undefined;
  };
  const [server, install] = await Promise.all([find('mariadbd'), find('mariadb-install-db')]);
  return server && install ? { server, install } : undefined;
}

/** Starts a server that ends with the test. MariaDB does not run as root, so a test that runs as root uses another user. */
export async function startMariadb(
  t: Test,
  programs: { server: string; install: string },
): Promise<MariadbServer> {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-mariadb-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chmod(folder, 0o777);
  const asUser = isRoot ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : ['env'];
  const [command = '', ...prefix] = asUser;
  const socketPath = join(folder, 'socket');
  const logFile = join(folder, 'data/log');
  // The server does not read the settings of this machine.
  const common = ['--no-defaults', `--datadir=${join(folder, 'data')}`];
  let child: ChildProcess | undefined;

  const server: MariadbServer = {
    socketPath,
    async start() {
      // Without a flush, a commit survives the server, and not the machine.
      const settings = ['--innodb-flush-log-at-trx-commit=0', '--max-connections=300', '--skip-networking'];
      const files = [`--socket=${socketPath}`, `--pid-file=${socketPath}.pid`, `--log-error=${logFile}`];
      child = spawn(command, [...prefix, programs.server, ...common, ...settings, ...files], {
        cwd: folder,
        stdio: 'ignore',
      });
      servers.set(folder, child);
      while (!(await accepts(socketPath))) {
        if (child.exitCode !== null)
          throw new Error(`mariadbd has ended: ${await readFile(logFile, 'utf8').catch(() => 'no log')}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
    async stop() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
  servers.set(folder, undefined);
  t.teardown(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    servers.delete(folder);
  });
  const options = ['--auth-root-authentication-method=normal', '--skip-test-db'];
  await run(command, [...prefix, programs.install, ...common, ...options], { cwd: folder });
  await server.start();
  return server;
}

/** Returns whether a server accepts connections at a socket. */
async function accepts(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
