// The command line without the process: arguments, environment and streams come in, an exit code goes out.
import { createRequire } from 'node:module';
import type { CommandIo } from './command-io.js';
import { type CommandLine, type Environment, type Request, readCommandLine } from './command-line.js';
import { DEFAULT_HOST, DEFAULT_PORT } from './defaults.js';
import { FLAGS, type FlagKey, UsageError } from './flags.js';
import { helpText } from './help.js';

export type { CommandIo } from './command-io.js';

/**
 * Runs a command. Resolves to the exit code: 0 done, 1 a bug of ours, 2 called in a way that cannot work.
 * `mock` resolves when a signal has closed the server.
 */
export async function main(argv: readonly string[], env: Environment, io: CommandIo): Promise<number> {
  let request: Request | undefined;
  try {
    request = readCommandLine(argv, env);
    await answer(request, env, io);
    return 0;
  } catch (error) {
    const sentence = await usageSentence(error, request?.kind === 'run' ? request.line : undefined);
    if (sentence !== undefined) {
      io.stderr.write(`claimlink: ${sentence}\n`);
      return 2;
    }
    io.stderr.write(`claimlink: unexpected error\n${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
}

async function answer(request: Request, env: Environment, io: CommandIo): Promise<void> {
  if (request.kind === 'help') io.stdout.write(helpText(request.topic));
  else if (request.kind === 'version') io.stdout.write(`${version()}\n`);
  else await run(request.line, env, io);
}

/** Each command is loaded when it runs: the help text waits for none, and no other command for Fastify and faker. */
async function run(line: CommandLine, env: Environment, io: CommandIo): Promise<void> {
  switch (line.command) {
    case 'mock':
      return (await import('./mock-command.js')).runMock(line, env, io);
    case 'openapi':
      io.stdout.write(await openApiText(line.values.publicUrl));
      return;
    case 'migrate':
      return (await import('./database-commands.js')).runMigrate(line, io);
    case 'clients add':
      return (await import('./database-commands.js')).runClientsAdd(line, io);
    case 'sweep':
      return (await import('./database-commands.js')).runSweep(line, io);
    case 'keys issue':
      return (await import('./keys-commands.js')).runKeysIssue(line, io);
    case 'keys list':
      return (await import('./keys-commands.js')).runKeysList(line, io);
    case 'keys revoke':
      return (await import('./keys-commands.js')).runKeysRevoke(line, io);
  }
}

async function openApiText(publicUrl = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`): Promise<string> {
  const { createClaimlink, createLinkSigner, createMemoryStorage } = await import('../lib/index.js');
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

/** An error that the caller can mend, in terms of what the caller wrote. */
async function usageSentence(error: unknown, line: CommandLine | undefined): Promise<string | undefined> {
  if (error instanceof UsageError) return error.message;
  const { isClaimlinkError } = await import('../lib/index.js');
  if (isClaimlinkError(error) && error.code === 'options_invalid') {
    const sentences = (error.details ?? []).map(({ pointer = '', detail }) => {
      const [, key = '', , member] = pointer.split('/');
      const name = Object.hasOwn(FLAGS, key) ? line?.nameOf(key as FlagKey) : key;
      return `${name}${member ? `: ${member}` : ''} ${detail}`;
    });
    return `${sentences.join('; ')}.`;
  }
  if (line?.values.databaseUrl === undefined) return undefined;
  const { databaseSentence } = await import('./database-errors.js');
  return databaseSentence(error, line.nameOf('databaseUrl'));
}
