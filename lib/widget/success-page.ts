// The success page: that the claim is in, its reference, and the way back to the caller.
import type { SuccessView, WidgetPage } from '../core/widget.js';
import { html, type Markup, raw } from './html.js';
import { redirectHref, webHost } from './links.js';
import { page, pageTitle } from './page.js';
import { SUCCESS_SCRIPT } from './script-success.js';

export const SUCCESS_TITLE = 'Your claim has been sent';

const SCRIPT_MARKUP = raw(SUCCESS_SCRIPT);

// Longer than with the script's countdown, as it can't be stopped.
const REFRESH_SECONDS = 20;

const TICK = raw(
  '<svg class="sent" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" focusable="false">' +
    '<circle cx="24" cy="24" r="22"/><path d="m14.5 24.5 6.5 6.5 12.5-13"/></svg>',
);

/** Blank `href`: markup for a script to fill. */
function onward(href: string): Markup {
  const host = webHost(href);
  return html`<div class="onward" data-onward>
<a class="button primary" data-continue href="${href}" rel="noreferrer">Continue</a>
<div class="countdown" data-countdown hidden>
<p>You will be taken back to <span data-host>${host ?? 'the app that you came from'}</span> in <span class="seconds" data-seconds>8</span> seconds.</p>
<button type="button" class="button quiet" data-stay>Stay on this page</button>
</div>
<p class="muted" role="status" data-onward-status></p>
</div>
`;
}

/** The content of the page. The form page carries it too, blank, for its script to fill. */
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
    end: href && html`<script nonce="${view.nonce}">${SCRIPT_MARKUP}</script>\n`,
  });
}
