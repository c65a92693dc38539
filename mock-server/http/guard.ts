// Decides who may call what: the Host header on every route, the origin and the token on control routes and dashboard.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { isLoopback, parseUrl } from '../../lib/core/url.js';
import { mediaTypeOf } from '../../lib/http/body.js';
import type { MockControlError } from '../control/control-error.js';
import { controlError, originError } from '../control/errors.js';
import type { Mock } from '../state/mock.js';

/**
 * Access class of a route.
 * - `service`: the API and its pages; web pages of other origins may call it as CORS allows.
 * - `public`: without state and secrets; needs no control token.
 * - `control`: control routes and dashboard.
 * - `stream`: control routes that hold a connection: events and waits.
 */
export type Area = 'service' | 'public' | 'control' | 'stream';

/**
 * Creates the guard, which returns the error of a request that it rejects. It reads headers only.
 *
 * Bound to a loopback address, it rejects the Host headers of other servers on every route: DNS rebinding would turn a
 * page of another site into a page of this origin. Over an allowed host, control routes need a token: a tunnel may lead to it. On control routes it also rejects requests of web pages of other
 * origins than `controlOrigins`. It accepts programs that send neither Origin nor Sec-Fetch-Site, such as curl.
 * @param url URL that the server listens on
 */
export function createGuard({ options, publicUrl, findByToken }: Mock, url: string) {
  const { port, protocol } = new URL(url);
  const loopback = ['localhost', '127.0.0.1', '[::1]'].map((name) => hostOf(`${protocol}//${name}:${port}`));
  const ownHosts = new Set([...loopback, hostOf(url), hostOf(publicUrl)]);
  const allowedNames = new Set(options.allowedHosts.map((name) => hostOf(`${protocol}//${name}`)));
  const isBoundToLoopback = isLoopback(options.host);
  const tokenDigest = options.controlToken === undefined ? undefined : digestOf(options.controlToken);

  return (request: FastifyRequest, area: Area): MockControlError | undefined => {
    const { headers } = request;
    const host = toHost(headers.host ?? '', protocol);
    // Any port of a loopback or allowed name: a tunnel or a container may map another port to this server.
    const name = host?.replace(/:\d+$/, '') ?? '';
    const isOwnHost = host !== undefined && (ownHosts.has(host) || isLoopback(name));
    const isAllowedHost = !isOwnHost && allowedNames.has(name);
    if (host === undefined || (isBoundToLoopback && !isOwnHost && !isAllowedHost)) {
      return controlError(
        'host_not_allowed',
        'The Host header does not name this server. Allow the name with --allowed-host (in code allowedHosts), or start the mock with a public URL of that host.',
      );
    }
    if (area === 'service') return undefined;

    const { origin, authorization } = headers;
    const originHost = origin === undefined ? host : hostOf(origin);
    // With a token any host name is fine: a page of another site does not have the token.
    const isOwnOrigin =
      originHost !== undefined &&
      (ownHosts.has(originHost) || ((tokenDigest !== undefined || isAllowedHost) && originHost === host));
    const isControlOrigin = origin !== undefined && options.controlOrigins.includes(origin);
    if (origin !== undefined && !isOwnOrigin && !isControlOrigin)
      return originError(origin, 'control the mock', 'control');
    const isFromOtherSite = ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
    if (isFromOtherSite && !isControlOrigin && !isLink(request, area))
      return controlError('origin_not_allowed');

    if (area === 'public') return undefined;
    // The browser adds the credentials of the reader to a page of this origin. A form or a redirect cannot send JSON.
    const isFromPage = origin !== undefined || headers['sec-fetch-site'] !== undefined;
    if (
      request.method === 'POST' &&
      isFromPage &&
      !isControlOrigin &&
      mediaTypeOf(request) !== 'application/json'
    )
      return controlError('content_type_unsupported', 'Send the body with Content-Type: application/json.');
    const token = tokenFrom(authorization);
    if (token !== undefined && tokenDigest && timingSafeEqual(digestOf(token), tokenDigest)) return undefined;
    request.tokenClient = token === undefined ? undefined : findByToken(token);
    if (request.tokenClient !== undefined)
      return request.routeOptions.config.forClient
        ? undefined
        : controlError('control_forbidden', OWN_CLIENT);
    if (isAllowedHost && tokenDigest === undefined) return controlError('control_unauthorized', ALLOWED_HOST);
    return tokenDigest === undefined ? undefined : controlError('control_unauthorized');
  };
}

const ALLOWED_HOST =
  'Over a host of --allowed-host, dashboard and control API need a control token: start the mock with --control-token.';

const OWN_CLIENT =
  'This needs the control token of the mock. With that of a client, read the client with state(), and start anew with reset().';

/** A link or a redirect of any site may lead to a page of the mock. Frames, images and scripts may not load one. */
function isLink({ method, headers }: FastifyRequest, area: Area): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const isTopLevel = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return area === 'public' || (area === 'control' && isTopLevel);
}

/** `WWW-Authenticate` of a 401: one line for each scheme, because Chromium ignores two schemes on one line. */
export const CHALLENGES = ['Basic realm="claimlink mock", charset="UTF-8"', 'Bearer'];

/** Returns the token of an Authorization header: Bearer (RFC 6750), or the password of Basic (RFC 7617). */
function tokenFrom(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (scheme === '') return undefined;
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

/** Digests have one length, so that the comparison takes the same time for every token. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function toHost(header: string, protocol: string): string | undefined {
  return /^[\w.:[\]-]+$/.test(header) ? hostOf(`${protocol}//${header}`) : undefined;
}

/** Returns host and port without the default port of the scheme, and without the dot that ends an absolute name. */
function hostOf(url: string): string | undefined {
  return parseUrl(url)?.host.replace(/\.(?=:|$)/, '');
}
