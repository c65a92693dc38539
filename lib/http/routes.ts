// The route table, and the matcher that finds the route of a request.
import { type ClaimlinkError, type ErrorCode, invalidParameter, type Problem } from '../core/errors.js';
import { isReservedClientId } from '../core/validators.js';
import type { CoreRequest, CoreResponse, ProblemResponse } from './messages.js';
import type { Operation } from './operation.js';

/** Path of the pages of a link. A host with `widget: false` serves it. */
export const PAGE_PATH = '/verify/:accessCode';

/** A route as adapters and hosts see it. */
export interface Route {
  /** A GET route also answers HEAD. */
  readonly method: 'GET' | 'POST';
  /** Path with `:name` parameters: `/:clientId/sessions/:userId`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
}

/** A request whose route is matched. */
export interface RouteContext {
  request: CoreRequest;
  /** Path parameters, still percent-encoded. */
  params: Readonly<Record<string, string>>;
  /** Without the question mark, still percent-encoded. */
  query: string;
}

/** What the API key or the token of a request has proved. */
export interface Proof {
  clientId: string;
  /** The user of the path or of the link. */
  userId?: string | undefined;
}

/** What came of a request. */
export interface Outcome {
  response: CoreResponse;
  /** Code of the error that the caller got. */
  code?: ErrorCode;
  /** Detail and problems of the error. A page shows them in words of its own. */
  detail?: string;
  problems?: readonly Problem[] | undefined;
}

/** A request whose route is matched and whose caller is authenticated. Nothing else was done. */
export interface Exchange {
  /** `operationId` of the route. Absent for a 404 or 405 without an operation. */
  readonly operation?: string | undefined;
  /** The client that the API key or the token has proved. So every value is the id of an existing client. */
  readonly clientId?: string | undefined;
  /** The user of the path or of the link, if the client is proved. */
  readonly userId?: string | undefined;
  /** Validates the request, runs the use case and renders the response. Never rejects. Call it at most once. */
  respond(): Promise<Outcome>;
  /** Renders an error in the form of the route, a page or a problem. Does not call `onError` for it. Never rejects. */
  reject(error: ClaimlinkError): Promise<Outcome>;
}

/** A route with its description and its handlers. `P` is what `authenticate` returns, `R` what `read` returns. */
export interface RouteHandler<P extends Proof = Proof, R = unknown> extends Route, Operation {
  /** Returns what the API key or the token proves, or throws a ClaimlinkError. */
  authenticate(context: RouteContext): Promise<P>;
  /** Returns what `handle` and `renderError` need of the request, or throws a ClaimlinkError. */
  read?(context: RouteContext, proof: P): Promise<R>;
  /** Returns the outcome or throws a ClaimlinkError. */
  handle(context: RouteContext, proof: P, read: R): Promise<Outcome>;
  /** Renders a problem in the form of this route. Default: problem JSON. */
  renderError?(
    problem: ProblemResponse,
    request: CoreRequest,
    proof: P | undefined,
    read: R | undefined,
  ): Promise<CoreResponse>;
}

/** Result of matching a request with the route table: its route, or the code of the error. */
export type Match =
  | { kind: 'route'; route: Route; params: Record<string, string> }
  /** The path exists, but not for this method. `route` is one of its routes. */
  | { kind: 'method_not_allowed'; route: Route; params: Record<string, string>; allow: string[] }
  /** Below `/verify`, but no route. `route` is a page route: it renders the error. */
  | { kind: 'link_not_found'; route: Route }
  /** Not a path of claimlink. */
  | { kind: 'route_not_found'; route?: undefined };

/** A request target of which the route was looked for. */
export interface Target {
  readonly match: Match;
  /** Without the question mark, still percent-encoded. */
  readonly query: string;
}

/** Finds the route of a request. Never throws. */
export type Matcher = (method: string, path: string) => Match;

/**
 * Returns the origin form of a request target: an absolute URL (RFC 9112, 3.2.2) loses scheme and authority. The rest
 * stays unchanged: `new URL` would resolve dot segments.
 */
export function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
}

/** Splits a request target into path and query. */
export function splitTarget(target: string): { path: string; query: string } {
  const origin = originForm(target);
  const end = origin.indexOf('?');
  return end < 0 ? { path: origin, query: '' } : { path: origin.slice(0, end), query: origin.slice(end + 1) };
}

/** Returns the value of a query parameter. @throws `request_invalid` if the parameter occurs more than once. */
export function queryValue(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw invalidParameter(name, 'repeated', 'must not be given more than once');
  return values[0];
}

/** Returns the methods of a route as they appear in `Allow`: GET includes HEAD. */
export function allowedMethods(routes: readonly Route[]): string[] {
  return routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/** Groups routes by their path, in the order of the table. */
export function groupByPath<R extends Route>(routes: readonly R[]): Map<string, R[]> {
  const byPath = new Map<string, R[]>();
  for (const route of routes) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  return byPath;
}

/**
 * Creates a matcher. A literal segment also matches in its percent-encoded forms. Trailing slashes are significant.
 * Reserved names never match `:clientId`.
 */
export function createMatcher(routes: readonly Route[]): Matcher {
  const pageRoute = routes.find(({ path }) => path.startsWith('/verify/'));
  const patterns = [...groupByPath(routes)].map(([path, handlers]) => ({
    segments: segmentsOf(path),
    handlers,
  }));

  return (method, path) => {
    if (!path.startsWith('/')) return { kind: 'route_not_found' };
    const segments = segmentsOf(path);
    for (const pattern of patterns) {
      const params = matchSegments(pattern.segments, segments);
      if (params === undefined) continue;
      const route = pattern.handlers.find(
        (handler) => handler.method === (method === 'HEAD' ? 'GET' : method),
      );
      if (route !== undefined) return { kind: 'route', route, params };
      const allow = allowedMethods(pattern.handlers);
      const [sibling] = pattern.handlers;
      if (sibling) return { kind: 'method_not_allowed', route: sibling, params, allow };
    }
    const isPage = decodeLiteral(segments[0] ?? '') === 'verify';
    return pageRoute && isPage ? { kind: 'link_not_found', route: pageRoute } : { kind: 'route_not_found' };
  };
}

/** Returns whether a path is that of a page of a link, with or without a widget. */
export function isPagePath(path: string): boolean {
  return matchSegments(segmentsOf(PAGE_PATH), segmentsOf(path)) !== undefined;
}

function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

/** Returns the parameters if the segments of a path match those of a pattern. */
function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== pattern.length) return undefined;
  const params: Record<string, string> = {};
  const isMatch = pattern.every((expected, index) => {
    const segment = segments[index] ?? '';
    if (!expected.startsWith(':')) return decodeLiteral(segment) === expected;
    params[expected.slice(1)] = segment;
    return segment !== '' && !(expected === ':clientId' && isReservedClientId(decodeLiteral(segment)));
  });
  return isMatch ? params : undefined;
}

function decodeLiteral(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
