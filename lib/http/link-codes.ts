// The codes that a browser gets for a link, and that the service accepts from it later.
//
// For the security review. A code has no personal data: its end, and a MAC over purpose, link, question and end, under a key of
// this purpose alone. The service forgets it at its end. A code for another question of the link is not valid.
import type { LinkSigner } from '../core/link-signer.js';
import { createMac, isMac } from '../core/mac.js';
import type { ResolvedOptions } from '../core/options.js';

/** Creates and checks the codes of one purpose. */
export interface LinkCodes {
  /** Returns a code, or undefined if the signer derives no keys. */
  create(linkId: string, question?: string): string | undefined;
  /** Returns whether a text is a valid code of this link and this question. */
  isValid(text: string, linkId: string, question?: string): boolean;
}

export type CodeOptions = Pick<ResolvedOptions, 'signer' | 'now'>;

/** Creates the codes of a purpose. Its keys are derived when they are first used. */
export function createLinkCodes({ signer, now }: CodeOptions, purpose: string, seconds: number): LinkCodes {
  const secondsNow = () => Math.floor(now().getTime() / 1000);
  const keys = lazyKeys(signer, purpose);
  const partsOf = (linkId: string, question: string | undefined, end: string) => [
    purpose,
    linkId,
    ...(question === undefined ? [] : [question]),
    end,
  ];

  return {
    create(linkId, question) {
      const [key] = keys();
      if (key === undefined || seconds === 0) return undefined;
      const end = String(secondsNow() + seconds);
      return `${end}.${createMac(key, partsOf(linkId, question, end)).toString('base64url')}`;
    },

    isValid(text, linkId, question) {
      const [end = '', mac = '', ...others] = text.split('.');
      if (!/^\d{1,12}$/.test(end) || others.length > 0 || !(Number(end) > secondsNow())) return false;
      return isMac(mac, keys(), partsOf(linkId, question, end));
    },
  };
}

function lazyKeys(signer: LinkSigner, purpose: string): () => readonly Uint8Array[] {
  let keys: readonly Uint8Array[] | undefined;
  return () => {
    keys ??= signer.derive?.(purpose) ?? [];
    return keys;
  };
}
