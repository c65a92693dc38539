// Links that start an e-mail or a call.
import { EMAIL } from './fields.js';

/** Length of an encoded body from which on programs do not open a `mailto:` URL: Windows passes on about 2,000 characters. */
const MAX_BODY_LENGTH = 1500;

/** What a mail begins with. */
export interface MailParts {
  subject?: string;
  body?: string | undefined;
}

/** Returns a text as a part of a `mailto:` URL. Its line ends are CRLF (RFC 6068, 5). */
function encodeMailText(text: string): string {
  return encodeURIComponent(text.toWellFormed().replaceAll(/\r?\n/g, '\r\n'));
}

/** Returns whether a text is short enough for the body of a `mailto:` URL. */
export function fitsMail(body: string): boolean {
  return encodeMailText(body).length <= MAX_BODY_LENGTH;
}

/** Returns a `mailto:` URL. It encodes every character that could add a header or a second recipient. */
export function mailHref(email: string, parts: MailParts = {}): string | undefined {
  if (!EMAIL.test(email) || !email.isWellFormed()) return undefined;
  const headers = Object.entries(parts)
    .filter((part): part is [string, string] => part[1] !== undefined)
    .map(([name, text]) => `${name}=${encodeMailText(text)}`);
  const query = headers.length > 0 ? `?${headers.join('&')}` : '';
  return `mailto:${encodeURIComponent(email).replace('%40', '@')}${query}`;
}

/** Returns a `tel:` URL: `+44 (0)20 7946 0000 ext. 3` becomes `tel:+442079460000`. */
export function phoneHref(phone: string): string | undefined {
  const number = /^[^a-z]*/i.exec(phone)?.[0] ?? '';
  const international = number.trim().startsWith('+');
  const digits = (international ? number.replace('(0)', '') : number).replace(/\D/g, '');
  return digits === '' ? undefined : `tel:${international ? '+' : ''}${digits}`;
}
