// claimlink check: runs the published contract suite against a deployment and reports the rules that fail.
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { ClaimSubmission } from '../lib/core/types.js';
import type { ResolvedTarget } from '../lib/testing/contract-suite/target.js';
import { hasColor } from '../mock-server/http/terminal.js';
import { checkReport } from './check-report.js';
import type { CheckResult, CheckTarget, runCheck } from './check-run.js';
import { type CommandIo, writeResult } from './command-io.js';
import { Flag, readDataFile, UsageError } from './flags.js';
import { CLEAR_LINE } from './terminal-text.js';

interface CheckFlags extends Omit<CheckTarget, 'baseUrl' | 'claim'> {
  claim?: string;
  only?: 'contract' | 'decisions';
  failuresOnly?: boolean;
  details?: boolean;
  json?: boolean;
}

/** The command sets the exit code 1 if a rule of the contract fails, 4 if no claim was accepted, 3 if only decisions fail. */
export function addCheck(program: Command, io: CommandIo): Command {
  return program
    .command('check <base-url>')
    .description('check a deployment against the contract')
    .addOption(new Flag('--client-id <id>', 'client at the deployment').withVariable().makeOptionMandatory())
    .addOption(
      new Flag('--api-key <key>', 'its API key; the variable is safer').withVariable().makeOptionMandatory(),
    )
    .addOption(
      new Flag('--user-id <id>', 'user of the links and claims')
        .withVariable()
        .default(`claimlink-check-${randomBytes(4).toString('hex')}`, 'claimlink-check-<random>'),
    )
    .addOption(new Flag('--other-client-id <id>', 'another client, which must reject the key'))
    .addOption(new Flag('--callback-url <url>', 'callback URL that the client allows'))
    .addOption(new Flag('--link-origin <origin>', 'also send requests to links with this origin'))
    .addOption(new Flag('--claim <file>', 'claim that the deployment accepts, a file with JSON or YAML'))
    .addOption(new Flag('--only <kind>', 'check only these rules').choices(['contract', 'decisions']))
    .option('--failures-only', 'leave out the rules that do not fail')
    .option('--details', 'show each difference from decisions, not only their number')
    .option('--json', 'print one JSON document instead of the report')
    .addHelpText(
      'after',
      `
Exit code: 0 all rules hold, 1 a rule of the contract fails, 3 only decisions of
claimlink fail, 4 no claim was accepted, so the contract is not proven, 2 the
command is wrong, the deployment does not respond, or a response ends the check.
Example:
  CLAIMLINK_API_KEY=... claimlink check https://claims.example.com --client-id acme`,
    )
    .action(async (url: string, flags: CheckFlags) => {
      const { summary, ended, proven } = await check(url, flags, io);
      if (summary.contract.failed > 0) io.exitCode = 1;
      else if (ended !== undefined) io.exitCode = 2;
      else if (!proven) io.exitCode = 4;
      else if (summary.decisions.failed > 0) io.exitCode = 3;
    });
}

/**
 * Checks a deployment and prints the report. `--json` prints a `CheckResult`, and nothing else, to stdout.
 * @throws UsageError if the deployment does not respond, or does not accept the key or the client.
 */
async function check(baseUrl: string, flags: CheckFlags, io: CommandIo): Promise<CheckResult> {
  const { failuresOnly = false, details = false, only, json = false, claim: file, ...options } = flags;
  const { resolveTarget } = await import('../lib/testing/contract-suite/target.js');
  const { runCheck } = await import('./check-run.js');
  const target = resolveTarget({
    ...options,
    baseUrl,
    ...(file !== undefined && { claim: await readClaim(file) }),
  });
  await assertReachable(target);
  const kind = only === 'decisions' ? 'decision' : only;
  const result = await withProgress(io, (onProgress) => runCheck(target, onProgress, kind));
  const shown = failuresOnly ? result.rules.filter(({ outcome }) => outcome === 'failed') : result.rules;
  const report = checkReport(result, { isColored: hasColor(io.stdout, io.env), failuresOnly, details });
  writeResult(io, { json }, { ...result, rules: shown }, report);
  return result;
}

/** Reads the claim of a file. The target checks it. @throws UsageError */
async function readClaim(file: string): Promise<ClaimSubmission> {
  return (await readDataFile('--claim', file)) as ClaimSubmission;
}

type OnProgress = Parameters<typeof runCheck>[1];

/** Shows the current rule on one line of stderr if it is a terminal, and removes the line at the end. */
async function withProgress<T>(
  { stderr }: CommandIo,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  if (stderr.isTTY !== true) return work(() => {});
  try {
    return await work((name, index, count) =>
      stderr.write(`${CLEAR_LINE}${index + 1}/${count} ${name.slice(0, 68)}`),
    );
  } finally {
    stderr.write(CLEAR_LINE);
  }
}

/**
 * Requests the listing of the user to detect a wrong key, client or base URL before the rules run. Only a status that
 * the link endpoint also returns counts; otherwise the rules report it.
 */
async function assertReachable(target: ResolvedTarget): Promise<void> {
  const { endText } = await import('./check-run.js');
  const { createDeployment } = await import('../lib/testing/contract-suite/deployment.js');
  const { RuleError } = await import('../lib/testing/contract-suite/expect.js');
  const { baseUrl, clientId } = target;
  const { getListing, postLink } = createDeployment(target);
  try {
    const { status } = await getListing();
    if (![401, 403, 404].includes(status)) return;
    // An empty request creates no link.
    if ((await postLink({})).status !== status) return;
    throw new UsageError(
      status === 404
        ? `The deployment responds with 404: it has no client ${clientId}, or ${baseUrl} is not its base URL.`
        : `The deployment responds with ${status}: it does not accept this API key for the client ${clientId}.`,
    );
  } catch (error) {
    // The rules report what is wrong with a response.
    if (!(error instanceof RuleError)) throw error;
    if (error.endsRun) throw new UsageError(endText(error));
    if (error.response === undefined)
      throw new UsageError(`The deployment at ${new URL(baseUrl).origin} gives ${error.actual}.`);
  }
}
