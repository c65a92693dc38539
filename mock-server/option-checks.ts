// What each option of the mock must be, in words for the person who set it.

import type { ErrorDetail } from '../lib/index.js';
import { checkClients, member } from './client-check.js';
import { LOG_FORMATS, type LogFormat } from './defaults.js';
import { isLoopback } from './loopback.js';
import type { MockServerOptions } from './options.js';
import { parseUrl } from './parse-url.js';
import { checkScenario } from './scenario/scenario-check.js';

/** Says what is wrong with a value: about the option itself, or about its parts. */
export type Check = (value: unknown) => string | readonly ErrorDetail[] | undefined;

/** One check for each option. */
export const CHECKS: Record<keyof MockServerOptions, Check> = {
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
  clients(value) {
    const found = checkClients(value);
    if (typeof found === 'string') return found;
    return found.map((problem) => ({ ...problem, pointer: `/clients${problem.pointer}` }));
  },
  clientCount: (value) => unless(isIntegerBetween(value, 1, 1000), 'must be a whole number, 1 to 1000'),
  userCount: (value) => unless(isIntegerBetween(value, 1, 100_000), 'must be a whole number, 1 to 100000'),
  sessionCount: (value) => unless(isIntegerBetween(value, 0, 10_000), 'must be a whole number, 0 to 10000'),
  scenario(value) {
    const found = checkScenario(value);
    return found.map((problem) => ({ ...problem, pointer: `/scenario${problem.pointer ?? ''}` }));
  },
  now: (value) => unless(typeof value === 'function', 'must be a function'),
  latencyMs: (value) =>
    unless(isDelay(value), 'must be milliseconds, 0 to 60000, or a range of them such as [100, 800]'),
  errorRate: (value) => unless(isBetween(value, 0, 1), 'must be a number, 0 to 1'),
  log: (value) =>
    unless(LOG_FORMATS.includes(value as LogFormat), `must be one of: ${LOG_FORMATS.join(', ')}`),
  logStream: (value) => unless(typeof member(value, 'write') === 'function', 'must be a stream to write to'),
  database: (value) =>
    unless(typeof member(value, 'query') === 'function', 'must have a method query, as a pool of pg has'),
  // createPostgresStorage says what is wrong with it in detail.
  schema: (value) => unless(typeof value === 'string', 'must be a string'),
  persistFile: (value) => unless(typeof value === 'string' && value !== '', 'must be the path of a file'),
  corsOrigins: (value) =>
    unless(
      Array.isArray(value) && value.every(isWebOrigin),
      'must be a list of web origins, such as http://localhost:5173, or *',
    ),
  tls: (value) =>
    unless(
      typeof member(value, 'cert') === 'string' && typeof member(value, 'key') === 'string',
      'must have cert and key, as PEM text',
    ),
  control: (value) => unless(typeof value === 'boolean', 'must be true or false'),
  controlToken: (value) =>
    unless(
      typeof value === 'string' && /^[\x21-\x7e]{16,200}$/.test(value),
      'must be 16 to 200 printable ASCII characters without spaces',
    ),
};

/** Options that do not go together; each of them is right by itself. */
export function combinationProblems(options: MockServerOptions): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const report = (pointer: string, detail: string) => problems.push({ pointer, rule: 'combination', detail });
  const { database, publicUrl = '', host = '127.0.0.1', control = true } = options;
  if (options.schema !== undefined && database === undefined) report('/schema', 'needs a database');
  if (options.persistFile !== undefined && database !== undefined)
    report('/persistFile', 'cannot be used with a database, which keeps the world already');
  if (options.clientCount !== undefined && options.clients !== undefined)
    report('/clientCount', 'cannot be used together with a list of clients');
  if (!control && options.controlToken !== undefined)
    report('/controlToken', 'is of no use without dashboard and control routes');
  if (!control || options.controlToken !== undefined) return problems;
  // Closed by default: whoever reaches the control routes may read every key and every link.
  const remedy = 'lets others reach dashboard and control routes: set a control token, or turn these off';
  if (!isLoopback(host)) report('/host', remedy);
  const publicHost = parseUrl(publicUrl)?.hostname;
  if (isLoopback(host) && publicHost !== undefined && !isLoopback(publicHost)) report('/publicUrl', remedy);
  return problems;
}

/** Milliseconds, or a range of them. */
export function isDelay(value: unknown): boolean {
  if (!Array.isArray(value)) return isIntegerBetween(value, 0, 60_000);
  const [from, to] = value;
  return value.length === 2 && value.every((ms) => isIntegerBetween(ms, 0, 60_000)) && from <= to;
}

function isWebOrigin(value: unknown): boolean {
  if (value === '*') return true;
  return typeof value === 'string' && /^https?:/.test(value) && parseUrl(value)?.origin === value;
}

function unless(isRight: boolean, detail: string): string | undefined {
  return isRight ? undefined : detail;
}

function isBetween(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && value >= minimum && value <= maximum;
}

function isIntegerBetween(value: unknown, minimum: number, maximum: number): boolean {
  return Number.isInteger(value) && isBetween(value, minimum, maximum);
}

function isRefDate(value: unknown): boolean {
  if (!(value instanceof Date) && typeof value !== 'string') return false;
  const year = new Date(value).getUTCFullYear();
  return year >= 1980 && year <= 9000;
}
