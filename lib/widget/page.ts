// The parts that all pages share: the document, the header and the contact for help.
import type { WidgetContact } from '../core/types.js';
import type { WidgetPage } from '../core/widget.js';
import { STYLE } from '../generated/page-assets.js';
import { type Content, html, type Markup, raw } from './html.js';
import { mailHref, phoneHref } from './links.js';
import { webHref, webLabel } from './urls.js';

const SHIELD = raw(
  '<svg class="shield" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true" focusable="false">' +
    '<path fill="currentColor" d="M12 2 4 5v6c0 5 3.4 9.3 8 11 4.6-1.7 8-6 8-11V5z"/>' +
    '<path class="tick" d="m8.3 12 2.6 2.6 4.9-5.1"/></svg>',
);

// The best place to break a long address.
const BREAK = raw('<wbr>');

/** Follows the text of a link that leaves the form open. */
export const NEW_TAB = raw('<span class="vh"> (opens in a new tab)</span>');

/** Returns the title of a document. */
export function pageTitle(title: string, clientName: string | undefined): string {
  return clientName ? `${title} – ${clientName}` : title;
}

function mailLabel(email: string): Content {
  return email.split('@').map((part, index) => (index === 0 ? part : ['@', BREAK, part]));
}

function helpBlock(contact: WidgetContact): Markup {
  const mail = mailHref(contact.email);
  const phone = phoneHref(contact.phone);
  const link = webHref(contact.link);
  const [host, path] = link === undefined ? [] : webLabel(link);
  return html`<aside class="help" aria-labelledby="help-title"><h2 id="help-title">Need help?</h2>
<p>We are happy to answer your questions.</p>
<dl>
<dt>Phone</dt><dd>${phone ? html`<a href="${phone}">${contact.phone}</a>` : contact.phone}</dd>
<dt>Email</dt><dd>${mail ? html`<a href="${mail}">${mailLabel(contact.email)}</a>` : contact.email}</dd>
${
  link &&
  html`<dt>Web</dt><dd><a href="${link}" target="_blank" rel="noopener noreferrer">${host}${BREAK}${path}${NEW_TAB}</a></dd>
`
}</dl></aside>`;
}

/** Returns a script element. The code is a constant that `npm run generate` has bundled. */
export function inlineScript(nonce: string, code: string): Markup {
  return html`<script nonce="${nonce}">${raw(code)}</script>\n`;
}

/** Returns a whole document. */
export function page(parts: {
  nonce: string;
  title: string;
  clientName?: string | undefined;
  contact?: WidgetContact | undefined;
  head?: Content;
  main: Content;
  /** Comes last, because its script needs the elements before it. */
  end?: Content;
}): WidgetPage {
  const { nonce, title, clientName, contact, head, main, end } = parts;
  return {
    html: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(STYLE)}</style>
${head}</head>
<body>
<header class="top"><div class="wrap">${SHIELD}<span class="brand">${clientName || 'Insurance claims'}</span></div></header>
<div class="wrap layout">
<main id="main">
${main}
</main>
${contact && helpBlock(contact)}
</div>
${end}</body>
</html>
`.toString(),
  };
}
