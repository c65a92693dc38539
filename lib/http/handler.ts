// Handles a request in two phases: finds its route and authenticates its caller; then does the rest.
import { assertOptions } from '../core/assert-options.js';
import { asClaimlinkError, ClaimlinkError } from '../core/errors.js';
import { isUrl } from '../core/plain-data.js';
import type { Report } from '../core/report.js';
import type { RedactedRequest } from '../core/types.js';
import { basePathProblem, stripBasePath, withoutSlashes } from './base-path.js';
import {
  type CoreRequest,
  type CoreResponse,
  type ProblemResponse,
  problemResponse,
  toProblem,
} from './messages.js';
import { traceRequest } from './request-trace.js';
import {
  createMatcher,
  type Exchange,
  isPagePath,
  type Match,
  type Outcome,
  PAGE_PATH,
  type Proof,
  type RouteHandler,
  splitTarget,
  type Target,
} from './routes.js';

/** Handles requests: the calls of an adapter. */
export interface RequestHandling {
  /** Handles a request. Never rejects: every error becomes a response. */
  handle(request: CoreRequest): Promise<CoreResponse>;
  /**
   * Returns whether the path of a request target (without mount prefix) has a route, for any method, or is below
   * `/verify`.
   */
  owns(target: string): boolean;
  /**
   * Returns a request without personal data and secrets, for logs. The path of a page becomes `/verify/:accessCode`, also
   * with `widget: false`. A path that is not claimlink's becomes `/*`.
   *
   * Without `basePath`, `url` has no mount prefix. With `basePath`, such as `/claims`, `url` begins with it, and the path
   * keeps it: `/claims/verify/:accessCode`. A URL outside of it becomes `/*`.
   * @throws `options_invalid` for an unknown option, or a `basePath` that does not start with a slash.
   */
  redact(request: { method: string; url: string }, options?: { basePath?: string }): RedactedRequest;
  /**
   * Reports an error that an adapter caught to `onError`, with the redacted request and a new `instance`. Never throws.
   * For authors of adapters.
   */
  reportError(error: unknown, request: { method: string; url: string }): void;
}

/** Handles requests, also in phases. */
export interface Handler extends RequestHandling {
  /** Finds the route of a request. Never throws. */
  route(request: CoreRequest): Target;
  /**
   * Authenticates the caller of a request. Never rejects.
   * @param target what `route` found, of this handler or of another one with the same routes
   */
  begin(request: CoreRequest, target?: Target): Promise<Exchange>;
}

const REDACT_CHECKS = { basePath: basePathProblem };

/** Creates the handler of these routes. */
export function createHandler(routes: readonly RouteHandler[], report: Report): Handler {
  const matchRoute = createMatcher(routes);
  const handlers = new Map(routes.map((route) => [route.operationId, route]));

  function route({ method, url }: CoreRequest): Target {
    const { path, query } = splitTarget(targetOf(url));
    return { match: matchRoute(method, path), query };
  }

  function handle(received: CoreRequest): Promise<CoreResponse> {
    const request: CoreRequest = Object(received);
    const target = route(request);
    return traceRequest(operationOf(target.match), () => begin(request, target));
  }

  async function begin(request: CoreRequest, { match, query } = route(request)): Promise<Exchange> {
    const handler = match.route && handlers.get(match.route.operationId);
    let proof: Proof | undefined;
    let read: unknown;
    let run: () => Promise<Outcome>;
    try {
      if (match.kind !== 'route') throw new ClaimlinkError(match.kind);
      if (handler === undefined) throw new ClaimlinkError('route_not_found');
      const context = { request, params: match.params, query };
      const proved = await handler.authenticate(context);
      proof = proved;
      const handle = () => handler.handle(context, proved, read);
      run = handle;
      if (handler.read) {
        run = async () => {
          read = await handler.read?.(context, proved);
          return handle();
        };
      }
    } catch (error) {
      run = () => Promise.reject(error);
    }

    async function respond(): Promise<Outcome> {
      try {
        return finish(await run());
      } catch (thrown) {
        const problem = toProblem(asClaimlinkError(thrown));
        reportFailure(thrown, problem, request);
        return renderError(problem);
      }
    }

    async function renderError(problem: ProblemResponse): Promise<Outcome> {
      let response: CoreResponse;
      let { code } = problem;
      try {
        const rendered = handler?.renderError?.(problem, request, proof, read);
        response = (await rendered) ?? problemResponse(problem);
      } catch (thrown) {
        const { instance } = problem;
        // The second report of a request has the instance of the first.
        const internal = {
          ...toProblem(new ClaimlinkError('internal')),
          ...(instance !== undefined && { instance }),
        };
        reportFailure(thrown, internal, request);
        response = problemResponse(internal);
        code = internal.code;
      }
      if (match.kind === 'method_not_allowed') response.headers['allow'] = match.allow.join(', ');
      return finish({ response, code, detail: problem.detail, problems: problem.errors });
    }

    function finish(outcome: Outcome): Outcome {
      if (request.method !== 'HEAD') return outcome;
      const { status, headers } = outcome.response;
      return { ...outcome, response: { status, headers, body: '' } };
    }

    return {
      operation: operationOf(match),
      clientId: proof?.clientId,
      userId: proof?.userId,
      respond,
      reject: (error) => renderError(toProblem(error)),
    };
  }

  /** Reports the cause of a 5xx. */
  function reportFailure(cause: unknown, { instance }: ProblemResponse, request: CoreRequest): void {
    if (instance !== undefined) report(cause, { ...redact(request), instance });
  }

  function redact(
    request: { method: string; url: string },
    options: { basePath?: string } = {},
  ): RedactedRequest {
    assertOptions(options, REDACT_CHECKS);
    const basePath = withoutSlashes(options.basePath ?? '');
    const { method, url } = Object(request);
    const target = stripBasePath(targetOf(url), basePath);
    return { method, path: target === undefined ? '/*' : `${basePath}${redactPath(method, target)}` };
  }

  function redactPath(method: string, target: string): string {
    const { path } = splitTarget(target);
    const match = matchRoute(method, path);
    if (match.kind !== 'route' && match.kind !== 'method_not_allowed')
      return isPagePath(path) ? PAGE_PATH : '/*';
    return match.route.path.replace(':clientId', () => match.params['clientId'] ?? '');
  }

  function owns(target: string): boolean {
    return matchRoute('GET', splitTarget(targetOf(target)).path).kind !== 'route_not_found';
  }

  function reportError(error: unknown, request: { method: string; url: string }): void {
    const { method, url } = Object(request);
    reportFailure(error, toProblem(new ClaimlinkError('internal')), { method, url, headers: {} });
  }

  return { route, begin, handle, redact, owns, reportError };
}

/** Returns the target of a request: empty if it is neither a text nor a URL. */
function targetOf(url: unknown): string {
  return typeof url === 'string' || isUrl(url) ? String(url) : '';
}

function operationOf(match: Match): string | undefined {
  return match.kind === 'route' ? match.route.operationId : undefined;
}
