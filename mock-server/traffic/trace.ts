// Tells from a request alone which route of the service it is for, and which client's.
import type { Claimlink } from '../../lib/index.js';
import type { RouteName } from '../control.js';

/** What a request is about. */
export interface Trace {
  /** null: no route of the service. */
  route: RouteName | null;
  /** null: no client that there is. */
  clientId: string | null;
}

/** Reads it from method and request target. */
export type TraceReader = (method: string, target: string) => Trace;

/** Makes a reader for the routes of a service. */
export function createTraceReader(
  claimlink: Pick<Claimlink, 'redact'>,
  isClient: (clientId: string) => boolean,
): TraceReader {
  function known(clientId: unknown): string | null {
    return typeof clientId === 'string' && isClient(clientId) ? clientId : null;
  }

  return (method, target) => {
    // The client's id is filled in, everything else is as in the route table.
    const { path } = claimlink.redact({ method, url: target });
    const isRead = method === 'GET' || method === 'HEAD';
    if (path === '/verify/:accessCode') {
      const route = method === 'POST' ? 'submitClaim' : isRead ? 'openLink' : null;
      return { route, clientId: known(clientOfToken(target)) };
    }
    const [, first = '', second, third] = path.split('/');
    const clientId = known(decode(first));
    if (second === 'sessions' && third === ':userId' && first !== ':clientId')
      return { route: isRead ? 'listSessions' : null, clientId };
    if (second === 'link' && third === undefined && first !== ':clientId')
      return { route: method === 'POST' ? 'createLink' : null, clientId };
    return { route: null, clientId: known(decode(target.split(/[/?]/)[1] ?? '')) };
  };
}

/** What the token says, which is not verified: the clock and the faults of that client are for this request. */
function clientOfToken(target: string): unknown {
  const token = new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('token') ?? '';
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof payload === 'object' && payload !== null && 'client_id' in payload
      ? payload.client_id
      : null;
  } catch {
    return null;
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
