// Lets pages of chosen origins call the service from a browser (the Fetch standard's CORS protocol).
import type { IncomingMessage, ServerResponse } from 'node:http';

const METHODS = 'GET, HEAD, POST';
const REQUEST_HEADERS = 'content-type, x-api-key, prefer';
const RESPONSE_HEADERS = 'link, preference-applied, retry-after, x-claimlink-fault';

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = '600';

/** Sets the headers for an allowed origin. true: the request was a preflight, and has been answered. */
export function applyCors(
  origins: readonly string[],
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (origins.length === 0) return false;
  const isAny = origins.includes('*');
  if (!isAny) response.appendHeader('vary', 'Origin');
  const { origin } = headers;
  if (origin === undefined || !(isAny || origins.includes(origin))) return false;
  response.setHeader('access-control-allow-origin', isAny ? '*' : origin);
  response.setHeader('access-control-expose-headers', RESPONSE_HEADERS);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  response
    .writeHead(204, {
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': MAX_AGE,
    })
    .end();
  return true;
}
