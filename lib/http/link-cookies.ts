// The cookies of a link: the receipt of the browser that sent a claim, and the answer of the recipient.
//
// For the security review. A cookie has no personal data: its end, and a MAC over purpose, link and end, under a key of this
// purpose alone. It is bound to the path of its link, no script can read it, and the service forgets it at its end.
// - The receipt: with it, a browser sees the answers of its claim again. Only a submission that stored the claim, or that
//   repeated it unchanged, sets it: its sender knows the answers already. It lasts `receiptSeconds`.
// - The check: with it, a browser sees the prefill of a link whose client has `recipientCheck`, also if the link is locked.
//   Only a right answer sets it. It lasts until the browser is closed, at most CHECK_SECONDS. It is SameSite=Strict: opening
//   the link from another site, such as a web mailbox, asks again.
import type { LinkSigner } from '../core/link-signer.js';
import { createMac, isMac } from '../core/mac.js';
import type { ResolvedOptions } from '../core/options.js';
import type { Client, Link } from '../core/types.js';
import { type CoreRequest, headerOf } from './messages.js';

/** Time in seconds for which the browser of a right answer is not asked again. */
export const CHECK_SECONDS = 4 * 3600;

/** What the cookies of one purpose are for. */
interface Purpose {
  name: string;
  /** The purpose of keys and codes. */
  purpose: string;
  seconds: number;
  /** SameSite of a page that no other site may frame. */
  sameSite: 'Lax' | 'Strict';
  /** true: the browser keeps it when it is closed. */
  isKept: boolean;
}

/** Writes and checks the cookies of one purpose. */
export interface LinkCookies {
  /** Returns the value of Set-Cookie for a link, or undefined if the signer derives no keys. */
  create(link: Link, accessCode: string, client: Client): string | undefined;
  /** Returns whether a request has a valid cookie of this link. */
  isPresent(request: CoreRequest, link: Link): boolean;
}

type CookieOptions = Pick<ResolvedOptions, 'signer' | 'publicUrl' | 'now'>;

/** Creates the cookies of receipts. */
export function createReceiptCookies(
  options: CookieOptions & Pick<ResolvedOptions, 'receiptSeconds'>,
): LinkCookies {
  const seconds = options.receiptSeconds;
  const purpose = { name: 'claimlink_receipt', purpose: 'receipt', sameSite: 'Lax', isKept: true } as const;
  return createLinkCookies(options, { ...purpose, seconds });
}

/** Creates the cookies of right answers. */
export function createCheckCookies(options: CookieOptions): LinkCookies {
  const purpose = { name: 'claimlink_check', purpose: 'check', sameSite: 'Strict', isKept: false } as const;
  return createLinkCookies(options, { ...purpose, seconds: CHECK_SECONDS });
}

/** Creates the cookies of a service. The keys are derived when they are first used. */
function createLinkCookies(
  { signer, publicUrl, now }: CookieOptions,
  { name, purpose, seconds, sameSite, isKept }: Purpose,
): LinkCookies {
  const { pathname, protocol } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  const secondsNow = () => Math.floor(now().getTime() / 1000);
  const keys = lazyKeys(signer, purpose);
  const partsOf = (linkId: string, end: string) => [purpose, linkId, end];

  return {
    create({ accessCodeHash }, accessCode, { frameAncestors = [] }) {
      const [key] = keys();
      if (key === undefined || seconds === 0) return undefined;
      const end = String(secondsNow() + seconds);
      const mac = createMac(key, partsOf(accessCodeHash, end)).toString('base64url');
      // A frame of another site sends only such cookies (CHIPS).
      const isFramed = isSecure && frameAncestors.length > 0;
      return [
        `${name}=${end}.${mac}`,
        `Path=${pathname.replace(/\/$/, '').replaceAll(';', '%3B')}/verify/${accessCode}`,
        ...(isKept ? [`Max-Age=${seconds}`] : []),
        'HttpOnly',
        ...(isSecure ? ['Secure'] : []),
        ...(isFramed ? ['SameSite=None', 'Partitioned'] : [`SameSite=${sameSite}`]),
      ].join('; ');
    },

    isPresent: (request, { accessCodeHash }) =>
      cookiesNamed(request, name).some((value) => {
        const [end = '', mac = '', ...others] = value.split('.');
        if (!/^\d{1,12}$/.test(end) || others.length > 0 || !(Number(end) > secondsNow())) return false;
        return isMac(mac, keys(), partsOf(accessCodeHash, end));
      }),
  };
}

function lazyKeys(signer: LinkSigner, purpose: string): () => readonly Uint8Array[] {
  let keys: readonly Uint8Array[] | undefined;
  return () => {
    keys ??= signer.derive?.(purpose) ?? [];
    return keys;
  };
}

/** Returns the values of the cookies with this name (RFC 6265, 5.4). */
function cookiesNamed(request: CoreRequest, name: string): string[] {
  const pairs = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
