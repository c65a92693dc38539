// What answers a claim: a page, a redirect or JSON.
import type { LinkWithClient } from '../../core/storage.js';
import type { Awaitable, Session, Submission } from '../../core/types.js';
import type { PageView, SentClaim, StandaloneWidget, WidgetPage } from '../../core/widget.js';
import {
  type CoreRequest,
  type CoreResponse,
  headerOf,
  jsonResponse,
  redirectResponse,
} from '../messages.js';
import { createPage, prefersJson, renderPage } from '../page.js';
import { toMinute } from '../session-json.js';
import type { Pages } from './page-action.js';

/** Answers a form that was submitted: by a page, a redirect or JSON. The script of the form gets the page in the JSON. */
export async function submissionResponse(
  { widget, receipts }: Pages,
  request: CoreRequest,
  verified: LinkWithClient,
  submission: Submission,
  fields: URLSearchParams | undefined,
): Promise<CoreResponse> {
  const { client } = verified;
  const target = leavesTo(submission);
  const isSender = receipts.isPresent(request, verified.link);
  const render = renderSubmission(widget, verified, submission, { fields, isSender });
  if (prefersJson(request)) {
    const isShown = target === undefined && headerOf(request, 'prefer') === 'return=representation';
    return submissionJson(submission, isShown ? await createPage(widget, request, { client }, render) : {});
  }
  return target === undefined
    ? renderPage(widget, 200, request, { client }, render)
    : redirectResponse(target);
}

/** Describes a submission as JSON. */
export function submissionJson(
  { reference, session, redirectUrl, unchanged }: Submission,
  { main, style, script }: Pick<WidgetPage, 'main' | 'style' | 'script'> = {},
): CoreResponse {
  const data = {
    reference,
    date: toMinute(session.date),
    ...(redirectUrl !== undefined && { redirectUrl }),
    ...(unchanged !== undefined && { repeated: true, unchanged }),
    ...(main !== undefined && {
      page: main,
      ...(style !== undefined && { style }),
      ...(script !== undefined && { script }),
    }),
  };
  return jsonResponse(200, JSON.stringify({ data }));
}

/** Returns the answers of a session, as its receipt shows them. */
export function toSentClaim({ selectedPolicy, incident }: Session): SentClaim {
  return { policy: selectedPolicy, ...(incident && { incident }) };
}

/** Returns the callback URL if the browser leaves at once, without a page. */
function leavesTo({ redirectUrl, callbackOnSubmit, unchanged }: Submission): string | undefined {
  return unchanged !== false && callbackOnSubmit ? redirectUrl : undefined;
}

/** Renders the page after a submission: of the receipt, or of a claim that differs from the stored one. */
function renderSubmission(
  widget: StandaloneWidget,
  { link, client }: LinkWithClient,
  { reference, session, redirectUrl, unchanged }: Submission,
  { fields, isSender }: { fields: URLSearchParams | undefined; isSender: boolean },
): (view: PageView) => Awaitable<WidgetPage> {
  return (view) => {
    const submitted = {
      ...view,
      submittedAt: session.date,
      contact: link.config.contact,
      ...(client.name !== undefined && { clientName: client.name }),
      ...(redirectUrl !== undefined && { redirectUrl }),
    };
    if (unchanged !== false) {
      const { redirectAfterSeconds } = client.settings ?? {};
      return widget.renderSuccess({
        ...submitted,
        reference,
        claim: toSentClaim(session),
        ...(redirectAfterSeconds !== undefined && { redirectAfterSeconds }),
      });
    }
    // A form of another site gets neither its text nor the difference.
    if (widget.renderChanged && fields)
      return widget.renderChanged({
        ...submitted,
        reference,
        fields,
        linkId: link.accessCodeHash,
        ...(isSender && { claim: toSentClaim(session) }),
      });
    const { redirectUrl: _, ...unavailable } = submitted;
    return widget.renderUnavailable({
      ...unavailable,
      code: 'link_submitted',
      status: 200,
      ...(fields && { fields }),
    });
  };
}
