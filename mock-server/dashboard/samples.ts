// Example calls for a client: a link request with sensible values, and curl lines that work when pasted.
import type { LinkRequest } from '../../lib/index.js';
import { isLoopback } from '../loopback.js';
import type { MockClientOptions } from '../options.js';
import type { Seeder } from '../seed/seed.js';

/** Makes examples for the clients of one server. */
export interface Samples {
  /** Where a link of this client may send its users back to: the mock's own landing page, if the client allows it. */
  callbackUrl(client: MockClientOptions): string;
  /** A minimal link request. */
  linkRequest(client: MockClientOptions, userId: string): LinkRequest;
  /** A curl line that lists the user's sessions. */
  listCommand(client: MockClientOptions, userId: string): string;
  /** A curl line that makes a link for the user. */
  linkCommand(client: MockClientOptions, userId: string): string;
}

/** Makes the examples of a server at `url`, which the world knows as `publicUrl`. */
export function createSamples({
  url,
  publicUrl,
  seeder,
}: {
  url: string;
  publicUrl: string;
  seeder: Pick<Seeder, 'contactOf'>;
}): Samples {
  // Only https and loopback callbacks are allowed.
  const landingBase = publicUrl.startsWith('https:') ? publicUrl : url;

  function callbackUrl({ callbackOrigins }: MockClientOptions): string {
    const query = '?reference={SESSION_REFERENCE}&status={STATUS}';
    const [first] = callbackOrigins ?? [];
    // The landing page of a mock that listens elsewhere without TLS cannot be a callback.
    if (first === undefined && !isCallbackBase(landingBase)) return `https://example.com/callback${query}`;
    if (first === undefined || callbackOrigins?.includes(new URL(landingBase).origin)) {
      return `${landingBase}/__mock/callback${query}`;
    }
    return `${first}${first.startsWith('http') ? '' : '/'}/${query}`;
  }

  function linkRequest(client: MockClientOptions, userId: string): LinkRequest {
    const { clientId } = client;
    return {
      callbackUrl: callbackUrl(client),
      config: { contact: seeder.contactOf(clientId), currentUserId: userId },
    };
  }

  // On this machine, a certificate is most often one that nobody vouches for.
  const { protocol, hostname } = new URL(publicUrl);
  const curl = protocol === 'https:' && isLoopback(hostname) ? 'curl -k' : 'curl';

  return {
    callbackUrl,
    linkRequest,
    listCommand: (client, userId) =>
      toCommand([
        `${curl} ${quote(`${publicUrl}/${encodeURIComponent(client.clientId)}/sessions/${encodeURIComponent(userId)}`)}`,
        `-H ${quote(`x-api-key: ${client.apiKey}`)}`,
      ]),
    linkCommand: (client, userId) =>
      toCommand([
        `${curl} ${quote(`${publicUrl}/${encodeURIComponent(client.clientId)}/link`)}`,
        `-H ${quote(`x-api-key: ${client.apiKey}`)}`,
        `-H 'content-type: application/json'`,
        `-d ${quote(JSON.stringify(linkRequest(client, userId)))}`,
      ]),
  };
}

function toCommand(parts: readonly string[]): string {
  return parts.join(' \\\n  ');
}

/** One word for a POSIX shell, whatever it contains. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function isCallbackBase(base: string): boolean {
  const { protocol, hostname } = new URL(base);
  return protocol === 'https:' || isLoopback(hostname);
}
