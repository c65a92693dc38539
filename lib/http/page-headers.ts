// The security headers of pages: the built-in ones, and those that a host serves itself.
import { anyValue, assertOptions, type OptionChecks } from '../core/assert-options.js';
import { photosOf } from '../core/photo-settings.js';
import type { Client, OpenLink } from '../core/types.js';
import { parseUrl } from '../core/url.js';
import { COMMON_HEADERS } from './messages.js';
import { extendPolicy, type PolicySources } from './policy.js';

/** Argument of `pageHeaders`. */
export interface PageHeadersOptions {
  /**
   * Value of the `nonce` attribute of inline `<script>` and `<style>`: base64 or base64url. At least 128 random bits,
   * new for each response: `randomBytes(16).toString('base64')`.
   */
  nonce: string;
  /**
   * The result of `openLink`. The policy then allows forms to redirect to its callback, images of the origin of its
   * client's logo, and its client's frame ancestors. Leave it out for a page without a usable link.
   */
  link?: OpenLink;
  /** Sources to add to the policy, as `extendPolicy` of `claimlink/widget` does. Default: none. */
  sources?: PolicySources;
}

/** `nonce-source` of CSP Level 3, 2.3.1. */
const NONCE = /^[\w+/-]+={0,2}$/;

const CHECKS: OptionChecks<PageHeadersOptions> = {
  nonce: (value) =>
    typeof value === 'string' && NONCE.test(value)
      ? undefined
      : 'must be a text in base64, new for each response',
  link: linkProblem,
  sources: anyValue, // `extendPolicy` checks them
};

/** Checks the members of a link that the policy contains. */
function linkProblem(value: unknown): string | undefined {
  const { callbackUrl, branding, frameAncestors = [] } = Object(value);
  const areTexts = (list: unknown) => Array.isArray(list) && list.every((text) => typeof text === 'string');
  return areTexts(frameAncestors) && areTexts([callbackUrl, Object(branding).logoUrl ?? ''])
    ? undefined
    : 'must be the result of openLink';
}

/** Returns the security headers of the built-in pages. */
export function pageHeaders(options: PageHeadersOptions): Record<string, string> {
  assertOptions(options, CHECKS, { required: ['nonce'] });
  const { nonce, link, sources = {} } = options;
  const hasPhotos = photosOf(link?.settings).need !== 'hidden';
  const policy = pagePolicy(nonce, link && { callbackUrl: link.callbackUrl, client: link, hasPhotos });
  return securityHeaders(extendPolicy(policy, sources));
}

/**
 * Returns the security headers of a page. Its URL contains a token, so a Referer must have no path and no query, and
 * crawlers must not index it. With `no-referrer`, browsers send `Origin: null` with a form (Fetch, "append a request
 * Origin header"), and hosts that compare the origin reject the form.
 */
export function securityHeaders(contentSecurityPolicy: string): Record<string, string> {
  return {
    ...COMMON_HEADERS,
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'strict-origin',
    'x-robots-tag': 'noindex',
  };
}

/** The callback of a link and the settings of its client, which the policy of its pages allows. */
export interface PolicyContext {
  callbackUrl?: string;
  client?: Pick<Client, 'branding' | 'frameAncestors'>;
  /** The page shows photos: those that it holds, and those of the link. */
  hasPhotos?: boolean;
}

/** Returns the default Content-Security-Policy of a page. */
export function pagePolicy(nonce: string, { callbackUrl, client, hasPhotos }: PolicyContext = {}): string {
  const callback = callbackUrl === undefined ? '' : cspSource(callbackUrl);
  const logo = client?.branding?.logoUrl === undefined ? '' : cspSource(client.branding.logoUrl);
  const ancestors = client?.frameAncestors?.join(' ') || "'none'";
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    `img-src data:${logo && ` ${logo}`}${hasPhotos ? " 'self' blob:" : ''}`,
    "connect-src 'self'",
    // Chromium also applies form-action to the redirect that follows a form submission.
    `form-action 'self'${callback && ` ${callback}`}`,
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/** Returns the CSP source expression that allows a URL: the callback of a form, or the logo of a client. */
export function cspSource(text: string): string {
  const url = parseUrl(text);
  if (url === undefined) return '';
  // A custom scheme has no origin. CSP has no syntax for IPv6 hosts, and a ";" or "," in a host would end the
  // directive. In these cases the scheme is the narrowest source.
  return url.origin !== 'null' && /^[a-z0-9.-]+$/.test(url.hostname) ? url.origin : url.protocol;
}
