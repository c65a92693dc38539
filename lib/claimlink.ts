// The composition root: wires storage, signer and widget to the use cases and the routes.
import { rememberAnswer } from './core/answers.js';
import { isPromiseLike } from './core/awaitable.js';
import { createApiRoutes, createVerifyRoutes } from './core/endpoints.js';
import { ClaimlinkError } from './core/errors.js';
import { deepFreeze } from './core/freeze.js';
import {
  asClaimlinkError,
  type CoreRequest,
  type CoreResponse,
  problemResponse,
  toOwn,
} from './core/http.js';
import { createOpenApiDocument, type OpenApiDocument } from './core/openapi.js';
import { type ClaimlinkOptions, resolveOptions } from './core/options.js';
import { createReport } from './core/report.js';
import { createMatcher, type Match, type Route, splitTarget } from './core/routes.js';
import { createService } from './core/service.js';
import { withTimeout } from './core/storage-timeout.js';
import type {
  Awaitable,
  ClaimSubmission,
  LinkRequest,
  OpenLink,
  PageRequest,
  RedactedRequest,
  SessionPage,
  Submission,
} from './core/types.js';
import { parseId } from './core/validators.js';
import { createStandaloneWidget } from './widget/index.js';

/** The service: over HTTP through an adapter, or called directly by a host that has done its own authentication. */
export interface Claimlink {
  /** Answers a request. Never rejects: every error is a response. */
  handle(request: CoreRequest): Promise<CoreResponse>;
  /** Whether a request target (mount prefix stripped) is claimlink's to answer, if only with 404 or 405. */
  owns(target: string): boolean;
  /** A request as it may be logged: the path with only the client's id filled in. */
  redact(request: { method: string; url: string }): RedactedRequest;
  readonly routes: readonly Route[];
  /** OpenAPI 3.1 document of the routes. */
  readonly openapi: OpenApiDocument;
  /**
   * One page of a user's sessions. Contract: GET /:clientId/sessions/:userId.
   * @throws `client_not_found`; `request_invalid` or `uri_too_long` for a bad id, limit, cursor or status.
   */
  listSessions(clientId: string, userId: string, page?: PageRequest): Promise<SessionPage>;
  /**
   * Mints a link. Contract: POST /:clientId/link.
   * @throws `client_not_found`; `request_invalid` with every problem of the request.
   */
  createLink(clientId: string, request: LinkRequest): Promise<{ url: string; expiresAt: Date }>;
  /**
   * What a link is for, to show the widget; the first call marks it as opened. Never consumes it.
   * @throws `link_not_found`, `link_expired`, `link_revoked`, `link_submitted`.
   */
  openLink(accessCode: string, token: string): Promise<OpenLink>;
  /**
   * Submits the claim, once: a repeat gets the first outcome, with `repeated: true`.
   * @throws `link_not_found`, `link_expired`, `link_revoked`; `request_invalid` with every problem of the claim.
   */
  submitClaim(accessCode: string, token: string, claim: ClaimSubmission): Promise<Submission>;
  /** Withdraws a usable link of this client; false when there is none. */
  revokeLink(clientId: string, accessCode: string): Promise<boolean>;
}

/** Of requests without a query; nobody writes to it. */
const NO_QUERY = new URLSearchParams();

/**
 * Builds the service.
 * @throws `options_invalid` with every problem of the options.
 */
export function createClaimlink(options: ClaimlinkOptions): Claimlink {
  const resolved = resolveOptions(options, createStandaloneWidget);
  const storage = withTimeout(resolved.storage, resolved.storageTimeoutSeconds);
  const report = createReport(resolved.onError);
  const service = createService(resolved, storage, report);
  const routes = deepFreeze([
    ...createApiRoutes(resolved, storage, service),
    ...(resolved.widget ? createVerifyRoutes(service, resolved.widget) : []),
  ]);
  const matcher = createMatcher(routes);
  const openapi = deepFreeze(createOpenApiDocument(routes, resolved));

  /** What is answered at once may be frozen, as it is given again: `handle` gives callers their own. */
  function answer(request: CoreRequest): Awaitable<CoreResponse> {
    const { path, query } = splitTarget(String(request.url));
    const match = matcher.match(request.method, path);
    try {
      const answered = answerMatch(request, match, query);
      // Where the storage answers at once, so does everything else.
      if (!isPromiseLike(answered)) return toMethod(request, answered);
      return answered.then(
        (response) => toMethod(request, toOwn(response)),
        (thrown) => toMethod(request, renderError(thrown, request, match)),
      );
    } catch (thrown) {
      return toMethod(request, renderError(thrown, request, match));
    }
  }

  function answerMatch(request: CoreRequest, match: Match, query: string): Awaitable<CoreResponse> {
    if (match.kind === 'route') {
      const { route, params } = match;
      return route.handle({ request, params, query: query === '' ? NO_QUERY : new URLSearchParams(query) });
    }
    if (match.kind === 'wrong_method') throw new ClaimlinkError('method_not_allowed');
    throw new ClaimlinkError(match.kind === 'nothing' ? 'link_not_found' : 'route_not_found');
  }

  /** The one place where an error becomes a response. */
  function renderError(thrown: unknown, request: CoreRequest, match: Match): CoreResponse {
    const response = toOwn(renderProblem(thrown, request, match));
    if (match.kind === 'wrong_method') response.headers['allow'] = match.allow.join(', ');
    return response;
  }

  function renderProblem(thrown: unknown, request: CoreRequest, match: Match): CoreResponse {
    const error = asClaimlinkError(thrown);
    if (error.statusCode >= 500) report(thrown, redact(request));
    try {
      const inItsForm = match.kind === 'foreign' ? undefined : match.route.renderError?.(error, request);
      return inItsForm ?? problemResponse(error);
    } catch (renderError) {
      // The widget cannot draw its error page: the constant 500 is left.
      report(renderError, redact(request));
      return problemResponse(new ClaimlinkError('internal'));
    }
  }

  function redact({ method, url }: { method: string; url: string }): RedactedRequest {
    const match = matcher.match(method, splitTarget(String(url)).path);
    if (match.kind === 'route') {
      return { method, path: match.route.path.replace(':clientId', () => match.params['clientId'] ?? '') };
    }
    return { method, path: match.kind === 'wrong_method' ? match.path : '/*' };
  }

  const claimlink: Claimlink = Object.freeze({
    handle(request: CoreRequest) {
      const answered = answer(request);
      return Promise.resolve(isPromiseLike(answered) ? answered : toOwn(answered));
    },
    owns: (target: string) => matcher.match('GET', splitTarget(target).path).kind !== 'foreign',
    redact,
    routes,
    openapi,
    listSessions: async (clientId: string, userId: string, page?: PageRequest) =>
      service.listSessions(await service.findClient(clientId), parseId(userId, 'userId'), page),
    createLink: async (clientId: string, request: LinkRequest) =>
      service.createLink(await service.findClient(clientId), request),
    openLink: async (accessCode: string, token: string) =>
      service.openLink(await service.findLink(accessCode, token), true),
    submitClaim: async (accessCode: string, token: string, claim: ClaimSubmission) =>
      service.submitClaim(await service.findLink(accessCode, token), claim),
    revokeLink: service.revokeLink,
  });
  rememberAnswer(claimlink, answer);
  return claimlink;
}

/** A response to HEAD is one to GET without its body. */
function toMethod({ method }: CoreRequest, response: CoreResponse): CoreResponse {
  if (method !== 'HEAD') return response;
  const { status, headers } = response;
  return { status, headers: { ...headers }, body: '' };
}
