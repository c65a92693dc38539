// Keeps web pages and other machines away from dashboard and control routes.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseUrl } from '../parse-url.js';
import { sendProblem } from './problem.js';

/** An onRequest hook. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** What a route lets through. */
export interface GuardConfig {
  /** Needs no control token: it has no state and no secret. */
  isPublic?: boolean;
  /** May be navigated to from anywhere. */
  isOpenToLinks?: boolean;
}

/** Options of `createGuard`. */
export interface GuardOptions {
  /** Where the server listens. */
  url: string;
  publicUrl: string;
  controlToken: string | undefined;
}

/**
 * Refuses (403) a request whose Host is not the server's own, one whose Origin is another, and a cross-site one that
 * is not a plain read: DNS rebinding and cross-site requests. Programs that send neither Origin nor Sec-Fetch-Site,
 * such as curl, pass. Any Host will do for what is public, and where there is a token, which no other site's page has:
 * load balancers ask for the health by address. Where there is a control token, refuses (401) whoever does not have it: as a bearer token
 * (RFC 6750), or as the password of Basic authentication (RFC 7617), which browsers ask for.
 */
export function createGuard({ url, publicUrl, controlToken }: GuardOptions): Guard {
  const { port, protocol } = new URL(url);
  const loopback = ['localhost', '127.0.0.1', '[::1]'].map((name) => hostOf(`${protocol}//${name}:${port}`));
  const hosts = new Set([...loopback, hostOf(url), hostOf(publicUrl)]);
  const digest = controlToken === undefined ? undefined : digestOf(controlToken);

  return async (request, reply) => {
    const { host = '', origin, 'sec-fetch-site': site, authorization } = request.headers;
    const config = request.routeOptions.config as GuardConfig;
    const own = /^[\w.:[\]-]+$/.test(host) ? hostOf(`${protocol}//${host}`) : undefined;
    const isOpen = digest !== undefined || config.isPublic === true;
    if (own === undefined || !(isOpen || hosts.has(own))) return sendProblem(reply, 'host_not_allowed');
    if (!config.isOpenToLinks) {
      const from = origin === undefined ? own : hostOf(origin);
      const isForeign = from === undefined || !(hosts.has(from) || (digest !== undefined && from === own));
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if ((origin !== undefined && isForeign) || (site === 'cross-site' && !isRead))
        return sendProblem(reply, 'origin_not_allowed');
    }
    if (digest === undefined || config.isPublic) return undefined;
    const given = tokenOf(authorization);
    if (given !== undefined && timingSafeEqual(digestOf(given), digest)) return undefined;
    reply.header('www-authenticate', 'Basic realm="claimlink mock", charset="UTF-8", Bearer');
    return sendProblem(reply, 'control_unauthorized');
  };
}

/** The token of an Authorization header, in either form. */
function tokenOf(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (scheme === '') return undefined;
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

/** Of one length, so that the comparison takes the same time whatever is sent. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Host and port as URLs have them, without a scheme's default port; undefined for what is no URL. */
function hostOf(url: string): string | undefined {
  return parseUrl(url)?.host;
}
