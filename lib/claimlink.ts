// The composition root: connects storage, signer and widget to the use cases and the routes.
import { createDelivery } from './core/delivery.js';
import { createApiRoutes, createVerifyRoutes } from './core/endpoints.js';
import { asClaimlinkError, ClaimlinkError } from './core/errors.js';
import { deepFreeze } from './core/freeze.js';
import {
  type CoreRequest,
  type CoreResponse,
  type Problem,
  problemResponse,
  toProblem,
} from './core/http.js';
import { createOpenApiDocument, type OpenApiDocument } from './core/openapi.js';
import { type ClaimlinkOptions, resolveOptions } from './core/options.js';
import {
  type ClientSessionFilter,
  createRecords,
  type LinkFilter,
  type LinkPage,
  type SessionChanges,
  type UserExport,
} from './core/records.js';
import { createReport } from './core/report.js';
import { createMatcher, type Match, type Route, splitTarget } from './core/routes.js';
import { createService } from './core/service.js';
import type { ClientSessionPage, DeletedRecords } from './core/storage.js';
import { withTimeout } from './core/time-limit.js';
import { type RequestTrace, traceRequest, withTracing } from './core/tracing.js';
import type {
  CreatedLink,
  DeliveryResult,
  LinkOptions,
  LinkRequest,
  OpenLink,
  PageRequest,
  RedactedRequest,
  Session,
  SessionPage,
  Submission,
} from './core/types.js';
import { parseId } from './core/validators.js';
import { type PageHeadersOptions, pageHeaders } from './page-headers.js';
import { createStandaloneWidget } from './widget/index.js';

/** The service. An adapter serves it over HTTP. A host that authenticates its callers itself may call it directly. */
export interface Claimlink {
  /** Handles a request. Never rejects: every error becomes a response. */
  handle(request: CoreRequest): Promise<CoreResponse>;
  /**
   * Returns whether the path of a request target (without mount prefix) has a route, for any method, or is below
   * `/verify`.
   */
  owns(target: string): boolean;
  /** Returns a request without personal data and secrets, for logs. A path that is not claimlink's becomes `/*`. */
  redact(request: { method: string; url: string }): RedactedRequest;
  readonly routes: readonly Route[];
  /** OpenAPI 3.1 document of the routes. */
  readonly openapi: OpenApiDocument;
  /**
   * Returns one page of a user's sessions. Contract: GET /:clientId/sessions/:userId.
   * @throws `client_not_found`; `request_invalid` or `uri_too_long` for an invalid id, limit, cursor or status.
   */
  listSessions(clientId: string, userId: string, page?: PageRequest): Promise<SessionPage>;
  /**
   * Creates a link. Contract: POST /:clientId/link.
   * @throws `client_not_found`; `request_invalid` with the problems of the request or of `ttlSeconds`; `request_invalid`
   * or `uri_too_long` for an invalid `clientId`.
   */
  createLink(clientId: string, request: LinkRequest, options?: LinkOptions): Promise<CreatedLink>;
  /**
   * Returns what a page needs to show the widget. The first call marks the link as opened. Never consumes the link.
   * @throws `link_not_found`, `link_expired`, `link_revoked`, `link_submitted`.
   */
  openLink(accessCode: string, token: string): Promise<OpenLink>;
  /**
   * Submits a claim, a `ClaimSubmission`. Unvalidated input is allowed. A repeated call returns the result of the first
   * one, with `repeated: true`.
   * @throws `link_not_found`, `link_expired`, `link_revoked`; `link_submitted` if the session of the first call was deleted;
   * `request_invalid` with the problems of the claim.
   */
  submitClaim(accessCode: string, token: string, claim: unknown): Promise<Submission>;
  /** Revokes a usable link of this client, by the `linkId` of `createLink`. Returns false if there is no such link. */
  revokeLink(clientId: string, linkId: string): Promise<boolean>;
  /**
   * Revokes all usable links of this client, or of one of its users. Returns their number.
   * This method and those below need a `RecordStorage`, and throw `options_invalid` without one, `client_not_found`,
   * and `request_invalid` or `uri_too_long` for invalid arguments.
   */
  revokeLinks(clientId: string, filter?: { userId?: string }): Promise<number>;
  /** Returns one page of the links of this client. */
  listLinks(clientId: string, filter?: LinkFilter): Promise<LinkPage>;
  /** Changes the status or the CAMS reference of a session and returns it. Returns undefined if there is none. */
  updateSession(clientId: string, reference: string, changes: SessionChanges): Promise<Session | undefined>;
  /**
   * Returns sessions of all users of this client in the order of their submission, for reconciliation. A reader that
   * follows `nextCursor` gets each session once, also while others are submitted. Keep the cursor to go on later.
   */
  listClientSessions(clientId: string, filter?: ClientSessionFilter): Promise<ClientSessionPage>;
  /** Returns all stored data of a user. */
  exportUser(clientId: string, userId: string): Promise<UserExport>;
  /**
   * Deletes the links, the sessions and the undelivered events of a user. A delivery that has begun is not stopped.
   * Afterwards claimlink has data of the user only from links that are created during or after the call.
   */
  deleteUser(clientId: string, userId: string): Promise<DeletedRecords>;
  /**
   * Calls `onSubmit` for the recorded submissions that it has not handled: its call failed, the process ended, or
   * another process accepted the claim. Call `deliverPending` on a timer, in any number of processes: they share the
   * work. It makes one attempt for each event that is due when the call begins, at most 10 at the same time. After a
   * failed attempt it waits 10 seconds, then twice as long each time, up to 6 hours. After 20 attempts the event stays
   * as failed; `claimlink deliveries` shows and repeats it.
   * @throws `options_invalid` without `onSubmit`, or if the storage does not implement `OutboxStorage`; the errors of
   * the storage, after the attempts that have begun.
   */
  deliverPending(): Promise<DeliveryResult>;
  /**
   * Waits until no call of `onSubmit` and of `deliverPending` runs. A running `deliverPending` begins no further attempts.
   * Call it at shutdown: close the server, wait for `idle`, close the storage.
   */
  idle(): Promise<void>;
  /**
   * Returns the security headers of the built-in pages, for a host with `widget: false` that serves its own:
   * `Content-Security-Policy`, `Cache-Control`, `Referrer-Policy`, `X-Content-Type-Options` and `X-Robots-Tag`, with
   * lower-case names. Send them with each response whose URL contains a token. The host adds the headers of its body,
   * such as `Content-Type`.
   *
   * The policy allows inline script and style with the nonce, images of `data:` URLs, and requests and forms to the
   * page's origin. It refuses frames. `link` and `sources` allow more.
   * @throws TypeError for a nonce that is not base64, an unknown member, or a source that `extendPolicy` refuses.
   */
  pageHeaders(options: PageHeadersOptions): Record<string, string>;
}

/**
 * Creates the service.
 * @throws `options_invalid` with every problem of the options.
 */
export function createClaimlink(options: ClaimlinkOptions): Claimlink {
  const resolved = resolveOptions(options, createStandaloneWidget);
  const storage = withTracing(withTimeout(resolved.storage, resolved.storageTimeoutSeconds));
  const report = createReport(resolved.onError);
  const delivery = createDelivery(resolved, storage, report);
  const service = createService(resolved, storage, delivery);
  const routes = deepFreeze([
    ...createApiRoutes(resolved, storage, service),
    ...(resolved.widget ? createVerifyRoutes(service, resolved.widget, resolved.now) : []),
  ]);
  const matchRoute = createMatcher(routes);

  function handle(request: CoreRequest): Promise<CoreResponse> {
    const { path, query } = splitTarget(String(request.url));
    const match = matchRoute(request.method, path);
    const operation = match.kind === 'route' ? match.route.operationId : undefined;
    return traceRequest(operation, (trace) => respond(request, match, query, trace));
  }

  async function respond(
    request: CoreRequest,
    match: Match,
    query: string,
    trace?: RequestTrace,
  ): Promise<CoreResponse> {
    let response: CoreResponse;
    try {
      if (match.kind !== 'route') throw new ClaimlinkError(match.kind);
      const { route, params } = match;
      response = await route.handle({ request, params, query: new URLSearchParams(query), trace });
    } catch (error) {
      response = await renderError(error, request, match, trace);
    }
    if (request.method !== 'HEAD') return response;
    const { status, headers } = response;
    return { status, headers, body: '' };
  }

  /** The only place where an error becomes a response. */
  async function renderError(
    thrown: unknown,
    request: CoreRequest,
    match: Match,
    trace: RequestTrace | undefined,
  ): Promise<CoreResponse> {
    const error = asClaimlinkError(thrown);
    let problem = toProblem(error);
    reportFailure(thrown, problem, request);
    let response: CoreResponse;
    try {
      response = (await match.route?.renderError?.(error, problem, request)) ?? problemResponse(problem);
    } catch (renderError) {
      const { instance } = problem;
      // The second report of a request has the instance of the first.
      problem = { ...toProblem(new ClaimlinkError('internal')), ...(instance !== undefined && { instance }) };
      reportFailure(renderError, problem, request);
      response = problemResponse(problem);
    }
    if (trace) trace.code = problem.code;
    if (match.kind === 'method_not_allowed') response.headers['allow'] = match.allow.join(', ');
    return response;
  }

  /** Reports the cause of a 5xx. */
  function reportFailure(cause: unknown, { instance }: Problem, request: CoreRequest): void {
    if (instance !== undefined) report(cause, { ...redact(request), instance });
  }

  function redact({ method, url }: { method: string; url: string }): RedactedRequest {
    const match = matchRoute(method, splitTarget(String(url)).path);
    if (match.kind !== 'route' && match.kind !== 'method_not_allowed') return { method, path: '/*' };
    return { method, path: match.route.path.replace(':clientId', () => match.params['clientId'] ?? '') };
  }

  return Object.freeze<Claimlink>({
    handle,
    owns: (target) => matchRoute('GET', splitTarget(target).path).kind !== 'route_not_found',
    redact,
    routes,
    openapi: deepFreeze(createOpenApiDocument(routes, resolved)),
    listSessions: async (clientId, userId, page) =>
      service.listSessions(await service.findClient(clientId), parseId(userId, 'userId'), page),
    createLink: async (clientId, request, linkOptions) =>
      service.createLink(await service.findClient(clientId), request, linkOptions),
    openLink: async (accessCode, token) => service.openLink(await service.findLink(accessCode, token), true),
    submitClaim: async (accessCode, token, claim) =>
      service.submitClaim(await service.findLink(accessCode, token), claim),
    revokeLink: service.revokeLink,
    deliverPending: delivery.deliverPending,
    idle: delivery.idle,
    pageHeaders,
    ...createRecords(resolved, storage),
  });
}
