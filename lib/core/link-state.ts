// The state of a link, and the configuration that a link keeps after its end.
import type { Link, LinkState, WidgetConfig } from './types.js';

/** Returns the state of a link at this time. */
export function linkState(link: Link, at: Date): LinkState {
  if (link.submittedAt !== undefined) return 'submitted';
  if (link.revokedAt !== undefined) return 'revoked';
  // An invalid date counts as expired, so that the link is rejected.
  if (!(link.expiresAt > at)) return 'expired';
  return link.openedAt === undefined ? 'created' : 'opened';
}

/** Returns whether a link in this state can be opened and submitted. */
export function isUsable(state: LinkState): state is 'created' | 'opened' {
  return state === 'created' || state === 'opened';
}

/**
 * Returns the members of `config` that pages need after the end of a link: no prefilled personal data. A storage stores
 * the result when it submits or revokes a link, and in `reduceExpiredLinks`.
 */
export function reduceConfig({ contact, currentUserId }: WidgetConfig): WidgetConfig {
  return { contact, currentUserId };
}
