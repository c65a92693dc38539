// The callback URL of a link that names none.
import { isLoopback } from '../../lib/core/url.js';

/** Returns a callback URL that the client allows: the callback page of the mock if possible. */
export function defaultCallbackUrl(
  publicUrl: string,
  { callbackOrigins }: { callbackOrigins?: readonly string[] },
): string {
  const query = '?reference={SESSION_REFERENCE}&status={STATUS}';
  const { origin, protocol, hostname } = new URL(publicUrl);
  const isAllowed = callbackOrigins?.includes(origin) ?? (protocol === 'https:' || isLoopback(hostname));
  if (isAllowed) return `${publicUrl}/__mock/callback${query}`;
  const [target = 'https://example.com'] = callbackOrigins ?? [];
  return `${target}${/^https?:/.test(target) ? '/' : '//callback'}${query}`;
}
