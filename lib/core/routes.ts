// The route table, and the matcher from a request target to a route.
import { type ClaimlinkError, invalidParameter } from './errors.js';
import type { CoreRequest, CoreResponse } from './http.js';
import type { Awaitable } from './types.js';
import { isReservedClientId } from './validators.js';

/** A route as documentation, adapters and the OpenAPI document see it. */
export interface Route {
  /** GET answers HEAD too. */
  readonly method: 'GET' | 'POST';
  /** With `:name` parameters: `/:clientId/sessions/:userId`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** JSON Schemas of what comes in and goes out, by content type; for documentation, not for validation. */
  readonly schema: {
    readonly body?: Readonly<Record<string, object>>;
    readonly response: Readonly<Record<number, Readonly<Record<string, object>>>>;
  };
}

/** What a handler gets. */
export interface RouteContext {
  request: CoreRequest;
  /** Percent-encoded, as in the path. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** A route with what answers it. */
export interface RouteHandler extends Route {
  handle(context: RouteContext): Awaitable<CoreResponse>;
  /** Writes an error in the route's own form; default: problem JSON. */
  renderError?(error: ClaimlinkError, request: CoreRequest): CoreResponse;
}

/** What a request target is to the table. */
export type Match =
  | { kind: 'route'; route: RouteHandler; params: Record<string, string> }
  | { kind: 'wrong_method'; route: RouteHandler; allow: readonly string[]; path: string }
  /** Below a name that is ours, but nothing is there; `route` is a neighbour. */
  | { kind: 'nothing'; route: RouteHandler }
  /** Not ours: a host may have it. */
  | { kind: 'foreign' };

/** Finds routes; made once from the table. */
export interface Matcher {
  match(method: string, path: string): Match;
}

interface Pattern {
  path: string;
  segments: readonly Segment[];
  byMethod: ReadonlyMap<string, RouteHandler>;
  /** Any of them: what they share is the form of their errors. */
  any: RouteHandler;
}

/** A part of a pattern between two slashes: text to be met, or the name of a parameter. */
type Segment = { literal: string; name?: never } | { name: string; literal?: never };

/** The origin form of a request target: an absolute one (RFC 9112, 3.2.2) loses scheme and authority. */
export function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
}

/** Splits a request target into path and query. */
export function splitTarget(target: string): { path: string; query: string } {
  const rest = originForm(target);
  const mark = rest.indexOf('?');
  return mark === -1 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) };
}

/** A single value of a query parameter. @throws `request_invalid` when it is given twice. */
export function queryValue(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw invalidParameter(name, 'repeated', 'must not be given more than once');
  return values[0];
}

/** Compiles the table. Literal segments match in their percent-encoded forms too; trailing slashes are strict. */
export function createMatcher(routes: readonly RouteHandler[]): Matcher {
  const patterns = groupByPath(routes);
  const neighbour = routes.find(({ path }) => path.startsWith('/verify/'));

  return {
    match(method, path) {
      for (const pattern of patterns) {
        const params = paramsOf(pattern, path);
        if (params === undefined) continue;
        const route = pattern.byMethod.get(method === 'HEAD' ? 'GET' : method);
        if (route !== undefined) return { kind: 'route', route, params };
        return { kind: 'wrong_method', route: pattern.any, allow: allowOf(pattern), path: pattern.path };
      }
      const isOurs = neighbour !== undefined && decodeLiteral(segmentsOf(path)[0] ?? '') === 'verify';
      return isOurs ? { kind: 'nothing', route: neighbour } : { kind: 'foreign' };
    },
  };
}

function groupByPath(routes: readonly RouteHandler[]): Pattern[] {
  const byPath = new Map<string, Pattern & { byMethod: Map<string, RouteHandler> }>();
  for (const route of routes) {
    const { path, method } = route;
    const pattern = byPath.get(path) ?? {
      path,
      segments: segmentsOf(path).map((text) =>
        text.startsWith(':') ? { name: text.slice(1) } : { literal: text },
      ),
      byMethod: new Map(),
      any: route,
    };
    pattern.byMethod.set(method, route);
    byPath.set(path, pattern);
  }
  return [...byPath.values()];
}

/** What stands between the slashes after the first one. */
function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

/** What a path has for the names of a pattern, or undefined when it is another path. */
function paramsOf({ segments }: Pattern, path: string): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  // From slash to slash, and not by a list of segments: most requests match the first pattern.
  let start = 1;
  for (const { name, literal } of segments) {
    if (start > path.length) return undefined;
    const slash = path.indexOf('/', start);
    const end = slash === -1 ? path.length : slash;
    const segment = path.slice(start, end);
    if (name === undefined ? decodeLiteral(segment) !== literal : !isParam(segment, name)) return undefined;
    if (name !== undefined) params[name] = segment;
    start = end + 1;
  }
  return start > path.length ? params : undefined;
}

/** Whether a segment may stand for a parameter: none is empty, and some names are no client's. */
function isParam(segment: string, name: string): boolean {
  return segment !== '' && (name !== 'clientId' || !isReservedClientId(decodeLiteral(segment)));
}

function allowOf(pattern: Pattern): string[] {
  return [...pattern.byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function decodeLiteral(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
