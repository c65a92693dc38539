// claimlink mock: starts the mock server, prints where it is, and closes it on a signal.
import { once } from 'node:events';
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { type Command, InvalidArgumentError } from 'commander';
import { LINK_FORMATS } from '../lib/core/types.js';
import type { MockClientOptions } from '../mock-server/control/types.js';
import { hasColor } from '../mock-server/http/terminal.js';
import { fileProblem } from '../mock-server/scenario/file-problem.js';
import { decodeText } from '../mock-server/scenario/text-file.js';
import {
  DEFAULT_CLIENT,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_REF_DATE,
  DEFAULT_SEED,
  LOG_FORMATS,
} from '../mock-server/schemas/defaults.js';
import type { MockServer } from '../mock-server/server.js';
import type { MockServerOptions } from '../mock-server/state/options.js';
import { type CommandIo, notify } from './command-io.js';
import { readDelay, readFault } from './fault.js';
import {
  Flag,
  listOf,
  nameOf,
  readInteger,
  readMoment,
  readText,
  toUsageError,
  UsageError,
} from './flags.js';

/** The values of the flags. The others are options of the mock. */
interface MockFlags extends Omit<MockServerOptions, 'scenario' | 'tls'> {
  readyJson?: boolean;
  scenario?: string;
  watch?: boolean;
  /** Path of the certificate. Has the name of the option, so that a problem of the option names `--tls-cert`. */
  tls?: string;
  tlsKey?: string;
}

const PRODUCTION_WARNING =
  'NODE_ENV is production, but this is a mock with generated data. Mount the real service with createClaimlink.';

const DATABASE_WARNING =
  'the mock ignores CLAIMLINK_DATABASE_URL. Use --persist <file> to keep its state, or run the service on a database: examples/sandbox.mjs.';

const WATCH_INTERVAL_MS = 250;

/** Every flag of the mock has a variable of its name. */
const flag = (...definition: ConstructorParameters<typeof Flag>) => new Flag(...definition).withVariable();

export function addMock(program: Command, io: CommandIo): Command {
  return program
    .command('mock')
    .description('start the mock server (default)')
    .optionsGroup('Address:')
    .addOption(flag('--port <number>', 'port; 0: a free one', readInteger).default(DEFAULT_PORT))
    .addOption(flag('--host <address>', 'address to bind').default(DEFAULT_HOST))
    .addOption(flag('--public-url <url>', 'start of the links (default: the server)'))
    .addOption(
      flag('--allowed-host <name>', 'further name of this server in the Host header', listOf(String, ',')).as(
        'allowedHosts',
      ),
    )
    .addOption(flag('--tls-cert <file>', 'certificate for https, PEM').as('tls'))
    .addOption(flag('--tls-key <file>', 'private key of the certificate, PEM'))
    .addOption(
      flag('--cors-origin <origin>', 'web origin that may call the API; *: all', listOf(String, ',')).as(
        'corsOrigins',
      ),
    )
    .optionsGroup('Data:')
    .addOption(
      flag('--seed <number|text>', 'the same seed gives the same data', readSeed).default(DEFAULT_SEED),
    )
    .addOption(
      flag('--ref-date <date>', 'seeded sessions are older than this', readMoment).default(
        new Date(DEFAULT_REF_DATE),
        DEFAULT_REF_DATE.slice(0, 10),
      ),
    )
    .addOption(
      flag(
        '--client <id:key>',
        `a client and its API key (default: ${DEFAULT_CLIENT.clientId}:${DEFAULT_CLIENT.apiKey})`,
        listOf(readClient, ','),
      ).as('clients'),
    )
    .addOption(
      flag('--sessions <number>', 'sessions per user, generated on demand (default: 1 to 8)', readInteger).as(
        'sessionCount',
      ),
    )
    .addOption(flag('--scenario <file>', 'clients, sessions and links, JSON or YAML'))
    .addOption(flag('--watch [on|off]', 'start anew when the scenario file changes', readSwitch).preset('on'))
    .addOption(flag('--persist <file>', 'keep the state in this file over restarts').as('persistFile'))
    .optionsGroup('Behaviour:')
    .addOption(
      flag('--latency <ms>', 'delay of API responses: 200, or a range 100-800', readDelay).as('latencyMs'),
    )
    .addOption(
      flag(
        '--fault <members>',
        'an initial fault, such as route=createLink,status=503',
        listOf(readFault, ';'),
      ).as('faults'),
    )
    .addOption(flag('--link-format <format>', 'token of links').choices(LINK_FORMATS).default('jws'))
    .addOption(flag('--events <kinds>', 'kinds of events (default: claim.submitted)', listOf(String, ',')))
    .addOption(flag('--webhook <url>', 'your backend, which gets each event as a Standard Webhook'))
    .addOption(flag('--webhook-secret <secret>', 'signs the webhook, whsec_... (default: generated)'))
    .addOption(
      flag('--log <format>', 'log on stderr; json: all lines are JSON')
        .choices(LOG_FORMATS)
        .default('pretty'),
    )
    .addOption(flag('--ready-json [on|off]', 'print one line of JSON when ready', readSwitch).preset('on'))
    .addOption(flag('--control-token <token>', 'token for the dashboard and the control API'))
    .addOption(
      flag('--control-origin <origin>', 'web origin that may call the control API', listOf(String, ',')).as(
        'controlOrigins',
      ),
    )
    .addHelpText(
      'after',
      `
--client, --allowed-host, --cors-origin, --control-origin and --fault may be repeated.
Example: claimlink --client acme:clk_acme --latency 100-800 --persist mock.json`,
    )
    .action((flags: MockFlags, command: Command) => runMock(flags, command, io));
}

/** Resolves when a signal has closed the server. */
async function runMock(flags: MockFlags, command: Command, io: CommandIo): Promise<void> {
  if (io.env['NODE_ENV'] === 'production') notify(io, 'warn', PRODUCTION_WARNING);
  if (io.env['CLAIMLINK_DATABASE_URL']) notify(io, 'warn', DATABASE_WARNING);
  const { scenario, watch = false } = flags;
  if (watch && scenario === undefined) throw new UsageError('--watch needs --scenario.');
  // Before this there is nothing to close: a signal ends the process at once, also while a parser runs.
  const options = await readOptions(flags, command);
  const stop = untilStopped(io);
  let endWatch = () => {};
  try {
    const { startMockServer } = await import('../mock-server/server.js');
    const mock = await startMockServer({ ...options, logStream: io.stderr });
    const shown = { ...options, platform: process.platform, isColored: hasColor(io.stdout, io.env) };
    const { readyLine, startText } = await import('./start-text.js');
    const isJson = flags.readyJson || flags.log === 'json';
    io.stdout.write(await (isJson ? readyLine(mock, options) : startText(mock, shown)));
    // By default V8 lets a heap grow to several times of its content. A mock shares the machine of a developer, so less memory
    // is worth more collections. They would delay the start.
    setFlagsFromString('--heap-growing-percent=40');
    if (watch && scenario !== undefined) endWatch = watchScenario(scenario, mock, command, io);
    await stop.signal;
    await mock.close();
  } finally {
    endWatch();
    stop.forget();
  }
}

/** Reads the scenario when its file changes, by polling: editors replace the file. A mistake leaves the state. */
function watchScenario(path: string, mock: MockServer, command: Command, io: CommandIo): () => void {
  let reading = Promise.resolve();
  async function read(): Promise<void> {
    try {
      const { loadScenario } = await import('../mock-server/scenario/scenario-file.js');
      await mock.setScenario(await loadScenario(path));
      notify(io, 'info', `the mock has started anew with ${path}.`);
    } catch (error) {
      const { message } = toUsageError(error, command) as Error;
      notify(io, 'error', `${message}\nThe mock keeps its state.`);
    }
  }
  const listener = () => {
    reading = reading.then(read);
  };
  watchFile(path, { interval: WATCH_INTERVAL_MS }, listener);
  return () => unwatchFile(path, listener);
}

/** Returns the options of the mock, and reads the files that the flags name. */
async function readOptions(flags: MockFlags, command: Command): Promise<MockServerOptions> {
  const { readyJson: _, watch: _watch, scenario, tls, tlsKey, ...options } = flags;
  if (scenario !== undefined) {
    const { loadScenario } = await import('../mock-server/scenario/scenario-file.js');
    Object.assign(options, { scenario: await loadScenario(scenario) });
  }
  if (tls === undefined && tlsKey === undefined) return options;
  if (tls === undefined || tlsKey === undefined)
    throw new UsageError('--tls-cert and --tls-key need each other.');
  const [cert, key] = await Promise.all([readPem(command, 'tls', tls), readPem(command, 'tlsKey', tlsKey)]);
  return { ...options, tls: { cert, key } };
}

async function readPem(command: Command, key: string, file: string): Promise<string> {
  try {
    return decodeText(await readFile(file));
  } catch (error) {
    throw new UsageError(`${nameOf(command, key)} ${file} ${fileProblem(error)}. Name a file in PEM format.`);
  }
}

function readSeed(text: string): number | string {
  return /^(?:0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : readText(text);
}

/** Reads a client and its API key: `id:key`. */
function readClient(text: string): MockClientOptions {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1)
    throw new InvalidArgumentError('It must look like id:key, such as demo:clk_test_demo.');
  return { clientId: text.slice(0, colon), apiKey: text.slice(colon + 1) };
}

/** Reads on or off, in upper or lower case: a variable has a value. */
function readSwitch(text: string): boolean {
  const word = text.toLowerCase();
  if (['1', 'true', 'on', 'yes'].includes(word)) return true;
  if (['0', 'false', 'off', 'no'].includes(word)) return false;
  throw new InvalidArgumentError('It must be on or off.');
}

/** The first SIGINT or SIGTERM asks for a clean end, the second one ends the process. */
function untilStopped(io: CommandIo): { signal: Promise<unknown>; forget(): void } {
  const stop = new AbortController();
  const listener = () => {
    if (stop.signal.aborted) io.exit(130);
    stop.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) io.on(name, listener);
  return {
    signal: once(stop.signal, 'abort'),
    forget() {
      for (const name of ['SIGINT', 'SIGTERM'] as const) io.off(name, listener);
    },
  };
}
