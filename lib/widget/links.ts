// Links that start an e-mail or a call.
import { EMAIL } from './fields.js';

/** Returns a `mailto:` URL. It encodes every character that could add a header or a second recipient. */
export function mailHref(email: string): string | undefined {
  if (!EMAIL.test(email) || !email.isWellFormed()) return undefined;
  return `mailto:${encodeURIComponent(email).replace('%40', '@')}`;
}

/** Returns a `tel:` URL: `+44 (0)20 7946 0000 ext. 3` becomes `tel:+442079460000`. */
export function phoneHref(phone: string): string | undefined {
  const number = /^[^a-z]*/i.exec(phone)?.[0] ?? '';
  const international = number.trim().startsWith('+');
  const digits = (international ? number.replace('(0)', '') : number).replace(/\D/g, '');
  return digits === '' ? undefined : `tel:${international ? '+' : ''}${digits}`;
}
