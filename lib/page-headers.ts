// The headers of pages that a host serves itself.
import { pagePolicy, securityHeaders } from './core/http.js';
import type { OpenLink } from './core/types.js';
import { extendPolicy, type PolicySources } from './widget/policy.js';

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

/** Returns the security headers of the built-in pages. */
export function pageHeaders({
  nonce,
  link,
  sources = {},
  ...others
}: PageHeadersOptions): Record<string, string> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new TypeError(`pageHeaders knows nonce, link, sources, and not ${unknown}.`);
  }
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) {
    throw new TypeError('nonce must be a text in base64, new for each response.');
  }
  const policy = pagePolicy(nonce, link && { callbackUrl: link.callbackUrl, client: link });
  return securityHeaders(extendPolicy(policy, sources));
}
