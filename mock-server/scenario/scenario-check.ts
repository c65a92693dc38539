// What no JSON Schema can say of a scenario: ids that are unique, days that there are, origins that are some.
import {
  assertCallbackOrigins,
  assertClientId,
  type ErrorDetail,
  isClaimlinkError,
} from '../../lib/index.js';
import { scenarioSchema, scenarioSessionSchema } from './scenario.js';
import { isMoment } from './scenario-sessions.js';
import { checkWith } from './schema-check.js';

/** Everything that is wrong with a scenario: JSON Pointers into it, and sentences without their subject. */
export function checkScenario(value: unknown): readonly ErrorDetail[] {
  const problems = checkWith(scenarioSchema, value);
  return [...problems, ...clientProblems(value, problems)];
}

const sessionsSchema = { type: 'array', items: scenarioSessionSchema };

/** Everything that is wrong with a list of sessions of one user, as `setSessions` takes it. */
export function checkSessions(value: unknown): readonly ErrorDetail[] {
  const problems = checkWith(sessionsSchema, value);
  const references = new Set<string>();
  return [...problems, ...sessionProblems(value, '', brokenParts(problems), references)];
}

/**
 * What is wrong with the clients of a scenario, or of a persist file, besides what their schema has found. Parts that
 * the schema has found wrong are not looked into.
 */
export function clientProblems(value: unknown, schemaProblems: readonly ErrorDetail[]): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const broken = brokenParts(schemaProblems);
  const clientIds = new Set<unknown>();
  const apiKeys = new Set<unknown>();
  const report = (pointer: string, detail: string | undefined) => {
    if (detail !== undefined && !broken.has(pointer)) problems.push({ pointer, rule: 'value', detail });
  };
  for (const [index, client] of listOf(member(value, 'clients')).entries()) {
    const at = `/clients/${index}`;
    const clientId = member(client, 'clientId');
    report(
      `${at}/clientId`,
      repeated(clientIds, clientId, "is another client's already") ?? clientIdProblem(clientId),
    );
    report(`${at}/apiKey`, repeated(apiKeys, member(client, 'apiKey'), "is another client's already"));
    for (const [entry, origin] of listOf(member(client, 'callbackOrigins')).entries())
      report(`${at}/callbackOrigins/${entry}`, originProblem(origin));
    const userIds = new Set<unknown>();
    const references = new Set<string>();
    for (const [place, user] of listOf(member(client, 'users')).entries()) {
      const of = `${at}/users/${place}`;
      const userId = member(user, 'userId');
      report(
        `${of}/userId`,
        repeated(userIds, userId, 'stands in this client already; a user has one entry') ??
          userIdProblem(userId),
      );
      problems.push(...sessionProblems(member(user, 'sessions'), `${of}/sessions`, broken, references));
    }
  }
  return problems;
}

/** What is wrong with sessions, those of one client sharing `references`. */
function sessionProblems(
  sessions: unknown,
  at: string,
  broken: ReadonlySet<string>,
  references: Set<string>,
): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  for (const [index, session] of listOf(sessions).entries()) {
    const of = `${at}/${index}`;
    const report = (pointer: string, detail: string | undefined) => {
      if (detail !== undefined) problems.push({ pointer: `${of}${pointer}`, rule: 'value', detail });
    };
    const reference = member(session, 'reference');
    if (!broken.has(`${of}/reference`))
      report(
        '/reference',
        repeated(references, reference, "is another session's already; it must be unique within the client"),
      );
    if (broken.has(of)) continue;
    for (const name of ['date', 'createdAt']) {
      if (!isMoment(String(member(session, name)))) report(`/${name}`, 'must be on a day that there is');
    }
    const policy = member(session, 'selectedPolicy');
    if (String(member(policy, 'validTo')) < String(member(policy, 'validFrom')))
      report('/selectedPolicy/validTo', 'must not be before validFrom');
    for (const pointer of unstorable(session, ''))
      report(pointer, 'must not contain NUL characters or lone surrogates');
  }
  return problems;
}

/** The pointers of problems and of everything around them. */
function brokenParts(problems: readonly ErrorDetail[]): ReadonlySet<string> {
  const broken = new Set<string>();
  for (const { pointer = '' } of problems) {
    for (let part = pointer; !broken.has(part); part = part.slice(0, Math.max(part.lastIndexOf('/'), 0)))
      broken.add(part);
  }
  return broken;
}

/** Databases refuse such text, and a scenario is to work on each storage. */
function unstorable(value: unknown, pointer: string): string[] {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? [pointer] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => unstorable(child, `${pointer}/${name}`));
}

function repeated<T>(seen: Set<T>, value: T, detail: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (seen.has(value)) return detail;
  seen.add(value);
  return undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

function userIdProblem(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  if (id === '.' || id === '..') return 'must not be "." or ".."';
  if (CONTROL_CHARACTERS.test(id)) return 'must not contain control characters';
  return id.isWellFormed() ? undefined : 'must not contain lone surrogates';
}

function clientIdProblem(clientId: unknown): string | undefined {
  return typeof clientId === 'string' ? reasonOf(() => assertClientId(clientId)) : undefined;
}

function originProblem(origin: unknown): string | undefined {
  if (typeof origin !== 'string') return undefined;
  const isOrigin = reasonOf(() => assertCallbackOrigins([origin])) === undefined;
  return isOrigin
    ? undefined
    : 'must be an origin, such as https://app.example.com, or a custom scheme, such as myapp:';
}

function reasonOf(assert: () => void): string | undefined {
  try {
    assert();
    return undefined;
  } catch (error) {
    if (!isClaimlinkError(error)) throw error;
    return error.details?.[0]?.detail ?? error.message;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
