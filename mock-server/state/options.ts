// The options of startMockServer and createMockFetch: types, checks and defaults.
import { randomBytes } from 'node:crypto';
import {
  anyValue,
  mustBeFunction,
  mustHave,
  type OptionChecks,
  optionProblems,
} from '../../lib/core/assert-options.js';
import { invalidOptions } from '../../lib/core/errors.js';
import { isDate } from '../../lib/core/plain-data.js';
import { isLoopback, parseUrl, portProblem } from '../../lib/core/url.js';
import type { ClaimlinkOptions, EventType, LinkFormat, Problem } from '../../lib/index.js';
import { checkWith } from '../control/check.js';
import { problemAt } from '../control/errors.js';
import type { Scenario } from '../control/scenario.js';
import type { Delay, Fault, MockClientOptions } from '../control/types.js';
import { checkScenario, repeatedClients, settingsProblems } from '../scenario/scenario-check.js';
import {
  DEFAULT_CLIENT,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_REF_DATE,
  DEFAULT_SEED,
  type LogFormat,
} from '../schemas/defaults.js';
import { parseInstant } from '../schemas/moment.js';
import { FETCH_OPTION_SCHEMAS, OPTION_SCHEMAS } from '../schemas/options.js';

/** Target of the log, such as process.stderr. */
export interface LogStream {
  /** Writes text, which may have several lines. */
  write(text: string): unknown;
  /** Colours are for terminals. */
  isTTY?: boolean;
}

/** Options of `createMockFetch`. A server has them as well. An unknown or invalid option throws `options_invalid`. */
export interface MockFetchOptions {
  /** Start of links: an absolute http(s) URL. Default: the address that the server is bound to. */
  publicUrl?: string;
  /** Seed of the data: a safe integer or text of 1 to 100 characters. Default 42. */
  seed?: number | string;
  /** Seeded sessions are older than this: a Date or ISO 8601 text, year 1980 to 9000. Default 2026-01-01. */
  refDate?: Date | string;
  /** Default: one client `demo` with the key `clk_test_demo`; with a scenario: none. */
  clients?: readonly MockClientOptions[];
  /** Seeded sessions of each user, 0 to 10_000. Default: 1 to 8, from the seed. */
  sessionCount?: number;
  /** Clients with their sessions, links, clock and faults. */
  scenario?: Scenario;
  /** Clock under the mock's own clocks. Default: the system's. */
  now?: () => Date;
  /** Delays each response of the service: milliseconds, 0 to 60_000, or a range such as '100-800'. Default 0. */
  latencyMs?: Delay;
  /** Faults that are set from the start. */
  faults?: readonly Fault[];
  /** Seconds until a link expires, as in `createClaimlink`. Default 86_400. */
  linkTtlSeconds?: number;
  /** Format of the tokens of links, as in `createLinkSigner`. Default `jws`. */
  linkFormat?: LinkFormat;
  /** Accepted values of `config.initialStepKey`, as in `createClaimlink`. Default: all. */
  stepKeys?: readonly string[];
  /** The kinds of events, as in `createClaimlink`. Default: `claim.submitted`. */
  events?: readonly EventType[];
  /** Called once after each submission, with the event of `createClaimlink`. A failure goes to the log. */
  onSubmit?: ClaimlinkOptions['onSubmit'];
  /** Called once for each event of the kinds in `events`. A failure goes to the log. */
  onEvent?: ClaimlinkOptions['onEvent'];
  /**
   * Your backend: each event of the kinds in `events` is sent to this http(s) URL as a Standard Webhook, and again until it responds with 2xx.
   * The clock of the client decides when an attempt is due. Default: none.
   */
  webhook?: string;
  /** Signs the requests of the webhook: `whsec_` and 24 to 64 bytes in base64. Default: generated. */
  webhookSecret?: string;
}

/** Options of `startMockServer`. An unknown or invalid option rejects with `options_invalid`. */
export interface MockServerOptions extends MockFetchOptions {
  /** 0 to 65_535, and none that `fetch` blocks, such as 6000; 0 takes a free port. Default 4010. */
  port?: number;
  /** Address to bind. Default 127.0.0.1: reachable from this machine only. */
  host?: string;
  /**
   * One line per request, without tokens, keys, access codes, query values and bodies. Paths contain user ids.
   * Default `silent`.
   */
  log?: LogFormat;
  /** Target of the log. Default: stderr. */
  logStream?: LogStream;
  /** Path of a file that keeps the state: read at the start, written with each change. Not for editing. */
  persistFile?: string;
  /**
   * Further names of this server that a Host header may have, without a port, such as `host.docker.internal`. Over them,
   * dashboard and control routes need a control token. Default: none. Matters if `host` is a loopback address.
   */
  allowedHosts?: readonly string[];
  /**
   * Web origins that may call the service from a browser, such as http://localhost:5173; `*`: all.
   * Default: loopback origins if `host` is a loopback address, otherwise none.
   */
  corsOrigins?: readonly string[];
  /** Certificate and key as PEM text: the server uses https. */
  tls?: { cert: string; key: string };
  /**
   * Token for dashboard and control routes: a bearer token or the password of Basic authentication.
   * 16 to 200 printable ASCII characters. Required if other machines can reach them.
   */
  controlToken?: string;
  /**
   * Web origins whose pages may call the control API, and with it read every key: `connectMock` in a page of another
   * origin. Default: none.
   */
  controlOrigins?: readonly string[];
}

const DEFAULTS = {
  port: DEFAULT_PORT,
  host: DEFAULT_HOST,
  seed: DEFAULT_SEED,
  latencyMs: 0,
  faults: [],
  log: 'silent',
  controlOrigins: [] as readonly string[],
  allowedHosts: [] as readonly string[],
} as const satisfies MockServerOptions;

export type ResolvedMockOptions = ReturnType<typeof resolveMockOptions>;

/**
 * Checks and completes the options. Neither keeps nor changes the caller's object.
 * @param isServer false: it has the options of `MockFetchOptions` only, and there are no control routes
 * @throws `options_invalid` with every problem
 */
export function resolveMockOptions(options: MockServerOptions = {}, isServer = true) {
  const problems = valueProblems(options, isServer ? SERVER_CHECKS : FETCH_CHECKS);
  if (problems.length === 0) problems.push(...combinationProblems(options));
  if (problems.length === 0 && isServer) problems.push(...exposureProblems(options));
  if (problems.length > 0) throw invalidOptions(problems);
  const {
    now = () => new Date(),
    logStream = process.stderr,
    onSubmit,
    onEvent,
    refDate,
    ...others
  } = options;
  const { corsOrigins, ...set } = { ...DEFAULTS, ...structuredClone(withoutUndefined(others)) };
  return Object.freeze({
    ...set,
    webhookSecret: set.webhook && (set.webhookSecret ?? `whsec_${randomBytes(24).toString('base64')}`),
    refDate: parseInstant(refDate) ?? new Date(DEFAULT_REF_DATE),
    clients: clientsFrom(options),
    ...(onSubmit && { onSubmit }),
    ...(onEvent && { onEvent }),
    now,
    logStream: logStream as LogStream,
    /** `loopback`: all origins of loopback hosts. */
    corsOrigins: corsOrigins ?? (isLoopback(set.host) ? ('loopback' as const) : []),
  });
}

const checksOf = (schemas: object) => ({
  ...Object.fromEntries(Object.keys(schemas).map((name) => [name, anyValue])),
  now: mustBeFunction,
  onSubmit: mustBeFunction,
  onEvent: mustBeFunction,
  webhook: (url: unknown) => portProblem(parseUrl(String(url))?.port),
});
const FETCH_CHECKS = checksOf(FETCH_OPTION_SCHEMAS);
const SERVER_CHECKS = {
  ...checksOf(OPTION_SCHEMAS),
  port: (port: unknown) => portProblem(port, 'be'),
  logStream: mustHave('write'),
};

/** Checks each option alone: its name, and its value with its schema. */
function valueProblems(options: MockServerOptions, checks: object): Problem[] {
  const problems = optionProblems(options, checks as OptionChecks<MockServerOptions>);
  const { logStream: _, refDate, ...others } = Object(options) as MockServerOptions;
  const date = isDate(refDate) ? (parseInstant(refDate)?.toISOString() ?? '') : refDate;
  return [...problems, ...checkWith('options', { ...others, refDate: date })];
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}

/** Returns the problems of options that are valid on their own. */
function combinationProblems(options: MockServerOptions): Problem[] {
  const { scenario, faults = [], controlToken, webhook, webhookSecret, onSubmit, onEvent } = options;
  const clients = clientsFrom(options);
  const problems = clients.flatMap((client, index) => settingsProblems(client, `/clients/${index}`));
  if (webhookSecret !== undefined && webhook === undefined)
    problems.push(problemAt('/webhookSecret', 'combination', 'needs a webhook'));
  const detail = 'must not be used with a webhook, which gets each event';
  if (webhook !== undefined)
    for (const [name, handler] of Object.entries({ onSubmit, onEvent }))
      if (handler !== undefined) problems.push(problemAt(`/${name}`, 'combination', detail));
  if (onSubmit !== undefined && onEvent !== undefined)
    problems.push(problemAt('/onSubmit', 'combination', 'must not be used with onEvent: use onEvent'));
  for (const problem of scenario === undefined ? [] : checkScenario(scenario))
    problems.push({ ...problem, pointer: `/scenario${problem.pointer ?? ''}` });
  if (problems.length > 0) return problems;
  const scenarioClients = scenario?.clients ?? [];
  const clientIds = [...scenarioClients, ...clients].map(({ clientId }) => clientId);
  return [
    ...repeatedClients({ '/scenario/clients': scenarioClients, '/clients': clients }, controlToken),
    ...faults.flatMap(({ clientId }, index) =>
      clientId === undefined || clientIds.includes(clientId)
        ? []
        : [problemAt(`/faults/${index}/clientId`, 'combination', 'is not a client of this mock')],
    ),
  ];
}

/** The control routes show every key and every link: where other machines reach them, they need a token. */
function exposureProblems({
  publicUrl = '',
  host = DEFAULT_HOST,
  controlToken,
}: MockServerOptions): Problem[] {
  if (controlToken !== undefined) return [];
  const detail = 'lets other machines reach dashboard and control routes: set a control token';
  const publicHost = parseUrl(publicUrl)?.hostname;
  if (!isLoopback(host)) return [problemAt('/host', 'combination', detail)];
  if (publicHost === undefined || isLoopback(publicHost)) return [];
  return [problemAt('/publicUrl', 'combination', detail)];
}

/** Returns the clients that are not in the scenario. */
function clientsFrom({ clients, scenario }: MockServerOptions): readonly MockClientOptions[] {
  if (clients !== undefined) return structuredClone(clients);
  return scenario === undefined ? [DEFAULT_CLIENT] : [];
}
