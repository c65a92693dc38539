// Which URLs may become an href, and how the page shows them.
import { FORBIDDEN_SCHEMES, parseUrl } from '../core/url.js';

/** Returns the URL unchanged if it is http or https. */
export function webHref(url: string | undefined): string | undefined {
  const protocol = url && parseUrl(url)?.protocol;
  return protocol === 'https:' || protocol === 'http:' ? url : undefined;
}

/** Returns the URL unchanged if the user may be sent there. Custom schemes (`myapp:`) pass. */
export function redirectHref(url: string | undefined): string | undefined {
  const protocol = url && parseUrl(url)?.protocol;
  return protocol && !FORBIDDEN_SCHEMES.has(protocol) ? url : undefined;
}

/** Returns host and path of a URL for display, without the path `/`. */
export function webLabel(url: string): string {
  const { host, pathname } = parseUrl(url) ?? { host: url, pathname: '' };
  return pathname === '/' ? host : host + pathname;
}

/** Returns the host of an http or https URL. The host of a custom scheme means nothing to a user. */
export function webHost(url: string): string | undefined {
  return webHref(url) && parseUrl(url)?.host;
}
