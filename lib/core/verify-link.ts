// Verifies the access code and the token of a link, and finds it.
import { hashAccessCode } from './credentials.js';
import { asClaimlinkError, ClaimlinkError } from './errors.js';
import type { GuardedStorage } from './guarded-storage.js';
import type { LinkTokenClaims } from './link-signer.js';
import { isUsable, linkState } from './link-state.js';
import type { ResolvedOptions } from './options.js';
import type { LinkWithClient } from './storage.js';
import { UnusableLinkError } from './unusable-link.js';
import { withoutAddedEnd } from './url.js';

/** Creates the use case. */
export function createLinkVerification(
  { signer, now }: Pick<ResolvedOptions, 'signer' | 'now'>,
  storage: GuardedStorage,
) {
  /** Returns the claims also of a token that has expired: the state of its link decides what the user learns. */
  function verifyToken(
    token: string,
    time: Date,
    accessCode: string,
  ): { claims: LinkTokenClaims; isExpired: boolean } {
    try {
      return { claims: signer.verify(token, time, accessCode), isExpired: false };
    } catch (error) {
      if (asClaimlinkError(error).code !== 'link_expired') throw error;
      return { claims: signer.verify(token, new Date(0), accessCode), isExpired: true };
    }
  }

  /** Verifies a token as given, and then once without what a mail program added to its end. */
  function verifyGivenToken(token: string, time: Date, accessCode: string) {
    try {
      return verifyToken(token, time, accessCode);
    } catch (error) {
      const shortened = withoutAddedEnd(token);
      if (asClaimlinkError(error).code !== 'link_not_found' || shortened === token) throw error;
      return verifyToken(shortened, time, accessCode);
    }
  }

  /**
   * Finds the link of an access code and its token, for a purpose that it can be used for. A submitted link with its
   * session can be submitted again, also after its end: the submission then has the result of the first one.
   */
  async function verifyLink(
    accessCode: unknown,
    token: unknown,
    purpose: 'open' | 'submit',
  ): Promise<LinkWithClient> {
    if (typeof accessCode !== 'string' || typeof token !== 'string') {
      throw new ClaimlinkError('link_not_found');
    }
    const time = now();
    // Forged tokens are rejected here, before the storage is called.
    const { claims, isExpired } = verifyGivenToken(token, time, accessCode);
    const code = isExpired ? 'link_expired' : 'link_not_found';
    if (claims.accessCode !== accessCode) throw new ClaimlinkError(code);
    const stored = await storage.findLink({
      clientId: claims.clientId,
      accessCodeHash: hashAccessCode(accessCode),
    });
    if (stored === undefined) throw new ClaimlinkError(code);
    if (purpose === 'submit' && stored.session !== undefined) return stored;
    const state = linkState(stored.link, time);
    if (!isUsable(state)) throw new UnusableLinkError(`link_${state}`, stored);
    if (isExpired) throw new UnusableLinkError('link_expired', stored);
    return stored;
  }

  return verifyLink;
}
