// Starts the built mock over a persist file.
import type { Test } from 'tap';
import { type Child, startCli } from './child.js';

/** Starts a mock over a file; a port is taken again so that links stay what they are. */
export async function startKept(
  t: Test,
  path: string,
  port = '0',
): Promise<{ child: Child; url: string; port: string }> {
  const args = ['--port', port, '--ready-json', '--log', 'silent', '--persist', path];
  const child = startCli(t, args);
  const { url } = JSON.parse(await child.until(/\n/));
  return { child, url, port: new URL(url).port };
}
