// claimlink check: runs the published contract suite against a deployment and reports the rules that fail.
import { randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { isClaimlinkError } from '../../lib/index.js';
import { checkReport } from './check-report.js';
import { assertCheckTarget, type CheckTarget, runCheck } from './check-run.js';
import type { CommandIo } from './command-io.js';
import type { CommandLine, Environment } from './command-line.js';
import { UsageError } from './flags.js';
import { junitXml } from './junit.js';
import { hasColor } from './output.js';

/** Time limit of the first response. */
const PROBE_TIMEOUT_MS = 10_000;

/**
 * Resolves to the exit code: 0 if no rule fails, otherwise 1.
 * `--json` prints a `CheckResult`, and nothing else, to stdout.
 * @throws UsageError if the deployment does not respond, does not accept the key or the client, or if a file cannot be
 * written.
 */
export async function runCheckCommand(line: CommandLine, env: Environment, io: CommandIo): Promise<number> {
  const { values } = line;
  const target: CheckTarget = {
    baseUrl: line.argument.replace(/\/+$/, ''),
    clientId: line.need('clientId'),
    apiKey: line.need('apiKey'),
    userId: values.userId ?? `claimlink-check-${randomBytes(4).toString('hex')}`,
    ...(values.callbackUrl !== undefined && { callbackUrl: values.callbackUrl }),
    ...(values.otherClientId !== undefined && { otherClientId: values.otherClientId }),
    ...(values.linkOrigin !== undefined && { linkOrigin: values.linkOrigin }),
  };
  assertTarget(target);
  if (values.junit !== undefined)
    await writing(values.junit, async (file) => (await open(file, 'a')).close());
  await assertReachable(target);
  const result = await withProgress(io, (onRule) => runCheck(target, onRule));
  if (values.junit !== undefined) await writing(values.junit, (file) => writeFile(file, junitXml(result)));
  io.stdout.write(
    values.reportJson
      ? `${JSON.stringify(result, null, 2)}\n`
      : checkReport(result, hasColor(io.stdout, env)),
  );
  return result.summary.failed === 0 ? 0 : 1;
}

type OnRule = Parameters<typeof runCheck>[1];

/** The base URL is an argument, not a flag, so its error needs another text. */
function assertTarget(target: CheckTarget): void {
  try {
    assertCheckTarget(target);
  } catch (error) {
    const details = isClaimlinkError(error) ? (error.details ?? []) : [];
    const problem = details.find(({ pointer }) => pointer === '/baseUrl');
    throw problem ? new UsageError(`The base URL ${problem.detail}.`) : error;
  }
}

/** Shows the current rule on one line of stderr if it is a terminal, and removes the line at the end. */
async function withProgress<T>({ stderr }: CommandIo, work: (onRule: OnRule) => Promise<T>): Promise<T> {
  if (stderr.isTTY !== true) return work(() => {});
  try {
    return await work((name, index, count) =>
      stderr.write(`\r\u001b[K${index + 1}/${count} ${name.slice(0, 68)}`),
    );
  } finally {
    stderr.write('\r\u001b[K');
  }
}

/**
 * Requests the listing of the user to detect a wrong key, client or base URL before the rules run. Only a status that
 * the link endpoint also returns counts; otherwise the rules report it.
 */
async function assertReachable({ baseUrl, clientId, apiKey, userId }: CheckTarget): Promise<void> {
  const client = `${baseUrl}/${encodeURIComponent(clientId)}`;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const listing = await statusOf(`${client}/sessions/${encodeURIComponent(userId)}`, { headers });
  if (![401, 403, 404].includes(listing)) return;
  // An empty request creates no link.
  const link = await statusOf(`${client}/link`, { method: 'POST', headers, body: '{}' });
  if (link !== listing) return;
  throw new UsageError(
    listing === 404
      ? `The deployment answers 404: it has no client ${clientId}, or ${baseUrl} is not its base URL.`
      : `The deployment answers ${listing}: it does not take this API key for the client ${clientId}.`,
  );
}

async function statusOf(url: string, init: RequestInit): Promise<number> {
  try {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw new UsageError(`Nothing answers at ${new URL(url).origin} (${reasonOf(error)}).`);
  }
}

/** Returns the cause of `fetch failed`, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { cause, name = 'Error' } = error instanceof Error ? error : {};
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : name;
}

async function writing(file: string, write: (file: string) => Promise<void>): Promise<void> {
  try {
    await write(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new UsageError(`--junit: ${file} cannot be written (${String(code)}).`);
  }
}
