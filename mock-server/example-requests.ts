// Requests to start with: as curl lines in the start text and on the dashboard, and in its form of a link.
import { isLoopback } from '../lib/core/url.js';
import type { LinkRequest } from '../lib/index.js';
import type { MockClientOptions } from './control/types.js';
import type { CurlRequest } from './curl.js';
import { defaultCallbackUrl } from './scenario/callback-url.js';

/** Returns a link request whose form is prefilled. */
export function exampleLink(url: string, client: MockClientOptions, userId: string): LinkRequest {
  const contact = { email: 'claims@example.com', phone: '+49 30 123456' };
  const policy = { number: 'P-2026-000123', holder: { firstName: 'Ada', lastName: 'Lovelace' } };
  return {
    callbackUrl: defaultCallbackUrl(url, client),
    config: { currentUserId: userId, contact, policy },
  };
}

/** Returns requests by their titles. */
export function exampleRequests(
  url: string,
  client: MockClientOptions,
  userId: string,
): Record<string, CurlRequest> {
  const base = `${url}/${encodeURIComponent(client.clientId)}`;
  const { protocol, hostname } = new URL(url);
  // A server on loopback usually has a certificate that no authority has signed.
  const isInsecure = protocol === 'https:' && isLoopback(hostname);
  const headers = { 'x-api-key': client.apiKey };
  const linkHeaders = { ...headers, 'content-type': 'application/json' };
  const body = JSON.stringify(exampleLink(url, client, userId));
  const list = { method: 'GET', url: `${base}/sessions/${encodeURIComponent(userId)}`, headers, isInsecure };
  const create = { method: 'POST', url: `${base}/link`, headers: linkHeaders, body, isInsecure };
  return { 'List sessions': list, 'Create a link, then open the URL of the response': create };
}
