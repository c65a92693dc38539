// The pages that replace the form: what happened, and what the user can do.
import type { ErrorCode } from '../core/errors.js';
import type { UnavailableView, WidgetPage } from '../core/widget.js';
import { html, raw } from './html.js';
import { page, pageTitle } from './page.js';

interface Explanation {
  title: string;
  happened: string;
  advice: string;
  retry?: boolean;
}

const ASK_FOR_NEW = 'Ask for a new link in the place where you got this one.';

const INTERNAL: Explanation = {
  title: 'Something went wrong on our side',
  happened: 'We could not do that just now. It is not your fault.',
  advice:
    'Try again in a moment. If you had filled in the form, go back in your browser first: what you typed should still be there.',
  retry: true,
};

const OTHER: Explanation = {
  title: 'This page cannot be shown',
  happened: 'We could not handle the request as it was sent.',
  advice: 'Open the link once more from the message or app that you got it from.',
};

const EXPLANATIONS: Partial<Record<ErrorCode, Explanation>> = {
  link_not_found: {
    title: 'This link does not work',
    happened:
      'There is no claim form at this address. Perhaps a part of the link got lost when it was copied.',
    advice:
      'Open the whole link once more from the message or app that you got it from. If that does not help, ask for a new one.',
  },
  link_expired: {
    title: 'This link has expired',
    happened: 'To keep your data safe, a link works for a limited time only. This one is no longer valid.',
    advice: ASK_FOR_NEW,
  },
  link_revoked: {
    title: 'This link has been withdrawn',
    happened: 'The link was cancelled and no longer opens a claim form.',
    advice: ASK_FOR_NEW,
  },
  link_submitted: {
    title: 'This claim has been sent already',
    happened: 'We have got the claim that was made with this link.',
    advice: 'There is nothing more to do. To report another claim, ask for a new link.',
  },
  internal: INTERNAL,
  storage_unavailable: INTERNAL,
  body_consumed: INTERNAL,
  body_too_large: {
    title: 'That was too much text',
    happened: 'Your claim was not sent, because the form is longer than we can take.',
    advice: 'Go back in your browser, shorten the description and send the claim again.',
  },
};

const SIGN = raw(
  '<svg class="sign" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" focusable="false">' +
    '<circle cx="24" cy="24" r="22"/><path d="M24 13v14m0 6.5v.5"/></svg>',
);

export function renderUnavailable(view: UnavailableView): WidgetPage {
  const { title, happened, advice, retry } = EXPLANATIONS[view.code] ?? OTHER;
  return page({
    nonce: view.nonce,
    title: pageTitle(title, view.clientName),
    clientName: view.clientName,
    contact: view.contact,
    main: html`<div class="card unavailable">
${SIGN}
<h1>${title}</h1>
<p>${happened}</p>
<p>${advice}</p>
${retry && html`<p><a class="button primary" href="">Try again</a></p>\n`}<p class="muted code">Error ${view.status}</p>
</div>`,
  });
}
