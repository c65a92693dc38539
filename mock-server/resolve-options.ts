// Checks the options of a mock against a closed list, fills in the defaults, and copies them.
import type { ErrorDetail } from '../lib/index.js';
import {
  DEFAULT_CLIENT,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_REF_DATE,
  DEFAULT_SEED,
  DEFAULT_USER_COUNT,
} from './defaults.js';
import { CHECKS, combinationProblems } from './option-checks.js';
import {
  invalidMockOptions,
  type MockClientOptions,
  type MockServerOptions,
  type ResolvedMockOptions,
} from './options.js';

/**
 * Checks and completes the options. The caller's object is neither kept nor changed.
 * @throws `options_invalid` with all problems.
 */
export function resolveMockOptions(options: MockServerOptions = {}): ResolvedMockOptions {
  if (typeof options !== 'object' || options === null) {
    throw invalidMockOptions([{ pointer: '', rule: 'type', detail: 'must be an object' }]);
  }
  const problems: ErrorDetail[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof MockServerOptions] : undefined;
    const found = check ? check(value) : 'is not an option of the mock server';
    if (typeof found === 'string')
      problems.push({ pointer: `/${name}`, rule: check ? 'value' : 'unknown_option', detail: found });
    else if (found !== undefined) problems.push(...found);
  }
  if (problems.length === 0) problems.push(...combinationProblems(options));
  if (problems.length > 0) throw invalidMockOptions(problems);
  return Object.freeze({
    port: options.port ?? DEFAULT_PORT,
    host: options.host ?? DEFAULT_HOST,
    publicUrl: options.publicUrl,
    seed: options.seed ?? DEFAULT_SEED,
    refDate: new Date(options.refDate ?? DEFAULT_REF_DATE),
    clients: clientsOf(options),
    userCount: options.userCount ?? DEFAULT_USER_COUNT,
    sessionCount: options.sessionCount,
    scenario: structuredClone(options.scenario),
    now: options.now ?? (() => new Date()),
    latencyMs: structuredClone(options.latencyMs ?? 0),
    errorRate: options.errorRate ?? 0,
    log: options.log ?? 'silent',
    logStream: options.logStream ?? process.stderr,
    database: options.database,
    schema: options.schema,
    persistFile: options.persistFile,
    corsOrigins: Object.freeze([...(options.corsOrigins ?? [])]),
    tls: structuredClone(options.tls),
    control: options.control ?? true,
    controlToken: options.controlToken,
  });
}

/** The clients besides those of the scenario. */
function clientsOf({ clients, clientCount, scenario }: MockServerOptions): readonly MockClientOptions[] {
  if (clients !== undefined) return structuredClone(clients);
  if (clientCount === undefined && scenario !== undefined) return [];
  const { clientId, apiKey, name } = DEFAULT_CLIENT;
  return Array.from({ length: clientCount ?? 1 }, (_, index) => {
    const suffix = index === 0 ? '' : `-${index + 1}`;
    return {
      clientId: clientId + suffix,
      apiKey: apiKey + suffix,
      name: `${name}${suffix.replace('-', ' ')}`,
    };
  });
}
