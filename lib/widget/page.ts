// The parts that all pages share: the document, the header and the contact for help.
import type { Branding, WidgetContact } from '../core/types.js';
import type { PageView, WidgetPage } from '../core/widget.js';
import { COMPACT_STYLE, RESULT_SCRIPT, RESULT_STYLE, STYLE, SWEEP_SCRIPT } from '../generated/page-assets.js';
import { formatTime } from './dates.js';
import type { AskedField } from './fields.js';
import { frameScript } from './frame.js';
import type { LinkMessage } from './frame-message.js';
import {
  attributes,
  type Content,
  html,
  inLanguage,
  jsonForScript,
  type Markup,
  raw,
  UNTRANSLATED,
} from './html.js';
import { mailHref, phoneHref } from './links.js';
import { directionOf, type Language } from './locales/languages.js';
import type { Texts } from './locales/texts.js';
import { brandStyle } from './theme.js';
import { webHref, webLabel } from './urls.js';

const SHIELD = raw(
  '<svg class="shield" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">' +
    '<path fill="currentColor" d="M12 2 4 5v6c0 5 3.4 9.3 8 11 4.6-1.7 8-6 8-11V5z"/>' +
    '<path class="tick" d="m8.3 12 2.6 2.6 4.9-5.1"/></svg>',
);

const GLOBE = raw(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 12a9 9 0 1 0 18 0 9 9 0 1 0-18 0h18M12 3c-5 5-5 13 0 18 5-5 5-13 0-18"/></svg>',
);

/** The input of every page, with the client of its link. */
interface ClientView extends PageView {
  clientName?: string | undefined;
  contact?: WidgetContact | undefined;
}

/** Returns the name that the page shows for the client. */
function brandName({ branding, clientName }: ClientView): string | undefined {
  return branding?.displayName ?? clientName;
}

/** Returns what a title ends with: the name of the client, if it has one. */
export function titleEnd(view: ClientView): string {
  const name = brandName(view);
  return name ? ` – ${name}` : '';
}

/** Returns the title of a document. */
export function pageTitle(title: string, view: ClientView): string {
  return title + titleEnd(view);
}

/** Returns a link that opens a new tab, so that the form stays open. */
export function newTabLink(url: string, label: Content, { page }: Texts): Markup {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${label}<span class="vh"> ${page.newTab}</span></a>`;
}

/** Returns an address or a number as a link. It is written from left to right in every language. */
function address(href: string | undefined, text: string): Markup {
  return href
    ? html`<bdi dir="ltr"${UNTRANSLATED}><a href="${href}">${text}</a></bdi>`
    : html`<bdi${UNTRANSLATED}>${text}</bdi>`;
}

/** Returns the phone number of a contact as a link. */
export function phoneLink({ phone }: WidgetContact): Markup {
  return address(phoneHref(phone), phone);
}

/** Returns the contact. A phone shows one line, without what is of the class `desk`: the number, and the names of the other ways. */
function helpBlock(contact: WidgetContact, texts: Texts): Markup {
  const { title, text, phone, email, web } = texts.help;
  const mail = mailHref(contact.email);
  const link = webHref(contact.link);
  const written = (name: string, value: Markup) => html`<span class="desk">${name} </span>${value}`;
  const named = (name: string, value: string) =>
    html`<span>${name} </span><bdi class="desk" dir="ltr"${UNTRANSLATED}>${value}</bdi>`;
  return html`<aside class="help" aria-labelledby="help-title"><h2 id="help-title">${title}</h2>
<p class="desk">${text}</p>
<p>${written(phone, phoneLink(contact))}</p>
<p>${mail ? html`<a href="${mail}">${named(email, contact.email)}</a>` : written(email, address(mail, contact.email))}</p>
${link && html`<p>${newTabLink(link, named(web, webLabel(link)), texts)}</p>\n`}</aside>`;
}

/** Returns the logo and the name of the client. A logo with the name in it has no text beside it. */
function brand(view: ClientView, { texts }: Language): Content {
  const name = brandName(view);
  const { logoUrl, nameInLogo } = view.branding ?? {};
  const url = webHref(logoUrl);
  const isInLogo = url !== undefined && nameInLogo === true && Boolean(name);
  return [
    url === undefined
      ? SHIELD
      : html`<img${attributes({ class: 'logo', src: url, alt: isInLogo ? name : '', width: 160, height: 40, referrerpolicy: 'no-referrer' })}${isInLogo && UNTRANSLATED}>`,
    !isInLogo && html`<span class="brand"${name && UNTRANSLATED}>${name || texts.page.serviceName}</span>`,
  ];
}

/**
 * Returns a button with the current language, and a form that opens the page in another one. Without JavaScript, what was typed
 * before is lost; the script keeps it in the tab.
 */
function languageSwitch(token: string, { locale, texts, names }: Language, isCompact = false): Markup {
  const others = names.filter(([tag]) => tag !== locale);
  return html`<details class="lang"><summary class="button quiet">${GLOBE}<span class="vh">${texts.page.language} </span><span${UNTRANSLATED}>${new Map(names).get(locale)}</span></summary><form class="buttons"${UNTRANSLATED}><input type="hidden" name="token" value="${token}">${isCompact && html`<input type="hidden" name="view" value="compact">`}${others.map(
    ([tag, name]) => html`<button name="lang" value="${tag}" lang="${tag}">${name}</button>`,
  )}</form></details>\n`;
}

function footer(
  { supportUrl, imprintUrl }: Branding = {},
  texts: Texts,
  isCompact = false,
): Markup | undefined {
  const support = isCompact ? undefined : webHref(supportUrl);
  const imprint = webHref(imprintUrl);
  if (!support && !imprint) return undefined;
  return html`<footer class="wrap foot">${support && newTabLink(support, texts.page.support, texts)}${
    imprint && newTabLink(imprint, texts.page.imprint, texts)
  }</footer>\n`;
}

/** Returns a script element. The code is a constant that `npm run generate` has bundled. */
export function inlineScript(nonce: string, code: string): Markup {
  return html`<script nonce="${nonce}">${raw(code)}</script>\n`;
}

/** Returns the styles that only some pages have. */
export function inlineStyle(nonce: string, css: string): Markup {
  return html`<style nonce="${nonce}">${raw(css)}</style>\n`;
}

/** Returns a time in UTC. The script of the page writes it in the time zone of the user. */
export function localTime(time: Date, locale: string): Markup {
  return html`<time data-time datetime="${time.toISOString()}">${formatTime(time, locale)}</time>`;
}

export const SIGN = raw(
  '<svg class="sign" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true">' +
    '<circle cx="24" cy="24" r="22"/><path d="M24 13v14m0 6.5v.5"/></svg>',
);

/** Returns the texts for the script of a page, as an element that no browser executes. */
export function scriptTexts({ page: { errorPrefix }, script, steps }: Texts, more: object = {}): Markup {
  const titles = Object.entries(steps).map(([key, { title }]) => [key, { title }]);
  // The service writes these into the pages that show them.
  const {
    continueTo: _continue,
    takenTo: _taken,
    copied: _copied,
    deleted: _deleted,
    stayed: _stayed,
    redirecting: _redirecting,
    ...written
  } = script;
  const texts = jsonForScript({ errorPrefix, script: written, steps: Object.fromEntries(titles), ...more });
  return html`<script type="application/json" id="texts">${raw(texts)}</script>\n`;
}

/** Returns a text of the client in its language. Its lines stay apart. */
export function ownText(
  text: string | undefined,
  lang: string | undefined,
  classes = 'own',
): Markup | undefined {
  return text === undefined ? undefined : html`<p class="${classes}"${inLanguage(lang)}>${text}</p>\n`;
}

/** What a page that tells what became of a claim has besides its styles. */
interface ResultPage {
  /** Its text can be copied, or its time is limited. */
  hasScript: boolean;
  /** The fields of the form, if the script writes what was typed in this tab. */
  asked?: readonly AskedField[];
}

/** Returns the script of a page that tells what became of a claim, if it has one. */
function resultScript({ nonce }: PageView, { texts }: Language, { hasScript, asked }: ResultPage): Content {
  return hasScript && [scriptTexts(texts, { asked }), inlineScript(nonce, RESULT_SCRIPT)];
}

/** Returns a whole document. */
export function page(parts: {
  view: ClientView;
  language: Language;
  theme: Markup | undefined;
  title: string;
  head?: Content;
  main: Content;
  /** Comes last, because its script needs the elements before it. */
  end?: Content;
  /** Present for the claim form: `form-parts.ts` says which scripts it has. */
  isForm?: true;
  /** Present if the page tells what became of a claim. */
  result?: ResultPage | false;
  /** What became of the link, for a page around this one. Absent for the form. */
  message?: LinkMessage;
  /** Present if the user may open the page in another language. */
  token?: string | undefined;
  /** The languages come after the content. */
  languagesLast?: boolean;
}): WidgetPage {
  const { view, language, theme, title, head, main, end, isForm, result, message, token, languagesLast } =
    parts;
  const { nonce, branding, contact, compact } = view;
  const languages = token && languageSwitch(token, language, compact);
  const content = html`${main}`;
  return {
    main: content.toString(),
    ...(result && { style: RESULT_STYLE, script: RESULT_SCRIPT }),
    html: html`<!doctype html>
<html${attributes({ lang: language.locale, dir: directionOf(language.locale) })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${raw(STYLE)}${result && raw(RESULT_STYLE)}${compact && raw(COMPACT_STYLE)}${theme}${brandStyle(branding)}</style>
${!isForm && inlineScript(nonce, SWEEP_SCRIPT)}${head}</head>
<body>
${!compact && html`<header class="top"><div class="wrap">${brand(view, language)}</div></header>\n`}<div class="wrap layout">
<main id="main">
${!languagesLast && languages}${content}
${languagesLast && languages}</main>
${contact && !compact && helpBlock(contact, language.texts)}
</div>
${footer(branding, language.texts, compact)}${end}${result && resultScript(view, language, result)}${frameScript(view, message)}</body>
</html>
`.toString(),
  };
}
