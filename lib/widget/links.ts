// Which values may become an href, and what it looks like: the last check before the page.
import { parseUrl } from '../core/url.js';

const REFUSED_REDIRECTS = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:']);

/** The URL as given if it is http(s). */
export function webHref(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const protocol = parseUrl(url)?.protocol;
  return protocol === 'https:' || protocol === 'http:' ? url : undefined;
}

/** The URL as given if the user may be sent there; custom schemes (`myapp:`) pass. */
export function redirectHref(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const protocol = parseUrl(url)?.protocol;
  return protocol === undefined || REFUSED_REDIRECTS.has(protocol) ? undefined : url;
}

/** Host and path of a URL, to show; the path is blank where it says nothing. */
export function webLabel(url: string): readonly [host: string, path: string] {
  const { host, pathname } = parseUrl(url) ?? { host: url, pathname: '' };
  return [host, pathname === '/' ? '' : pathname];
}

/** The host of an http(s) URL; a custom scheme has none that means anything to a user. */
export function webHost(url: string): string | undefined {
  return webHref(url) && parseUrl(url)?.host;
}

/** `mailto:` with everything encoded that could add a header or a second recipient. */
export function mailHref(email: string): string | undefined {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || !email.isWellFormed()) return undefined;
  return `mailto:${encodeURIComponent(email).replace('%40', '@')}`;
}

/** `tel:` with what can be dialled: `+44 (0)20 7946 0000 ext. 3` is `tel:+442079460000`. */
export function phoneHref(phone: string): string | undefined {
  const number = /^[^a-z]*/i.exec(phone)?.[0] ?? '';
  const international = number.trim().startsWith('+');
  const digits = (international ? number.replace('(0)', '') : number).replace(/\D/g, '');
  return digits === '' ? undefined : `tel:${international ? '+' : ''}${digits}`;
}
