// One request to the service: whose it is, and what the request log says of it.
import { authenticate } from '../../lib/core/authenticate.js';
import { headerOf } from '../../lib/core/http.js';
import { createMatcher, type RouteHandler, splitTarget } from '../../lib/core/routes.js';
import { parseIdSegment } from '../../lib/core/validators.js';
import type { Claimlink, CoreRequest } from '../../lib/index.js';
import type { LoggedRequest, RouteName } from '../control.js';
import type { MockState } from '../state/mock-state.js';
import type { NewLoggedRequest } from '../state/request-log.js';
import { redactBody, redactHeaders, redactPath } from './redaction.js';

/** A response as it is sent, with lower-case names of headers. */
interface SentResponse {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  body: Uint8Array | string;
}

/** One request to the service while it is handled. */
export interface Exchange {
  /** The request without its body. */
  readonly request: CoreRequest;
  /** What the request log will say of the request. Pages do not contain code and problems: their renderer sets both. */
  readonly entry: Omit<NewLoggedRequest, 'status' | 'durationMs' | 'responseBody'>;
  /** Aborted when the connection ends before the response. */
  readonly signal: AbortSignal;
  /** Adds the request to the log, once. null: no response. */
  record(response: SentResponse | null): void;
  /** The logged request, once it is recorded. */
  logged?: LoggedRequest;
}

/** Returns a function that creates the exchange of a request to a service. */
export function createExchangeReader(claimlink: Claimlink, state: MockState) {
  const matchRoute = createMatcher(claimlink.routes as readonly RouteHandler[]);

  /** Returns the client whose API key the request has. */
  async function clientOfKey(segment: string, request: CoreRequest): Promise<string | null> {
    const key = headerOf(request, 'x-api-key');
    try {
      return (await authenticate(state.storage, key, segment, state.now)).clientId;
    } catch {
      return null;
    }
  }

  /** Returns the client and the user of a link that this mock signed, whatever the state of the link is. */
  function ownerOfLink(accessCode: string, token: string): Pick<LoggedRequest, 'clientId' | 'userId'> {
    try {
      // At the start of time no token has expired.
      const claims = state.signer.verify(token, new Date(0));
      const client = claims.accessCode === accessCode ? state.findClient(claims.clientId) : undefined;
      const link = client?.links.find(`${state.publicUrl}/verify/${accessCode}`);
      return { clientId: client?.client.clientId ?? null, userId: link?.userId ?? null };
    } catch {
      return { clientId: null, userId: null };
    }
  }

  return async (request: CoreRequest, signal: AbortSignal): Promise<Exchange> => {
    const startedAt = performance.now();
    const { method, url, headers } = request;
    const { path, query } = splitTarget(url);
    const match = matchRoute(method, path);
    const route = match.kind === 'route' ? (match.route.operationId as RouteName) : null;
    const params = match.kind === 'route' ? match.params : {};
    const owner =
      params['accessCode'] !== undefined
        ? ownerOfLink(params['accessCode'], new URLSearchParams(query).get('token') ?? '')
        : {
            clientId: await clientOfKey(params['clientId'] ?? path.split('/')[1] ?? '', request),
            userId: parseUserId(params['userId']),
          };
    const time = state.runFor(owner.clientId, () => state.now());

    const exchange: Exchange = {
      request,
      entry: { time, method, path: redactPath(url), route, ...owner, headers: redactHeaders(headers) },
      signal,
      record(response) {
        exchange.logged ??= state.requests.add({
          ...(response && problemFrom(response)),
          ...exchange.entry,
          status: response?.status ?? null,
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
          ...(response && response.body.length > 0 && { responseBody: redactBody(response.body) }),
        });
      },
    };
    return exchange;
  };
}

function parseUserId(segment: string | undefined): string | null {
  if (segment === undefined) return null;
  try {
    return parseIdSegment(segment, 'userId');
  } catch {
    return null;
  }
}

/** Returns what a problem response (RFC 9457) says. */
function problemFrom({ headers, body }: SentResponse): Pick<LoggedRequest, 'code' | 'detail' | 'problems'> {
  if (!String(headers['content-type']).startsWith('application/problem+json')) return {};
  try {
    const { code, detail, errors } = JSON.parse(String(body));
    return {
      ...(typeof code === 'string' && { code }),
      ...(typeof detail === 'string' && { detail }),
      ...(Array.isArray(errors) && { problems: errors }),
    };
  } catch {
    // A fault may have any body.
    return {};
  }
}
