// The options of startMockServer and createMockFetch.
import { ClaimlinkError, type ErrorDetail } from '../lib/index.js';
import type { PostgresDatabase } from '../lib/storage/postgres/index.js';
import type { LogStream } from './cli/output.js';
import type { LogFormat } from './defaults.js';
import type { Scenario } from './scenario/scenario.js';

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

/** What a mock's world is made of, with or without a port. */
export interface MockWorldOptions {
  /** What links start with: absolute http(s) URL. Default: the address that the server is bound to. */
  publicUrl?: string;
  /** What the data derives from: a safe integer or a text of 1 to 100 characters. Default 42. */
  seed?: number | string;
  /** The moment that seeded sessions lie before: a Date or ISO 8601 text, year 1980 to 9000. Default 2026-01-01. */
  refDate?: Date | string;
  /** Default: one client `demo` with the key `clk_test_demo`; none where there is a scenario. */
  clients?: readonly MockClientOptions[];
  /** So many clients, 1 to 1000, made up after `demo`: `demo-2` with the key `clk_test_demo-2`, … Not with `clients`. */
  clientCount?: number;
  /** So many users of each client are named, 1 to 100_000: `user-1`, … Any other one has sessions too. Default 5. */
  userCount?: number;
  /** So many sessions has each user, 0 to 10_000. Default: 1 to 8, drawn. */
  sessionCount?: number;
  /** A hand-written world: clients, and users with exactly the sessions that are given. */
  scenario?: Scenario;
  /** The clock under the mock's own one. Default: the system's. */
  now?: () => Date;
  /** Each answer of the service comes so much later: milliseconds, 0 to 60_000, or a range to draw from. Default 0. */
  latencyMs?: number | readonly [number, number];
  /** Which share of the requests to the service is answered with 500, 0 to 1, drawn from the seed. Default 0. */
  errorRate?: number;
}

/** Options of `startMockServer`. An unknown or bad one rejects with `options_invalid`. */
export interface MockServerOptions extends MockWorldOptions {
  /** 0 .. 65_535; 0 takes any free port. Default 4010. */
  port?: number;
  /** Address to bind. Default 127.0.0.1: reachable from this machine only. */
  host?: string;
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
  /** Path of a JSON file to keep the world in: loaded at the start, written with each change. Not with `database`. */
  persistFile?: string;
  /** Web origins that may call the service from a browser, such as http://localhost:5173; `*`: any. Default: none. */
  corsOrigins?: readonly string[];
  /** Certificate and key as PEM text: the server then speaks https. */
  tls?: { cert: string; key: string };
  /** false: no dashboard and no control routes. Default true. */
  control?: boolean;
  /**
   * What dashboard and control routes ask for, as a bearer token or as the password of Basic authentication:
   * 16 to 200 printable ASCII characters. Required where they can be reached from other machines.
   */
  controlToken?: string;
}

/** Options that have no default but absence. */
type Absent =
  | 'publicUrl'
  | 'database'
  | 'schema'
  | 'persistFile'
  | 'tls'
  | 'controlToken'
  | 'scenario'
  | 'sessionCount';

/** The options with every default filled in. */
export type ResolvedMockOptions = Readonly<
  Required<Omit<MockServerOptions, Absent | 'refDate' | 'clientCount'>> & {
    [K in Absent]: MockServerOptions[K] | undefined;
  } & { refDate: Date }
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
