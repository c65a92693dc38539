// The parts that all pages share: the document, the header and the contact for help.
import type { Branding, WidgetContact } from '../core/types.js';
import type { PageView, WidgetPage } from '../core/widget.js';
import { STYLE } from '../generated/page-assets.js';
import { brandStyle } from './brand-style.js';
import { attributes, type Content, html, jsonForScript, type Markup, raw } from './html.js';
import { mailHref, phoneHref } from './links.js';
import { directionOf, type Language } from './locales/languages.js';
import type { Texts } from './locales/texts.js';
import { webHref, webLabel } from './urls.js';

const SHIELD = raw(
  '<svg class="shield" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true" focusable="false">' +
    '<path fill="currentColor" d="M12 2 4 5v6c0 5 3.4 9.3 8 11 4.6-1.7 8-6 8-11V5z"/>' +
    '<path class="tick" d="m8.3 12 2.6 2.6 4.9-5.1"/></svg>',
);

// The best place to break a long address.
const BREAK = raw('<wbr>');

/** Returns what follows the text of a link that leaves the form open. */
export function newTab({ page }: Texts): Markup {
  return html`<span class="vh"> ${page.newTab}</span>`;
}

/** Returns the name that the page shows for the client. */
function brandName({ branding }: PageView, clientName: string | undefined): string | undefined {
  return branding?.displayName ?? clientName;
}

/** Returns the title of a document. */
export function pageTitle(title: string, view: PageView, clientName: string | undefined): string {
  const name = brandName(view, clientName);
  return name ? `${title} – ${name}` : title;
}

function mailLabel(email: string): Content {
  return email.split('@').map((part, index) => (index === 0 ? part : ['@', BREAK, part]));
}

function helpBlock(contact: WidgetContact, texts: Texts): Markup {
  const { help } = texts;
  const mail = mailHref(contact.email);
  const phone = phoneHref(contact.phone);
  const link = webHref(contact.link);
  const [host, path] = link === undefined ? [] : webLabel(link);
  return html`<aside class="help" aria-labelledby="help-title"><h2 id="help-title">${help.title}</h2>
<p>${help.text}</p>
<dl>
<dt>${help.phone}</dt><dd>${phone ? html`<a href="${phone}">${contact.phone}</a>` : contact.phone}</dd>
<dt>${help.email}</dt><dd>${mail ? html`<a href="${mail}">${mailLabel(contact.email)}</a>` : contact.email}</dd>
${
  link &&
  html`<dt>${help.web}</dt><dd><a href="${link}" target="_blank" rel="noopener noreferrer">${host}${BREAK}${path}${newTab(texts)}</a></dd>
`
}</dl></aside>`;
}

function logo(branding: Branding | undefined): Markup {
  const url = webHref(branding?.logoUrl);
  // The name beside the image says what it shows.
  return url === undefined ? SHIELD : html`<img class="logo" src="${url}" alt="" height="40">`;
}

function footer({ supportUrl, imprintUrl }: Branding = {}, texts: Texts): Markup | undefined {
  const { support, imprint } = texts.page;
  const links = [
    [webHref(supportUrl), support],
    [webHref(imprintUrl), imprint],
  ].filter(([url]) => url !== undefined);
  if (links.length === 0) return undefined;
  return html`<footer class="wrap foot">${links.map(
    ([url, text]) =>
      html`<a href="${url}" target="_blank" rel="noopener noreferrer">${text}${newTab(texts)}</a>`,
  )}</footer>\n`;
}

/** Returns a script element. The code is a constant that `npm run generate` has bundled. */
export function inlineScript(nonce: string, code: string): Markup {
  return html`<script nonce="${nonce}">${raw(code)}</script>\n`;
}

/** Returns data for the scripts of a page, as an element that no browser executes. */
export function inlineData(id: string, data: object): Markup {
  return html`<script type="application/json" id="${id}">${raw(jsonForScript(data))}</script>\n`;
}

/** Returns a whole document. */
export function page(parts: {
  view: PageView;
  language: Language;
  theme: Markup | undefined;
  title: string;
  clientName: string | undefined;
  contact?: WidgetContact | undefined;
  head?: Content;
  main: Content;
  /** Comes last, because its script needs the elements before it. */
  end?: Content;
}): WidgetPage {
  const { view, language, theme, title, clientName, contact, head, main, end } = parts;
  const { nonce, branding } = view;
  const name = brandName(view, clientName);
  return {
    html: html`<!doctype html>
<html${attributes({ lang: language.locale, dir: directionOf(language.locale) })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(STYLE)}${theme}${brandStyle(branding)}</style>
${head}</head>
<body>
<header class="top"><div class="wrap">${logo(branding)}<span class="brand">${name || language.texts.page.serviceName}</span></div></header>
<div class="wrap layout">
<main id="main">
${main}
</main>
${contact && helpBlock(contact, language.texts)}
</div>
${footer(branding, language.texts)}${end}</body>
</html>
`.toString(),
  };
}
