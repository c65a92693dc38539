// The pages that replace the form: what happened, and what the user can do.
import type { ErrorCode } from '../core/errors.js';
import type { UnavailableView, WidgetPage } from '../core/widget.js';
import { html, type Markup, raw } from './html.js';
import type { Language } from './locales/languages.js';
import type { Texts } from './locales/texts.js';
import { page, pageTitle } from './page.js';

function explanation({ unavailable }: Texts, code: ErrorCode) {
  switch (code) {
    case 'internal':
    case 'storage_unavailable':
    case 'body_consumed':
      return unavailable.internal;
    case 'link_not_found':
    case 'link_expired':
    case 'link_revoked':
    case 'link_submitted':
    case 'body_too_large':
      return unavailable[code];
    default:
      return unavailable.other;
  }
}

const SIGN = raw(
  '<svg class="sign" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" focusable="false">' +
    '<circle cx="24" cy="24" r="22"/><path d="M24 13v14m0 6.5v.5"/></svg>',
);

export function renderUnavailable(view: UnavailableView, language: Language, theme?: Markup): WidgetPage {
  const { texts } = language;
  const explained = explanation(texts, view.code);
  const { title, happened, advice } = explained;
  // Without the prefix, which a user would have to read out.
  const instance = view.instance?.replace(/^urn:uuid:/, '');
  // A failure of the service may be over at the next try.
  const retry = explained === texts.unavailable.internal && texts.unavailable.retry;
  return page({
    view,
    language,
    theme,
    title: pageTitle(title, view),
    main: html`<div class="card unavailable">
${SIGN}
<h1>${title}</h1>
<p>${happened}</p>
<p>${advice}</p>
${retry && html`<p><a class="button primary" href="">${retry}</a></p>\n`}${
  instance && html`<p class="muted">${texts.unavailable.reference} <code>${instance}</code></p>\n`
}</div>`,
  });
}
