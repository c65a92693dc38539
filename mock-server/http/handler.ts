// Handles a request to the service of a mock: finds its client, applies faults, and writes its log entry.
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveBodyLimits } from '../../lib/adapters/request-body.js';
import { nearestName } from '../../lib/core/assert-options.js';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { asClaimlinkError } from '../../lib/core/errors.js';
import { clientOfToken } from '../../lib/core/link-signer.js';
import { isBytes } from '../../lib/core/plain-data.js';
import { mediaTypeOf } from '../../lib/http/body.js';
import { type Exchange, splitTarget, type Target } from '../../lib/http/routes.js';
import { ClaimlinkError, type CoreRequest, type CoreResponse } from '../../lib/index.js';
import type { MockControlError } from '../control/control-error.js';
import { controlError } from '../control/errors.js';
import { type AppliedFault, describeFault, type LoggedRequest, type RouteName } from '../control/types.js';
import { DEFAULT_AFTER_BYTES, DEFAULT_BYTES_PER_SECOND } from '../schemas/defaults.js';
import { abortedWith } from '../state/abort.js';
import type { FaultDecision, FaultTarget } from '../state/faults.js';
import type { Mock } from '../state/mock.js';
import type { MockClientState } from '../state/mock-client.js';
import { redactBody, redactHeaders, redactPath } from '../state/redaction.js';
import { MIB } from '../state/space.js';
import { watchBody } from './arrival.js';
import { breakBody, FAULT_HEADER, faultOutcome, isLinkRoute } from './fault-response.js';
import { readPreferences } from './preferences.js';
import { type MockOutcome, problemOutcome } from './problem-response.js';

const { bodyLimitBytes } = resolveBodyLimits({});
/** What a body with photos counts at most: of a form in parts, one photo at a time is in a temporary file. */
const MAX_PHOTO_BYTES = 10 * MIB;

export interface Reply {
  /** Absent: the connection is reset. */
  response?: CoreResponse;
  /** true: the connection is reset in the middle of the body. */
  isTruncated: boolean;
  /** Set: the body is sent slowly, in the chunks of `slowly`. */
  bytesPerSecond?: number;
  /** Absent: the state of the request was replaced, and its log with it. */
  logged?: LoggedRequest;
  /** Aborted when the state of the request is replaced. */
  epoch: AbortSignal;
  /** Of a slow response: frees its place, as the end of the connection does. */
  end?: () => void;
}

/** Returns the id of the link that a request to one of its pages names. Without a valid token, the request has no client. */
function linkIdOf(url: string, { clientId, route }: FaultTarget): Pick<LoggedRequest, 'linkId'> {
  const [, accessCode] = /\/verify\/([\w-]+)/.exec(url) ?? [];
  return isLinkRoute(route) && clientId !== null && accessCode !== undefined
    ? { linkId: hashAccessCode(accessCode) }
    : {};
}

/**
 * Handles a request. It belongs to the state in which it arrives: when that is replaced, the request ends without a trace.
 * @param connection aborted when the connection ends
 * @param rejection if there is one, that is the response
 */
export async function handleRequest(
  mock: Mock,
  request: CoreRequest,
  connection: AbortSignal,
  rejection?: MockControlError,
): Promise<Reply> {
  const routed = mock.serviceWithoutClient.route(request);
  const client = chooseClient(mock, routed);
  const epoch = mock.epochOf(client);
  const ended = abortedWith(connection, epoch);
  const replaced = new Promise<Reply>((resolve) => {
    const end = () => epoch.aborted && resolve({ isTruncated: false, epoch });
    ended.signal.addEventListener('abort', end);
  });
  const arrival: Arrival = { request, rejection, routed, client, epoch, signal: ended.signal };
  let reply: Reply | undefined;
  try {
    reply = await Promise.race([handle(mock, arrival), replaced]);
    return reply.bytesPerSecond === undefined ? reply : { ...reply, end: () => ended.abort() };
  } finally {
    if (reply?.bytesPerSecond === undefined) ended.abort();
  }
}

interface Arrival {
  request: CoreRequest;
  rejection: MockControlError | undefined;
  routed: Target;
  client: MockClientState | undefined;
  epoch: AbortSignal;
  /** Aborted when the connection or the epoch ends. */
  signal: AbortSignal;
}

/** Handles a request until its epoch ends. @throws `state_replaced` afterwards */
async function handle(
  mock: Mock,
  { request, rejection, routed, client, epoch, signal }: Arrival,
): Promise<Reply> {
  const startedAt = performance.now();
  const { method, url, headers } = request;
  let decision: FaultDecision | undefined;
  const body = captureBody(request, () => {
    throwIfTooMany(mock.upload(exchange.clientId ?? null, announcedBytes(headers), signal));
  });
  const arriving = watchBody({ ...request, body: body.read }, () => cutAfter(decision));
  const received: CoreRequest = { method, url, headers, body: arriving.body };
  const { stream } = arriving;
  if (stream)
    received.stream = () =>
      afterCheck(stream(), () => {
        // What comes without a valid token is dropped.
        const { clientId } = exchange;
        if (clientId === undefined) return;
        throwIfTooMany(mock.photoUpload(clientId, announcedBytes(headers, MAX_PHOTO_BYTES), signal));
      });
  const { begin } = client?.service ?? mock.serviceWithoutClient;
  const exchange = await begin(received, routed);
  const target: FaultTarget = {
    route: (exchange.operation as RouteName | undefined) ?? null,
    clientId: exchange.clientId ?? null,
    userId: exchange.userId ?? null,
  };
  // Without a valid key or token it belongs to no client in the log: its time is that of the default clock.
  const time = (target.clientId === null ? undefined : client)?.now() ?? mock.methods.clock().now;
  const preferences = readPreferences(target.route === null ? undefined : headers['prefer']);
  let outcome: MockOutcome | undefined;
  let { applied } = preferences;
  if (rejection !== undefined) outcome = problemOutcome(rejection);
  else if (preferences.problems.length > 0) {
    outcome = problemOutcome(controlError('preference_invalid', undefined, preferences.problems));
  } else {
    if (isLinkRequest(target, request)) target.userId = userIdFrom(await body.read().catch(() => undefined));
    epoch.throwIfAborted();
    if (target.route !== null) decision = mock.decideFault(target, preferences.asked);
    const bytes = Math.max(announcedBytes(headers), body.bytes()?.length ?? 0);
    const tooMany = isHeld(decision) ? mock.hold(target.clientId, bytes, signal) : undefined;
    if (tooMany !== undefined) {
      [decision, applied] = [undefined, ''];
      outcome = problemOutcome(tooMany);
    } else
      outcome = await respond(mock, exchange, { request: received, route: target.route, decision, signal });
  }

  const isTruncated = decision?.applied.effect === 'truncate';
  // Half of an empty body is a whole response: the connection is reset before it.
  if (signal.aborted || arriving.isCut() || (isTruncated && outcome?.response.body === ''))
    outcome = undefined;
  const response = outcome && decorate(outcome.response, decision, applied);
  const { code, detail, problems } = outcome ?? {};
  const requestBytes = body.bytes();
  const upload = arriving.logged();
  epoch.throwIfAborted();
  const logged = mock.logRequest({
    time,
    method,
    path: redactPath(url),
    ...target,
    ...linkIdOf(url, target),
    status: response?.status ?? null,
    ...(code && { code }),
    ...(detail && { detail }),
    ...(problems && { problems }),
    durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    headers: redactHeaders(headers),
    ...(response && { responseHeaders: redactHeaders(response.headers) }),
    ...(requestBytes && { requestBody: redactBody(requestBytes) }),
    ...(upload && { upload }),
    ...(response && response.body !== '' && { responseBody: redactBody(response.body) }),
    ...(decision && { fault: toLogged(decision) }),
  });
  const isSlow = decision?.applied.effect === 'slow' && response?.body !== '';
  return {
    ...(response && { response }),
    isTruncated,
    ...(isSlow && { bytesPerSecond: decision?.bytesPerSecond ?? DEFAULT_BYTES_PER_SECOND }),
    logged,
    epoch,
  };
}

/** Returns after how many bytes a fault cuts the body of a request. */
function cutAfter(decision: FaultDecision | undefined): number | undefined {
  if (decision?.applied.effect !== 'cut-upload') return undefined;
  return decision.afterBytes ?? DEFAULT_AFTER_BYTES;
}

/** Returns whether a fault or a preference lets the response wait, or arrive slowly. */
function isHeld(decision: FaultDecision | undefined): boolean {
  const { delayMs = 0, effect } = decision?.applied ?? {};
  return delayMs > 0 || effect === 'slow';
}

/** Returns how many bytes the body of a request has. Without a length it may have as many as the service takes. */
function announcedBytes(headers: CoreRequest['headers'], limit = bodyLimitBytes): number {
  const isEndless = headers['transfer-encoding'] !== undefined;
  return isEndless ? limit : Math.min(Number(headers['content-length'] ?? 0), limit);
}

/** @throws `too_many_requests` if a limit has returned its error. */
function throwIfTooMany(tooMany: MockControlError | undefined): void {
  if (tooMany !== undefined)
    throw new ClaimlinkError('too_many_requests', tooMany.message, { retryAfterSeconds: 1 });
}

/** Iterates a body after a check, which may throw. */
async function* afterCheck(chunks: AsyncIterable<Uint8Array>, check: () => void) {
  check();
  yield* chunks;
}

function toLogged({ applied, ...sent }: FaultDecision): AppliedFault {
  return { ...applied, ...sent };
}

interface Handling {
  request: CoreRequest;
  route: RouteName | null;
  decision: FaultDecision | undefined;
  signal: AbortSignal;
}

/** Applies the fault, or lets the service respond. Returns undefined if the connection is to be reset. */
async function respond(
  mock: Mock,
  exchange: Exchange,
  { request, route, decision, signal }: Handling,
): Promise<MockOutcome | undefined> {
  const { status, effect, delayMs } = decision?.applied ?? {};
  // Ends early if the connection ends.
  if (delayMs !== undefined) await sleep(delayMs, undefined, { signal }).catch(() => {});
  if (signal.aborted || effect === 'reset-before') return undefined;
  if (decision && status !== undefined) return faultOutcome(decision, status, request, exchange);
  const outcome = await exchange.respond();
  const hint = route === null && outcome.code === 'route_not_found' ? nearestRoute(mock, request) : undefined;
  if (hint !== undefined) return exchange.reject(new ClaimlinkError('route_not_found', hint));
  try {
    // A response says that the state is saved. A listing changes nothing.
    if (route !== 'listSessions') await mock.saved();
  } catch (error) {
    mock.reportError(error);
    return exchange.reject(asClaimlinkError(error));
  }
  return effect === 'reset-after' ? undefined : outcome;
}

const DOUBLE_SLASH =
  'There is nothing at this path, which has two slashes in a row: the base URL may end with one.';

/**
 * Names the route that a request may have missed, by its template: parameters of the path may be secret, and a caller without
 * a key must not learn which clients exist.
 */
function nearestRoute(mock: Mock, { method: sent, url }: CoreRequest): string | undefined {
  const sentPath = splitTarget(url).path.slice(0, 200);
  const path = sentPath.replaceAll(/\/{2,}/g, '/');
  const nothing = path === sentPath ? undefined : DOUBLE_SLASH;
  // Every path begins with the path of one segment.
  if (!/^\/[^/]+\//.test(path)) return nothing;
  const { routes } = mock.serviceWithoutClient.claimlink;
  const sameMethodFirst = routes.toSorted((a, b) => Number(b.method === sent) - Number(a.method === sent));
  for (const { method, path: template } of sameMethodFirst) {
    const route = template.replace('/:clientId', '');
    // The client may be missing, or another segment may be before it.
    const ends = route === template ? [path] : endsOf(path);
    // A value of the path does not make it nearer, and slashes are everywhere.
    const value = route.includes(':') ? /[^/]*$/ : /$/;
    const nameOf = (text: string) => text.replace(value, '').replaceAll(/^\/|\/$/g, '');
    if (ends.map(nameOf).some((name) => name !== '' && nearestName(name, [nameOf(route)]) !== undefined))
      return `${nothing ?? 'There is nothing at this path.'} Did you mean ${method} ${template}?`;
  }
  return nothing;
}

/** Returns a path without its first segment, without the first two, and so on, after the path itself. */
function endsOf(path: string): string[] {
  return [...path.matchAll(/\//g)].slice(0, 4).map(({ index }) => path.slice(index));
}

/** Returns whether the user of a request is in its body. */
function isLinkRequest({ route, clientId }: FaultTarget, request: CoreRequest): boolean {
  return route === 'createLink' && clientId !== null && mediaTypeOf(request) === 'application/json';
}

/**
 * Returns the client that the path or the token names. The service of this client then checks the key or the token, so a
 * forged token only selects who rejects it.
 */
function chooseClient(mock: Mock, { match, query }: Target): MockClientState | undefined {
  if (match.kind !== 'route') return undefined;
  const { clientId } = match.params;
  try {
    if (clientId !== undefined) return mock.find(decodeURIComponent(clientId));
    const tokenClient = clientOfToken(new URLSearchParams(query).get('token') ?? '');
    return tokenClient === undefined ? undefined : mock.find(tokenClient);
  } catch {
    return undefined;
  }
}

/** Reads the body of a request once, for the handler and the service. `assertSpace` is called before. */
function captureBody({ body }: CoreRequest, assertSpace: () => void) {
  let reading: Promise<unknown> | undefined;
  let bytes: Uint8Array | undefined;
  async function readOnce(): Promise<unknown> {
    assertSpace();
    const value: unknown = typeof body === 'function' ? await body() : body;
    if (isBytes(value) && value.length > 0) bytes = value;
    return value;
  }
  return {
    read(): Promise<unknown> {
      reading ??= readOnce();
      return reading;
    },
    bytes: () => bytes,
  };
}

/** Returns `config.currentUserId` of a link request. */
function userIdFrom(body: unknown): string | null {
  try {
    const userId: unknown = JSON.parse(String(Buffer.from(body as Uint8Array))).config.currentUserId;
    return typeof userId === 'string' || typeof userId === 'number' ? String(userId) : null;
  } catch {
    return null;
  }
}

/** Adds the headers of the mock, and breaks the body if the fault says so. */
function decorate(
  response: CoreResponse,
  decision: FaultDecision | undefined,
  preferenceApplied: string,
): CoreResponse {
  const { bytes, ...sent } = decision?.applied.effect === 'malformed' ? breakBody(response) : response;
  return {
    ...sent,
    ...(bytes && { bytes }),
    headers: {
      ...sent.headers,
      ...(decision && { [FAULT_HEADER]: describeFault(decision.applied) }),
      ...(preferenceApplied !== '' && { 'preference-applied': preferenceApplied }),
    },
  };
}
