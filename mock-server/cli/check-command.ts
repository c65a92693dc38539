// claimlink check: runs the published contract suite against a deployment and reports the rules that fail.
import { randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { contractSuite } from '../../lib/testing/index.js';
import { errorCode } from '../scenario/file-problem.js';
import { hasColor } from '../terminal.js';
import type { CHECK_FLAGS } from './check-flags.js';
import { checkReport } from './check-report.js';
import { type CheckTarget, runCheck } from './check-run.js';
import { type CommandContext, type CommandIo, writeResult } from './command-io.js';
import { toUsageError, UsageError } from './flags.js';
import { junitXml } from './junit.js';

/** Time limit of the first response. */
const PROBE_TIMEOUT_MS = 10_000;

/**
 * Sets the exit code 1 if a rule of the contract fails, 3 if only decisions fail.
 * `--json` prints a `CheckResult`, and nothing else, to stdout.
 * @throws UsageError if the deployment does not respond, does not accept the key or the client, or if a file cannot be
 * written.
 */
export async function runCheckCommand(context: CommandContext<typeof CHECK_FLAGS>): Promise<void> {
  const { flags, argument, env, io, setExitCode } = context;
  const { junit, failuresOnly = false, only: onlyKind, json: _, ...options } = flags.values;
  const target: CheckTarget = {
    userId: `claimlink-check-${randomBytes(4).toString('hex')}`,
    ...options,
    baseUrl: argument.replace(/\/+$/, ''),
    clientId: flags.need('clientId'),
    apiKey: flags.need('apiKey'),
  };
  try {
    contractSuite(target);
  } catch (error) {
    // The base URL is an argument, not a flag.
    throw toUsageError(error, flags, { baseUrl: 'The base URL' });
  }
  if (junit !== undefined) await writing(junit, async (file) => (await open(file, 'a')).close());
  await assertReachable(target);
  const only = onlyKind === 'decisions' ? 'decision' : onlyKind;
  const result = await withProgress(io, (onRule) => runCheck(target, onRule, only));
  if (junit !== undefined) await writing(junit, (file) => writeFile(file, junitXml(result)));
  const { contract, decisions } = result.summary;
  const shown = failuresOnly ? result.rules.filter(({ outcome }) => outcome === 'failed') : result.rules;
  const report = checkReport(result, { isColored: hasColor(io.stdout, env), failuresOnly });
  writeResult(context, { ...result, rules: shown }, report);
  if (contract.failed > 0) setExitCode(1);
  else if (decisions.failed > 0) setExitCode(3);
}

type OnRule = Parameters<typeof runCheck>[1];

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
      ? `The deployment responds with 404: it has no client ${clientId}, or ${baseUrl} is not its base URL.`
      : `The deployment responds with ${listing}: it does not accept this API key for the client ${clientId}.`,
  );
}

async function statusOf(url: string, init: RequestInit): Promise<number> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw new UsageError(`Nothing responds at ${new URL(url).origin} (${causeOf(error)}).`);
  }
}

/** Returns the cause of `fetch failed`: a code such as ECONNREFUSED, or a text such as `bad port`. */
function causeOf(error: unknown): string {
  const { cause, name = 'Error' } = error instanceof Error ? error : {};
  return errorCode(cause) || (cause instanceof Error && cause.message) || name;
}

async function writing(file: string, write: (file: string) => Promise<void>): Promise<void> {
  try {
    await write(file);
  } catch (error) {
    throw new UsageError(`--junit: ${file} cannot be written (${errorCode(error)}).`);
  }
}
