// Checks a scenario: its JSON Schema, and the rules that a schema cannot express.
import { callbackProblem, isWebUrl } from '../../lib/core/callback-url.js';
import { assertClientSettings } from '../../lib/core/client-settings.js';
import { MAX_PROBLEMS } from '../../lib/core/errors.js';
import { photosOf } from '../../lib/core/photo-settings.js';
import { parseUrl } from '../../lib/core/url.js';
import { assertClientId, extraProblem, parseLinkRequest } from '../../lib/core/validators.js';
import {
  type Client,
  isClaimlinkError,
  type LinkRequest,
  type Problem,
  type WidgetContact,
} from '../../lib/index.js';
import { checkWith } from '../control/check.js';
import { problemAt } from '../control/errors.js';
import type { Scenario, ScenarioClient, ScenarioLink, ScenarioSession } from '../control/scenario.js';
import type { MockClientOptions } from '../control/types.js';
import { isDataUrl, photoProblem, photoTypeOfText } from './photo-text.js';

/** Returns the problems of a scenario, at most 20. Rules across members are checked once the schema is satisfied. */
export function checkScenario(value: unknown): readonly Problem[] {
  const problems = checkWith('scenario', value);
  return problems.length > 0 ? problems : firstProblems(ruleProblems(value as Scenario));
}

const UNKNOWN_SESSION = 'is not that of a session of this user: add the session, or correct the reference';

/** Takes the first 20 problems. What comes after them is not checked. */
export function firstProblems(problems: Iterable<Problem>): Problem[] {
  const first: Problem[] = [];
  for (const problem of problems) if (first.push(problem) === MAX_PROBLEMS) break;
  return first;
}

function* ruleProblems({ clients }: Scenario): Generator<Problem> {
  yield* repeatedClients({ '/clients': clients });
  for (const [index, client] of clients.entries()) yield* checkClient(client, `/clients/${index}`);
}

function* checkClient(client: ScenarioClient, pointer: string): Generator<Problem> {
  const { users = [], links = [] } = client;
  const references = new Set<string>();
  const settings = settingsProblems(client, pointer);
  yield* settings;
  yield* repeated(`${pointer}/users`, users, 'userId', 'has an entry already');
  for (const [index, { sessions = [] }] of users.entries())
    yield* sessionsProblems(sessions, `${pointer}/users/${index}/sessions`, references);
  // A list of callback origins that is not valid would reject each link as well.
  const checkedLinks = settings.length > 0 ? [] : links;
  for (const [index, link] of checkedLinks.entries())
    yield* linkProblems(link, client, `${pointer}/links/${index}`);
  yield* referenceProblems(client, `${pointer}/links`);
}

/**
 * A submitted link may have a session of its user that no other link has. A new one is only for a user with seeded sessions:
 * a list has all sessions of its user.
 */
function referenceProblems({ users = [], links = [] }: ScenarioClient, pointer: string): Problem[] {
  const owners = new Map<string, unknown>(
    users.flatMap(({ userId, sessions = [] }) =>
      sessions.map(({ reference = '' }) => [reference, userId] as const),
    ),
  );
  const listed = new Set(users.filter(({ sessions }) => sessions).map(({ userId }) => userId));
  return links.flatMap((link, index) => {
    const { userId, state, reference } = link;
    if (reference === undefined) return [];
    const owner = owners.get(reference);
    owners.set(reference, link);
    const at = `${pointer}/${index}/reference`;
    if (state !== 'submitted') return [problemAt(at, 'combination', 'is for submitted links only')];
    if (owner === undefined && listed.has(userId)) return [problemAt(at, 'combination', UNKNOWN_SESSION)];
    return owner === undefined || owner === userId
      ? []
      : [problemAt(at, 'unique', 'is that of another link or user already in this client')];
  });
}

/** Finds the problems of sessions that the schema accepts. `references` has those of other sessions. */
export function* sessionsProblems(
  sessions: readonly ScenarioSession[],
  pointer: string,
  references = new Set<string>(),
): Generator<Problem> {
  for (const [index, session] of sessions.entries()) {
    const { reference } = session;
    yield* sessionProblems(session, `${pointer}/${index}`);
    if (reference === undefined) continue;
    const detail = "is another session's already in this client";
    if (references.has(reference)) yield problemAt(`${pointer}/${index}/reference`, 'unique', detail);
    references.add(reference);
  }
}

export function sessionProblems(session: ScenarioSession, pointer: string): Problem[] {
  const { selectedPolicy, extra, link, notice } = session;
  const { validFrom = '', validTo } = selectedPolicy ?? {};
  const isInOrder = validTo === undefined || validTo === '' || validTo >= validFrom;
  return [
    ...(isInOrder
      ? []
      : [problemAt(`${pointer}/selectedPolicy/validTo`, 'date_order', 'must not be before validFrom')]),
    ...extraProblems(extra, `${pointer}/extra`),
    ...extraProblems(link?.extra, `${pointer}/link/extra`),
    ...(notice === undefined || isWebUrl(notice.url)
      ? []
      : [problemAt(`${pointer}/notice/url`, 'url', 'must be an http or https URL')]),
  ];
}

function extraProblems(extra: unknown, pointer: string): Problem[] {
  const problem = extra === undefined ? undefined : extraProblem(extra);
  return problem === undefined ? [] : [{ ...problem, pointer }];
}

function linkProblems(link: ScenarioLink, client: ScenarioClient, pointer: string): Problem[] {
  const [firstOrigin] = client.callbackOrigins ?? [];
  const callbackUrl = `${firstOrigin ?? 'https://example.com'}/`;
  const contact = { email: 'a@example.com', phone: '1' };
  return [
    ...problemsOf(() => toLinkRequest(link, client, contact, callbackUrl), pointer),
    ...photoProblems(link, client, `${pointer}/photos`),
  ];
}

/** Finds the problems of the photos of a link: the service would not take them. */
function photoProblems({ photos = [] }: ScenarioLink, client: ScenarioClient, pointer: string): Problem[] {
  const { need, most, heic } = photosOf(client.settings);
  if (photos.length === 0) return [];
  if (need === 'hidden')
    return [problemAt(pointer, 'combination', 'are for a client whose settings have form.photos')];
  if (photos.length > most) return [problemAt(pointer, 'size', `must be at most ${most}`)];
  return photos.flatMap((photo, index) => {
    const each = `${pointer}/${index}`;
    if (!isDataUrl(photo)) return [problemAt(each, 'value', 'must be a data URL: only a file names files')];
    if (photoTypeOfText(photo) === 'image/heic' && !heic)
      return [problemAt(each, 'value', 'is a HEIC, which the client does not take')];
    return photoProblem(photo, each) ?? [];
  });
}

/** Returns the problems of the settings of a client: what the service would reject. */
export function settingsProblems(client: Client, pointer = ''): Problem[] {
  return problemsOf(() => {
    assertClientId(client.clientId);
    assertClientSettings(client);
  }, pointer);
}

/** Returns the problems that a check of the service throws, with pointers below `pointer`. */
function problemsOf(check: () => unknown, pointer: string): Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!isClaimlinkError(error) || error.problems === undefined) throw error;
    return error.problems.map(({ parameter, ...problem }) => ({
      ...problem,
      // The service names a setting by its path: branding.logoUrl.
      pointer: pointer + (problem.pointer ?? `/${parameter?.replaceAll('.', '/')}`),
    }));
  }
}

/**
 * Returns the request that creates a link of a scenario. A link with `createdAt` may be older than the `callbackOrigins` of
 * its client, which are checked again before the redirect.
 * @throws `request_invalid` for a link that the API would reject
 */
export function toLinkRequest(
  { userId, config, callbackUrl, callbackOnSubmit, createdAt }: ScenarioLink,
  { callbackOrigins }: Pick<ScenarioClient, 'callbackOrigins'>,
  contact: WidgetContact,
  defaultCallbackUrl: string,
): LinkRequest {
  // The link of a contact is optional: the contact of a scenario may have none.
  const { link: _, ...required } = contact;
  const completed = config?.contact ? { ...required, ...config.contact } : contact;
  const request = {
    callbackUrl: callbackUrl ?? defaultCallbackUrl,
    ...(callbackOnSubmit !== undefined && { callbackOnSubmit }),
    config: { ...config, contact: completed, currentUserId: userId },
  };
  return parseLinkRequest(request, {
    callbackProblem(url) {
      const older = createdAt === undefined ? undefined : parseUrl(url);
      const origins = older ? [older.origin, older.protocol] : callbackOrigins;
      return callbackProblem(url, { callbackOrigins: origins, allowLoopbackCallbacks: true });
    },
  });
}

const UNIQUE = ['clientId', 'apiKey', 'controlToken'] as const;

/**
 * Returns a problem for each client with the id, the key or the control token of an earlier one, or with the control token of
 * the mock. Lists of clients by their pointers.
 */
export function repeatedClients(
  lists: Readonly<Record<string, readonly MockClientOptions[]>>,
  mockToken?: string,
): Problem[] {
  return UNIQUE.flatMap((name) => {
    const values = new Set<unknown>(name === 'controlToken' ? [mockToken] : []);
    const detail = `is ${name === 'controlToken' ? "the mock's or " : ''}another client's already`;
    return Object.entries(lists).flatMap(([pointer, clients]) =>
      repeated(pointer, clients, name, detail, values),
    );
  });
}

/** Returns a problem for each item whose member has the value of an earlier item, or one of `values`. */
function repeated<T extends object, K extends keyof T & string>(
  pointer: string,
  items: readonly T[],
  name: K,
  detail: string,
  values = new Set<unknown>(),
): Problem[] {
  return items.flatMap((item, index) => {
    const isRepeated = item[name] !== undefined && values.has(item[name]);
    values.add(item[name]);
    return isRepeated ? [problemAt(`${pointer}/${index}/${name}`, 'unique', detail)] : [];
  });
}
