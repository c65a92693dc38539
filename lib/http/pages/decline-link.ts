// Revokes the link of a recipient who does not report the claim.
import { type ClaimlinkError, invalidBody } from '../../core/errors.js';
import { RecipientCheckError } from '../../core/recipient-check.js';
import type { LinkWithClient } from '../../core/storage.js';
import { DECLINE_REASONS } from '../../core/types.js';
import { UnusableLinkError } from '../../core/unusable-link.js';
import { prefersJson } from '../page.js';
import type { Outcome, RouteContext } from '../routes.js';
import { confirm } from './confirmation.js';
import { renderForm } from './open-link.js';
import type { FormAction, Pages } from './page-action.js';
import { declineOf } from './recipient-check.js';

/** Reads a form that declines a link. */
export const declineLink: FormAction = (pages, context, verified, form) => ({
  async run() {
    if (verified.session !== undefined) throw new UnusableLinkError('link_submitted', verified);
    const declined = DECLINE_REASONS.find((reason) => reason === form.get('why'));
    if (declined === undefined) return askReason(pages, context, verified);
    await pages.service.declineLink(verified, declined);
    return confirm(pages, context.request, verified, { code: 'link_revoked', declined });
  },
});

/** Returns the page of the link again, with a message at the reasons. @throws `request_invalid` for a caller without such a page. */
async function askReason(pages: Pages, context: RouteContext, verified: LinkWithClient): Promise<Outcome> {
  const { service, recipients } = pages;
  const problem = noReason();
  const { code, problems } = problem;
  if (prefersJson(context.request) || declineOf(verified.client).declineReasons === undefined) throw problem;
  const declineProblem = 'missing';
  try {
    const recipient = recipients.prove(context.request, verified);
    const link = await service.openLink(verified, false, recipient);
    const response = await renderForm(pages, 400, context, verified, link, { declineProblem });
    return { response, code, problems };
  } catch (error) {
    if (!(error instanceof RecipientCheckError)) throw error;
    return recipients.ask(context, verified, error, { declineProblem });
  }
}

function noReason(): ClaimlinkError {
  const detail = `must be one of: ${DECLINE_REASONS.join(', ')}`;
  return invalidBody([{ pointer: '/why', rule: 'choice', detail }]);
}
