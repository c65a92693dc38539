// The error of a link that can no longer be used.
import { ClaimlinkError } from './errors.js';
import type { LinkWithClient } from './storage.js';

/**
 * Thrown for a link that exists but can no longer be used. Carries the link, so that a page can show its contact.
 * The link contains personal data. It is a private member, so that a host that logs the error does not log the link.
 */
export class UnusableLinkError extends ClaimlinkError {
  readonly #stored: LinkWithClient;

  constructor(
    code: 'link_expired' | 'link_revoked' | 'link_submitted',
    stored: LinkWithClient,
    message?: string,
  ) {
    super(code, message);
    this.#stored = stored;
  }

  get stored(): LinkWithClient {
    return this.#stored;
  }
}
