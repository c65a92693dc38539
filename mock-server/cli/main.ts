// The command line without the process: arguments, environment and streams come in, an exit code goes out.
import { createRequire } from 'node:module';
import { DEFAULT_HOST, DEFAULT_PORT } from '../defaults.js';
import type { CommandIo } from './command-io.js';
import { type CommandLine, type Environment, type Request, readCommandLine } from './command-line.js';
import { FLAGS, type FlagKey, UsageError } from './flags.js';
import { helpText } from './help.js';

export type { CommandIo } from './command-io.js';

/**
 * Runs a command. Resolves to the exit code: 0 done, 1 a rule that `check` saw fail, or a bug of ours, 2 called in a way
 * that cannot work.
 * `mock` resolves when a signal has closed the server.
 */
export async function main(argv: readonly string[], env: Environment, io: CommandIo): Promise<number> {
  let request: Request | undefined;
  try {
    request = readCommandLine(argv, env);
    return await answer(request, env, io);
  } catch (error) {
    const sentences = await usageSentences(error, request?.kind === 'run' ? request.line : undefined);
    if (sentences.length > 0) {
      io.stderr.write(sentences.map((sentence) => `claimlink: ${sentence}\n`).join(''));
      return 2;
    }
    io.stderr.write(`claimlink: unexpected error\n${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
}

async function answer(request: Request, env: Environment, io: CommandIo): Promise<number> {
  if (request.kind === 'run') return run(request.line, env, io);
  io.stdout.write(request.kind === 'help' ? helpText(request.topic) : `${version()}\n`);
  return 0;
}

/** Each command is loaded when it runs: the help text waits for none, and no other command for Fastify and faker. */
async function run(line: CommandLine, env: Environment, io: CommandIo): Promise<number> {
  switch (line.command) {
    case 'mock':
      await (await import('./mock-command.js')).runMock(line, env, io);
      return 0;
    case 'openapi':
      io.stdout.write(await openApiText(line.values.publicUrl));
      return 0;
    case 'check':
      return (await import('./check-command.js')).runCheckCommand(line, env, io);
    case 'migrate':
      await (await import('./database-commands.js')).runMigrate(line, io);
      return 0;
    case 'clients add':
      await (await import('./database-commands.js')).runClientsAdd(line, io);
      return 0;
    case 'sweep':
      await (await import('./database-commands.js')).runSweep(line, io);
      return 0;
    case 'keys issue':
      await (await import('./keys-commands.js')).runKeysIssue(line, io);
      return 0;
    case 'keys list':
      await (await import('./keys-commands.js')).runKeysList(line, io);
      return 0;
    case 'keys revoke':
      await (await import('./keys-commands.js')).runKeysRevoke(line, io);
      return 0;
  }
}

async function openApiText(publicUrl = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`): Promise<string> {
  const { createClaimlink, createLinkSigner, createMemoryStorage } = await import('../../lib/index.js');
  // The document needs neither storage nor keys, but a service has both.
  const signer = createLinkSigner({
    keys: [{ kid: 'unused', algorithm: 'HS256', secret: new Uint8Array(32) }],
    issuer: publicUrl,
  });
  const { openapi } = createClaimlink({ storage: createMemoryStorage(), signer, publicUrl });
  return `${JSON.stringify(openapi, null, 2)}\n`;
}

function version(): string {
  // By its own name, so that it is found from the sources as well as from dist.
  return String(createRequire(import.meta.url)('claimlink/package.json').version);
}

/** An error that the caller can mend, in terms of what the caller wrote: one sentence for each problem. */
async function usageSentences(error: unknown, line: CommandLine | undefined): Promise<readonly string[]> {
  if (error instanceof UsageError) return [error.message];
  const { isClaimlinkError } = await import('../../lib/index.js');
  if (isClaimlinkError(error) && error.code === 'options_invalid') {
    return (error.details ?? []).map(({ pointer = '', detail }) => {
      const [, option = '', , member] = pointer.split('/');
      const key = option === 'tls' ? 'tlsCert' : option;
      const name = Object.hasOwn(FLAGS, key) ? line?.nameOf(key as FlagKey) : key;
      return `${name}${member ? `: ${member}` : ''} ${detail}.`;
    });
  }
  if (line?.values.databaseUrl === undefined) return [];
  const { databaseSentence } = await import('./database-errors.js');
  const sentence = databaseSentence(error, line.nameOf('databaseUrl'));
  return sentence === undefined ? [] : [sentence];
}
