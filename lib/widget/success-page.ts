// The success page: the reference of the claim, and the link back to the caller.
import type { SuccessView, WidgetPage } from '../core/widget.js';
import { SUCCESS_SCRIPT } from '../generated/page-assets.js';
import { formatTime } from './dates.js';
import { attributes, html, type Markup, raw } from './html.js';
import type { Language } from './locales/languages.js';
import { fillIn, type Texts } from './locales/texts.js';
import { inlineScript, page, pageTitle, scriptTexts } from './page.js';
import { redirectHref, webHost } from './urls.js';

// The user must have at least this time to stop a time limit (WCAG 2.2, 2.2.1). Without a script, the user could not
// stop the redirect, so there is only the link.
const COUNTDOWN_SECONDS = 20;

const TICK = raw(
  '<svg class="sent" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" focusable="false">' +
    '<circle cx="24" cy="24" r="22"/><path d="m14.5 24.5 6.5 6.5 12.5-13"/></svg>',
);

/** Returns the link back, with its countdown. The form's script fills in an empty `href`. */
function onward({ success, script }: Texts, href: string): Markup {
  const host = webHost(href);
  const label = host === undefined ? success.continue : fillIn(script.continueTo, { host });
  const target = host === undefined ? success.takenBack : fillIn(script.takenTo, { host });
  return html`<div class="onward" data-onward>
<a class="button primary" data-continue href="${href}" rel="noreferrer">${label}</a>
<div class="countdown" data-countdown hidden>
<p><span data-target>${target}</span> ${success.secondsLeft} <span class="seconds" data-seconds>${COUNTDOWN_SECONDS}</span></p>
<button type="button" class="button quiet" data-stay>${success.stay}</button>
</div>
<p class="muted" role="status" data-onward-status></p>
</div>
`;
}

/** Returns the content of the page. The form page has a copy with empty values, for its script to fill in. */
export function successContent(
  { locale, texts }: Language,
  { reference, submittedAt, href }: { reference: string; submittedAt?: Date; href: string | undefined },
): Markup {
  const { success } = texts;
  // Without a script, the time zone of the user is not known.
  const sentOn = submittedAt && formatTime(submittedAt, locale, 'UTC');
  return html`<div class="card success">
${TICK}
<h1 id="success-title" tabindex="-1">${success.title}</h1>
<p>${success.thanks}</p>
<p class="reference"><span class="reference-label">${success.reference}</span> <strong data-reference>${reference}</strong></p>
<p><span class="muted">${success.sentOn}</span> <time data-sent${attributes({ datetime: submittedAt?.toISOString() })}>${sentOn}</time></p>
<p class="muted">${success.note}</p>
${href !== undefined && onward(texts, href)}</div>`;
}

export function renderSuccess(view: SuccessView, language: Language, theme?: Markup): WidgetPage {
  const { texts } = language;
  const href = redirectHref(view.redirectUrl);
  return page({
    view,
    language,
    theme,
    title: pageTitle(texts.success.title, view),
    main: successContent(language, { ...view, href }),
    end: href && [scriptTexts(texts), inlineScript(view.nonce, SUCCESS_SCRIPT)],
  });
}
