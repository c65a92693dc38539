// Keeps web pages away from the dashboard and the control routes: DNS rebinding and cross-site requests.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.js';

/** An onRequest hook. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** A route with `config: { isOpenToLinks: true }` may be navigated to from anywhere: it has no state and no secret. */
export interface GuardConfig {
  isOpenToLinks?: boolean;
}

/**
 * Refuses (403) a request whose Host is not the server's own, one whose Origin is another, and a cross-site one that
 * is not a plain read. Programs that send neither Origin nor Sec-Fetch-Site, such as curl, pass.
 */
export function createGuard({ url, publicUrl }: { url: string; publicUrl: string }): Guard {
  const { port } = new URL(url);
  const loopback = ['localhost', '127.0.0.1', '[::1]'].map((name) => hostOf(`http://${name}:${port}`));
  const hosts = new Set([...loopback, hostOf(url), hostOf(publicUrl)]);

  return async (request, reply) => {
    const { host = '', origin, 'sec-fetch-site': site } = request.headers;
    if (!/^[\w.:[\]-]+$/.test(host) || !hosts.has(hostOf(`http://${host}`))) {
      return sendProblem(reply, 'host_not_allowed');
    }
    if ((request.routeOptions.config as GuardConfig).isOpenToLinks) return undefined;
    const isForeign = origin !== undefined && !hosts.has(hostOf(origin));
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isForeign || (site === 'cross-site' && !isRead)) return sendProblem(reply, 'origin_not_allowed');
    return undefined;
  };
}

/** Host and port as URLs have them, without a scheme's default port; undefined for what is no URL. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
