// The receipt cookie: the browser that sent a claim sees its answers again, the others who have the link do not.
//
// For the security review. The cookie has no personal data: its end, and a MAC over purpose, link and end. It is bound to
// the path of its link, no script can read it, and the service forgets it after `receiptSeconds`. Only a submission that
// stored the claim, or that repeated it unchanged, sets it: its sender knows the answers already.
import type { LinkSigner } from '../core/link-signer.js';
import { createMac, isMac } from '../core/mac.js';
import type { ResolvedOptions } from '../core/options.js';
import type { Client, Link } from '../core/types.js';
import { type CoreRequest, headerOf } from './messages.js';

const NAME = 'claimlink_receipt';
const PURPOSE = 'receipt';

/** Writes and checks receipt cookies. */
export interface ReceiptCookies {
  /** Returns the value of Set-Cookie for a link, or undefined if the signer derives no keys. */
  create(link: Link, accessCode: string, client: Client): string | undefined;
  /** Returns whether a request has a valid cookie of this link. */
  isPresent(request: CoreRequest, link: Link): boolean;
}

/** Creates the cookies of a service. The keys are derived when they are first used. */
export function createReceiptCookies({
  signer,
  publicUrl,
  receiptSeconds,
  now,
}: Pick<ResolvedOptions, 'signer' | 'publicUrl' | 'receiptSeconds' | 'now'>): ReceiptCookies {
  const { pathname, protocol } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  const secondsNow = () => Math.floor(now().getTime() / 1000);
  const keys = lazyKeys(signer);

  return {
    create({ accessCodeHash }, accessCode, { frameAncestors = [] }) {
      const [key] = keys();
      if (key === undefined || receiptSeconds === 0) return undefined;
      const end = String(secondsNow() + receiptSeconds);
      const mac = createMac(key, [PURPOSE, accessCodeHash, end]).toString('base64url');
      // A frame of another site sends only such cookies (CHIPS).
      const isFramed = isSecure && frameAncestors.length > 0;
      return [
        `${NAME}=${end}.${mac}`,
        `Path=${pathname.replace(/\/$/, '').replaceAll(';', '%3B')}/verify/${accessCode}`,
        `Max-Age=${receiptSeconds}`,
        'HttpOnly',
        ...(isSecure ? ['Secure'] : []),
        ...(isFramed ? ['SameSite=None', 'Partitioned'] : ['SameSite=Lax']),
      ].join('; ');
    },

    isPresent: (request, { accessCodeHash }) =>
      cookiesNamed(request, NAME).some((value) => {
        const [end = '', mac = '', ...others] = value.split('.');
        if (!/^\d{1,12}$/.test(end) || others.length > 0 || !(Number(end) > secondsNow())) return false;
        return isMac(mac, keys(), [PURPOSE, accessCodeHash, end]);
      }),
  };
}

function lazyKeys(signer: LinkSigner): () => readonly Uint8Array[] {
  let keys: readonly Uint8Array[] | undefined;
  return () => {
    keys ??= signer.derive?.(PURPOSE) ?? [];
    return keys;
  };
}

/** Returns the values of the cookies with this name (RFC 6265, 5.4). */
function cookiesNamed(request: CoreRequest, name: string): string[] {
  const pairs = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
