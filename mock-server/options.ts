// The options of startMockServer: checked against a closed list, defaulted, copied.
import {
  assertCallbackOrigins,
  assertClientId,
  ClaimlinkError,
  type ErrorDetail,
  isClaimlinkError,
} from '../lib/index.js';
import type { PostgresDatabase } from '../lib/storage/postgres.js';
import {
  DEFAULT_CLIENT,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_REF_DATE,
  DEFAULT_SEED,
  LOG_FORMATS,
  type LogFormat,
} from './defaults.js';
import type { LogStream } from './output.js';

/** A client of the mock. */
export interface MockClientOptions {
  /** 1 to 100 characters; never `verify`, never starting with `__`. */
  clientId: string;
  /** What the client sends as x-api-key: 1 to 200 printable ASCII characters without spaces, unlike any other's. */
  apiKey: string;
  /** Shown on the standalone pages and the dashboard. */
  name?: string;
  /** Where its links may send users back to. Default: any https origin, and http on loopback hosts. */
  callbackOrigins?: readonly string[];
}

/** Options of `startMockServer`. An unknown or bad one rejects with `options_invalid`. */
export interface MockServerOptions {
  /** 0 .. 65_535; 0 takes any free port. Default 4010. */
  port?: number;
  /** Address to bind. Default 127.0.0.1: reachable from this machine only. */
  host?: string;
  /** What links start with: absolute http(s) URL. Default: the address that the server is bound to. */
  publicUrl?: string;
  /** What the data derives from: a safe integer or a text of 1 to 100 characters. Default 42. */
  seed?: number | string;
  /** The moment that seeded sessions lie before: a Date or ISO 8601 text, year 1980 to 9000. Default 2026-01-01. */
  refDate?: Date | string;
  /** Default: one client `demo` with the key `clk_test_demo`. */
  clients?: readonly MockClientOptions[];
  /** The clock of links, pages and submissions. Default: the system's. */
  now?: () => Date;
  /** One line per request, without tokens, keys, user ids and bodies. Default `silent`. */
  log?: LogFormat;
  /** Where the log goes. Default: stderr. */
  logStream?: LogStream;
  /**
   * A PostgreSQL, such as a `pg` Pool, to keep the world in: clients, sessions, links and what signs them are there
   * again after a restart. Tables are made as needed. Default: in memory. Not closed by the mock.
   */
  database?: PostgresDatabase;
  /** Schema of the tables in `database`; must exist. Default: the first of the connection's search_path. */
  schema?: string;
}

/** The options with every default filled in. */
export type ResolvedMockOptions = Readonly<
  Required<Omit<MockServerOptions, 'publicUrl' | 'refDate' | 'database' | 'schema'>> & {
    publicUrl: string | undefined;
    database: PostgresDatabase | undefined;
    schema: string | undefined;
    refDate: Date;
  }
>;

/** An error about options of this module: `options_invalid` with every problem, named in the message. */
export function invalidMockOptions(details: readonly ErrorDetail[], cause?: unknown): ClaimlinkError {
  const message = details
    .map(({ pointer, detail }) => `${pointer?.slice(1) || 'options'} ${detail}`)
    .join('; ');
  return new ClaimlinkError('options_invalid', `startMockServer options: ${message}.`, {
    details,
    ...(cause !== undefined && { cause }),
  });
}

type Check = (value: unknown) => string | readonly ErrorDetail[] | undefined;

const CHECKS: Record<keyof MockServerOptions, Check> = {
  port: (value) => unless(isIntegerBetween(value, 0, 65_535), 'must be a whole number, 0 to 65535'),
  host: (value) =>
    unless(typeof value === 'string' && /^[\w.:%-]+$/.test(value), 'must be a host name or an IP address'),
  // createClaimlink says what is wrong with it in detail.
  publicUrl: (value) => unless(typeof value === 'string', 'must be a string'),
  seed: (value) =>
    unless(
      typeof value === 'string' ? value.length >= 1 && value.length <= 100 : Number.isSafeInteger(value),
      'must be a whole number, or a text of 1 to 100 characters',
    ),
  refDate: (value) => unless(isRefDate(value), 'must be a date, year 1980 to 9000'),
  clients: checkClients,
  now: (value) => unless(typeof value === 'function', 'must be a function'),
  log: (value) =>
    unless(LOG_FORMATS.includes(value as LogFormat), `must be one of: ${LOG_FORMATS.join(', ')}`),
  logStream: (value) => unless(typeof member(value, 'write') === 'function', 'must be a stream to write to'),
  database: (value) =>
    unless(typeof member(value, 'query') === 'function', 'must have a method query, as a pool of pg has'),
  // createPostgresStorage says what is wrong with it in detail.
  schema: (value) => unless(typeof value === 'string', 'must be a string'),
};

/**
 * Checks and completes the options. The caller's object is neither kept nor changed.
 * @throws `options_invalid` with all problems.
 */
export function resolveMockOptions(options: MockServerOptions = {}): ResolvedMockOptions {
  if (typeof options !== 'object' || options === null) {
    throw invalidMockOptions([{ pointer: '', detail: 'must be an object' }]);
  }
  const problems: ErrorDetail[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof MockServerOptions] : undefined;
    const found = check ? check(value) : 'is not an option of the mock server';
    if (typeof found === 'string') problems.push({ pointer: `/${name}`, detail: found });
    else if (found !== undefined) problems.push(...found);
  }
  if (options.schema !== undefined && options.database === undefined)
    problems.push({ pointer: '/schema', detail: 'needs a database' });
  if (problems.length > 0) throw invalidMockOptions(problems);
  return Object.freeze({
    port: options.port ?? DEFAULT_PORT,
    host: options.host ?? DEFAULT_HOST,
    publicUrl: options.publicUrl,
    seed: options.seed ?? DEFAULT_SEED,
    refDate: new Date(options.refDate ?? DEFAULT_REF_DATE),
    clients: structuredClone(options.clients ?? [DEFAULT_CLIENT]),
    now: options.now ?? (() => new Date()),
    log: options.log ?? 'silent',
    logStream: options.logStream ?? process.stderr,
    database: options.database,
    schema: options.schema,
  });
}

function checkClients(value: unknown): string | readonly ErrorDetail[] {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one client';
  const problems: ErrorDetail[] = [];
  for (const [index, client] of value.entries()) {
    const report = (name: string, detail: string | undefined) => {
      if (detail !== undefined) problems.push({ pointer: `/clients/${index}/${name}`, detail });
    };
    const others = value.slice(0, index);
    report('clientId', checkClientId(member(client, 'clientId')));
    report('clientId', checkTaken(others, client, 'clientId'));
    report('apiKey', checkApiKey(member(client, 'apiKey')));
    report('apiKey', checkTaken(others, client, 'apiKey'));
    const name = member(client, 'name');
    report('name', unless(name === undefined || typeof name === 'string', 'must be a string'));
    report('callbackOrigins', checkCallbackOrigins(member(client, 'callbackOrigins')));
    for (const key of Object.keys(Object(client))) {
      if (!CLIENT_MEMBERS.includes(key)) report(key, 'is not a member of a client');
    }
  }
  return problems;
}

const CLIENT_MEMBERS = ['clientId', 'apiKey', 'name', 'callbackOrigins'];

function checkClientId(value: unknown): string | undefined {
  return typeof value === 'string' ? reasonOf(() => assertClientId(value)) : 'is required, a string';
}

function checkApiKey(value: unknown): string | undefined {
  const isKey = typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value);
  return unless(isKey, 'must be 1 to 200 printable ASCII characters without spaces');
}

function checkTaken(others: readonly unknown[], client: unknown, name: string): string | undefined {
  const isTaken = others.some((other) => member(other, name) === member(client, name));
  return unless(!isTaken, "is another client's already");
}

function checkCallbackOrigins(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string'))
    return 'must be a list of strings';
  return reasonOf(() => assertCallbackOrigins(value));
}

/** What an assertion of claimlink finds wrong. */
function reasonOf(assert: () => void): string | undefined {
  try {
    assert();
    return undefined;
  } catch (error) {
    if (!isClaimlinkError(error)) throw error;
    return error.details?.[0]?.detail ?? error.message;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function unless(isRight: boolean, detail: string): string | undefined {
  return isRight ? undefined : detail;
}

function isIntegerBetween(value: unknown, minimum: number, maximum: number): boolean {
  return Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
}

function isRefDate(value: unknown): boolean {
  if (!(value instanceof Date) && typeof value !== 'string') return false;
  const year = new Date(value).getUTCFullYear();
  return year >= 1980 && year <= 9000;
}
