// The success page: the reference of the claim, and the link back to the caller.
import type { SuccessView, WidgetPage } from '../core/widget.js';
import { SUCCESS_SCRIPT } from '../generated/page-assets.js';
import { html, type Markup, raw } from './html.js';
import { inlineScript, page, pageTitle } from './page.js';
import { redirectHref, webHost } from './urls.js';

export const SUCCESS_TITLE = 'Your claim has been sent';

const COUNTDOWN_SECONDS = 8;

// Without a script the user cannot stop the redirect, so it leaves more time to read.
const REFRESH_SECONDS = 20;

const TICK = raw(
  '<svg class="sent" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" focusable="false">' +
    '<circle cx="24" cy="24" r="22"/><path d="m14.5 24.5 6.5 6.5 12.5-13"/></svg>',
);

/** Returns the link back, with its countdown. The form's script fills in an empty `href`. */
function onward(href: string): Markup {
  const host = webHost(href);
  return html`<div class="onward" data-onward>
<a class="button primary" data-continue href="${href}" rel="noreferrer">Continue</a>
<div class="countdown" data-countdown hidden>
<p>You will be taken back to <span data-host>${host ?? 'the app that you came from'}</span> in <span class="seconds" data-seconds>${COUNTDOWN_SECONDS}</span> seconds.</p>
<button type="button" class="button quiet" data-stay>Stay on this page</button>
</div>
<p class="muted" role="status" data-onward-status></p>
</div>
`;
}

/** Returns the content of the page. The form page has a copy with empty values, for its script to fill in. */
export function successContent(reference: string, href: string | undefined): Markup {
  return html`<div class="card success">
${TICK}
<h1 id="success-title" tabindex="-1">${SUCCESS_TITLE}</h1>
<p>Thank you. We have what we need for now and will be in touch.</p>
<p class="reference"><span class="reference-label">Your reference</span> <strong data-reference>${reference}</strong></p>
<p class="muted">Please note it down: you need it when you ask us about this claim.</p>
${href !== undefined && onward(href)}</div>`;
}

export function renderSuccess(view: SuccessView): WidgetPage {
  const href = redirectHref(view.redirectUrl);
  const content = successContent(view.reference, href);
  return page({
    nonce: view.nonce,
    title: pageTitle(SUCCESS_TITLE, view.clientName),
    clientName: view.clientName,
    contact: view.contact,
    head:
      href &&
      html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS};url=${href}"></noscript>\n`,
    main: content,
    end: href && inlineScript(view.nonce, SUCCESS_SCRIPT),
  });
}
