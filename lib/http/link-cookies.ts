// The cookies of a link: the receipt of the browser that sent a claim, and the answer of the recipient.
//
// For the security review. A cookie has no personal data: its value is a code of the link (link-codes.ts). It is bound to the
// path of its link, and no script can read it.
// - The receipt: with it, a browser sees the answers of its claim again. Only a submission that stored the claim, or that
//   repeated it unchanged, sets it: its sender knows the answers already. It lasts `receiptSeconds`.
// - The answer: with it, a browser sees the prefill of a link whose client has `recipientCheck`, also if the link is locked.
//   Only a right answer sets it, and only for the question that was asked. It lasts until the browser is closed, at most
//   ANSWER_SECONDS. It is SameSite=Strict: opening the link from another site, such as a web mailbox, asks again.
// - The probe: it shows that the browser keeps the cookies of the question's page. It proves nothing else.
import type { ResolvedOptions } from '../core/options.js';
import type { Client, Link } from '../core/types.js';
import { type CodeOptions, createLinkCodes, type LinkCodes } from './link-codes.js';
import { type CoreRequest, headerOf } from './messages.js';

/** Time in seconds for which the browser of a right answer is not asked again. */
export const ANSWER_SECONDS = 4 * 3600;

/** The attributes of the cookies of one purpose. */
interface CookieAttributes {
  name: string;
  /** SameSite of a page that no other site may frame. */
  sameSite: 'Lax' | 'Strict';
  /** Seconds for which the browser keeps it. Absent: until the browser is closed. */
  maxAge?: number;
}

/** Writes and checks the cookies of one purpose. `question` is what the code covers beside the link. */
export interface LinkCookies {
  /** Returns the value of Set-Cookie for a link, or undefined if the signer derives no keys. */
  create(link: Link, accessCode: string, client: Client, question?: string): string | undefined;
  /** Returns whether a request has a valid cookie of this link. */
  isPresent(request: CoreRequest, link: Link, question?: string): boolean;
}

type CookieOptions = CodeOptions & Pick<ResolvedOptions, 'publicUrl'>;

/** Creates the cookies of receipts. */
export function createReceiptCookies(
  options: CookieOptions & Pick<ResolvedOptions, 'receiptSeconds'>,
): LinkCookies {
  const maxAge = options.receiptSeconds;
  const codes = createLinkCodes(options, 'receipt', maxAge);
  return createLinkCookies(options, codes, { name: 'claimlink_receipt', sameSite: 'Lax', maxAge });
}

/** Creates the cookies of right answers. Before 0.3, they had another name and covered no question. */
export function createAnswerCookies(options: CookieOptions): LinkCookies {
  const codes = createLinkCodes(options, 'answer', ANSWER_SECONDS);
  return createLinkCookies(options, codes, { name: 'claimlink_answer', sameSite: 'Strict' });
}

/** Creates the cookies that show whether a browser keeps those of right answers. */
export function createProbeCookies(options: Pick<CookieOptions, 'publicUrl'>): LinkCookies {
  const codes: LinkCodes = { create: () => '1', isValid: (value) => value === '1' };
  return createLinkCookies(options, codes, { name: 'claimlink_probe', sameSite: 'Strict' });
}

function createLinkCookies(
  { publicUrl }: Pick<CookieOptions, 'publicUrl'>,
  codes: LinkCodes,
  { name, sameSite, maxAge }: CookieAttributes,
): LinkCookies {
  const { pathname, protocol } = new URL(publicUrl);
  const isSecure = protocol === 'https:';

  return {
    create({ accessCodeHash }, accessCode, { frameAncestors = [] }, question) {
      const code = codes.create(accessCodeHash, question);
      if (code === undefined) return undefined;
      // A frame of another site sends only such cookies (CHIPS).
      const isFramed = isSecure && frameAncestors.length > 0;
      return [
        `${name}=${code}`,
        `Path=${pathname.replace(/\/$/, '').replaceAll(';', '%3B')}/verify/${accessCode}`,
        ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
        'HttpOnly',
        ...(isSecure ? ['Secure'] : []),
        ...(isFramed ? ['SameSite=None', 'Partitioned'] : [`SameSite=${sameSite}`]),
      ].join('; ');
    },

    isPresent: (request, { accessCodeHash }, question) =>
      cookiesNamed(request, name).some((value) => codes.isValid(value, accessCodeHash, question)),
  };
}

/** Returns the values of the cookies with this name (RFC 6265, 5.4). */
function cookiesNamed(request: CoreRequest, name: string): string[] {
  const pairs = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
