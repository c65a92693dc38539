// The buttons that reach the contact of a link about a claim: a call, and a mail with the reference in its subject.
import type { WidgetContact } from '../core/types.js';
import { type Content, html, type Markup, UNTRANSLATED } from './html.js';
import { mailHref, phoneHref } from './links.js';
import type { Texts } from './locales/texts.js';

/** What the buttons need. */
export interface ContactButtons {
  contact: WidgetContact;
  reference: string;
  /** Text that the mail begins with. */
  body?: string | undefined;
  /** Further buttons. */
  more?: Content;
}

/** Returns the buttons of the contact, if it has a number or an address that a browser can use. */
export function contactButtons(
  { help, page }: Texts,
  { contact, reference, body, more }: ContactButtons,
): Markup | undefined {
  const phone = phoneHref(contact.phone);
  const mail = mailHref(contact.email, { subject: `${page.serviceName}: ${reference}`, body });
  if (phone === undefined && mail === undefined && !more) return undefined;
  return html`<div class="actions">
${
  phone !== undefined &&
  html`<a class="button" href="${phone}"><span>${help.phone} <bdi dir="ltr"${UNTRANSLATED}>${contact.phone}</bdi></span></a>\n`
}${mail !== undefined && html`<a class="button" href="${mail}">${help.email}</a>\n`}${more}</div>
`;
}
