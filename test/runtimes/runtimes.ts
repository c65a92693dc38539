// Runs the contract suite against the fetch handler in each runtime, and other suites inside the runtime.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { contractSuite, isNotApplicable } from '../../lib/testing/index.js';
import { REPOSITORY } from '../repository.js';

const PACKAGES = fileURLToPath(new URL('test/runtimes/packages/', REPOSITORY));
const HOSTS = fileURLToPath(new URL('test/runtimes/hosts/', REPOSITORY));

/** The service of `hosts/claimlink.mjs`. */
const PUBLIC_URL = 'https://claims.example.com/claims';
const CLIENT = { clientId: 'acme', otherClientId: 'other', apiKey: 'clk_example', userId: 'user-1' };

/** The first date on which `require` returns what CommonJS packages such as jsonwebtoken expect. */
const COMPATIBILITY_DATE = '2026-01-22';

/** Maximum life of a program, so that a runtime that hangs fails the test. */
const TIMEOUT_MS = 120_000;

/** How many runtimes run at the same time. */
const CONCURRENCY = 2;

/** The result of one suite. */
export interface SuiteResult {
  total: number;
  failed: readonly Failure[];
}

interface Failure {
  name: string;
  message: string;
}

/** The result of a runtime. */
export interface RuntimeResult {
  /** Name and version, such as `Deno 2.9.6`. */
  runtime: string;
  /** The rules that do not apply count as failed: every rule applies to the hosts. */
  contract: SuiteResult;
  /** The storage suite on the memory storage. */
  storage: SuiteResult;
  /** The storage suite on the SQLite of the runtime, if it has one. */
  sqlite?: SuiteResult;
  /** The suite of photo stores, on the memory store. */
  photosInMemory: SuiteResult;
  /** The suite of photo stores, on the folder store, if the runtime has a file system. */
  photosInFolder?: SuiteResult;
  /** The suite of photo stores, on the S3 store over a bucket in memory. */
  photosOnS3: SuiteResult;
  /** The keys of `createLinkSigner`. */
  keys: SuiteResult;
  /** What the programs wrote to stderr: errors that `onError` got, and warnings of the runtime. */
  stderr: string;
}

interface Runtime {
  name: string;
  /** Name of the package in `packages/package.json`. */
  package: string;
  /** Path of the executable in the package. */
  executable: string;
  /** File of `hosts` that serves the fetch handler. */
  host: string;
  /** File of `hosts` that runs the suites of this runtime. */
  suites: string;
  /** Returns the arguments that run a file of `hosts`. Writes files to the folder only. */
  argumentsFor(file: string, folder: string): Promise<readonly string[]>;
}

function scriptRuntime(
  runtime: Pick<Runtime, 'name' | 'package' | 'executable' | 'host'>,
  ...flags: readonly string[]
): Runtime {
  return {
    ...runtime,
    suites: 'print-suites.mjs',
    argumentsFor: async (file, folder) => [
      ...flags.map((flag) => flag.replace('FOLDER', folder)),
      HOSTS + file,
    ],
  };
}

const RUNTIMES: readonly Runtime[] = [
  ...[20, 22, 24, 26].map((major) =>
    scriptRuntime(
      { name: 'Node', package: `node${major}`, executable: 'bin/node', host: 'node.mjs' },
      // Node 22 warns that its SQLite is experimental.
      '--disable-warning=ExperimentalWarning',
    ),
  ),
  scriptRuntime({ name: 'Bun', package: 'bun', executable: 'bin/bun.exe', host: 'bun.mjs' }),
  scriptRuntime(
    { name: 'Deno', package: 'deno', executable: 'deno', host: 'deno.mjs' },
    'run',
    '--no-prompt',
    '--allow-read',
    '--allow-write=FOLDER',
    '--allow-env',
    '--allow-net=127.0.0.1',
  ),
  {
    name: 'workerd',
    package: 'workerd',
    executable: 'bin/workerd',
    host: 'workerd.mjs',
    suites: 'workerd-suites.mjs',
    argumentsFor: bundleForWorkerd,
  },
];

const executableOf = (runtime: Runtime) =>
  join(PACKAGES, 'node_modules', runtime.package, runtime.executable);

/** The names of all runtimes with their versions, in the order of the table. */
export const RUNTIME_NAMES: readonly string[] = RUNTIMES.map(titleOf);

function titleOf({ name, package: packageName }: Runtime): string {
  const { devDependencies } = JSON.parse(readFileSync(join(PACKAGES, 'package.json'), 'utf8'));
  // `1.4.5`, or `npm:node@20.20.2`.
  return `${name} ${String(devDependencies[packageName]).replace(/^.*@/, '')}`;
}

/** Returns whether every runtime is installed. */
export function areInstalled(): boolean {
  return RUNTIMES.every((runtime) => existsSync(executableOf(runtime)));
}

/** Runs all suites in all runtimes. */
export async function runAll(): Promise<RuntimeResult[]> {
  const results: RuntimeResult[] = [];
  const queue = [...RUNTIMES.entries()];
  async function work(): Promise<void> {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift())
      results[entry[0]] = await runSuites(entry[1]);
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

/** Returns the cells of the row of a runtime: `186 of 186` for each suite, `none` if the runtime lacks what it needs. */
export function toRow({ runtime, keys, ...results }: RuntimeResult): string[] {
  const counts = [...suitesOf(results), keys].map((result) =>
    result ? `${result.total - result.failed.length} of ${result.total}` : 'none',
  );
  return [runtime, ...counts];
}

/** Returns the results in the order of the table, but for link keys. */
export function suitesOf({
  contract,
  storage,
  sqlite,
  photosInMemory,
  photosInFolder,
  photosOnS3,
}: Omit<RuntimeResult, 'runtime' | 'keys' | 'stderr'>): (SuiteResult | undefined)[] {
  return [contract, storage, sqlite, photosInMemory, photosInFolder, photosOnS3];
}

async function runSuites(runtime: Runtime): Promise<RuntimeResult> {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-runtime-'));
  try {
    const contract = await withProgram(runtime, runtime.host, folder, async (program) =>
      runContractSuite(await originOf(program)),
    );
    const suites = await runInside(runtime, folder);
    const stderr = contract.stderr + suites.stderr;
    return { runtime: titleOf(runtime), contract: contract.result, ...suites.result, stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the suites that run inside a runtime. */
function runInside(runtime: Runtime, folder: string) {
  return withProgram(runtime, runtime.suites, folder, async (program) => {
    const results =
      runtime.suites === 'print-suites.mjs'
        ? JSON.parse(await program.waitFor(/^(\{.*\})$/m))
        : await (await fetch(await originOf(program))).json();
    return results as Omit<RuntimeResult, 'runtime' | 'contract' | 'stderr'>;
  });
}

/** Runs the storage suite on the SQLite of a runtime, by its name with its version. */
export async function runSqlite(name: string): Promise<SuiteResult | undefined> {
  const runtime = RUNTIMES.find((candidate) => titleOf(candidate) === name);
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-runtime-'));
  try {
    return runtime && (await runInside(runtime, folder)).result.sqlite;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The hosts print their origin, and workerd prints its port. */
async function originOf(program: Program): Promise<string> {
  return `http://127.0.0.1:${await program.waitFor(/(?:127\.0\.0\.1:|"port":)(\d+)/)}`;
}

async function runContractSuite(origin: string): Promise<SuiteResult> {
  const failed: Failure[] = [];
  const cases = contractSuite({
    ...CLIENT,
    baseUrl: PUBLIC_URL,
    // Links lead to the public URL, as behind a proxy.
    fetch: async (request) => {
      const { method, headers, redirect } = request;
      const body = request.body === null ? {} : { body: new Uint8Array(await request.arrayBuffer()) };
      const url = origin + request.url.slice(new URL(PUBLIC_URL).origin.length);
      return fetch(url, { method, headers, redirect, ...body });
    },
  }).filter(({ section }) => section !== 'Decision: photos'); // its service takes no photos
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failed.push({ name, message: isNotApplicable(error) ? `not applicable: ${reason}` : reason });
    }
  }
  return { total: cases.length, failed };
}

/** A program that runs. */
interface Program {
  /** Resolves with the first group of the pattern in stdout. Rejects if the program ends before. */
  waitFor(pattern: RegExp): Promise<string>;
  /** Ends the program and returns what it wrote to stderr. */
  stop(): Promise<string>;
}

async function withProgram<T>(
  runtime: Runtime,
  file: string,
  folder: string,
  use: (program: Program) => Promise<T>,
): Promise<{ result: T; stderr: string }> {
  const program = startProgram(executableOf(runtime), await runtime.argumentsFor(file, folder), folder);
  try {
    const result = await use(program);
    return { result, stderr: await program.stop() };
  } finally {
    await program.stop();
  }
}

function startProgram(executable: string, args: readonly string[], folder: string): Program {
  const { PATH = '', HOME = '' } = process.env;
  // `env -i` also removes the hooks that tap and c8 add to the environment of child processes.
  const variables = [
    `PATH=${PATH}`,
    `HOME=${HOME}`,
    `DENO_DIR=${folder}`,
    `FOLDER=${folder}`,
    'NO_COLOR=1',
    'PORT=0',
  ];
  const child = spawn('env', ['-i', ...variables, executable, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const closed = once(child, 'close');
  return {
    async waitFor(pattern) {
      for (let isClosed = false; ; ) {
        const match = pattern.exec(stdout)?.[1];
        if (match !== undefined) return match;
        if (isClosed) throw new Error(`${executable} ended: ${stdout}${stderr}`);
        isClosed = await Promise.race([
          once(child.stdout, 'data').then(() => false),
          closed.then(() => true),
        ]);
      }
    },
    async stop() {
      child.kill();
      await closed;
      return stderr;
    },
  };
}

/** Bundles a file, because workerd reads one. CommonJS packages in it call `require` for the modules of Node. */
async function bundleForWorkerd(file: string, folder: string): Promise<readonly string[]> {
  await build({
    entryPoints: [HOSTS + file],
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
    outfile: join(folder, file),
    logLevel: 'error',
  });
  const config = join(folder, `${file}.capnp`);
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "${file}")],
    compatibilityDate = "${COMPATIBILITY_DATE}",
    compatibilityFlags = ["nodejs_compat"],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  // With the flag, workerd prints its port.
  return ['serve', config, '--control-fd=1'];
}
