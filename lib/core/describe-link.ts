// What a page and `validateClaim` get of a link.
import type { LinkWithClient } from './storage.js';
import type { OpenLink } from './types.js';

/** Returns what a page and `validateClaim` get of a link at this time. */
export function describeLink({ link, client }: LinkWithClient, time: Date): OpenLink {
  const { name, locale, branding, frameAncestors, settings } = client;
  return {
    linkId: link.accessCodeHash,
    clientId: link.clientId,
    ...(name !== undefined && { clientName: name }),
    userId: link.userId,
    callbackUrl: link.callbackUrl,
    callbackOnSubmit: link.callbackOnSubmit,
    config: link.config,
    openedAt: link.openedAt ?? time,
    expiresAt: link.expiresAt,
    ...(locale !== undefined && { locale }),
    ...(branding && { branding }),
    ...(frameAncestors && { frameAncestors }),
    ...(settings && { settings }),
  };
}
