// Revokes the link of a recipient who does not report the claim.
import { invalidBody } from '../../core/errors.js';
import { DECLINE_REASONS, type DeclineReason } from '../../core/types.js';
import { UnusableLinkError } from '../../core/unusable-link.js';
import { confirm } from './confirmation.js';
import type { FormAction } from './page-action.js';

/** Reads a form that declines a link. */
export const declineLink: FormAction = (pages, { request }, verified, form) => ({
  async run() {
    if (verified.session !== undefined) throw new UnusableLinkError('link_submitted', verified);
    const declined = whyOf(form);
    await pages.service.declineLink(verified, declined);
    return confirm(pages, request, verified, { code: 'link_revoked', declined });
  },
});

/** Returns why a recipient declines. @throws `request_invalid` */
function whyOf(form: URLSearchParams): DeclineReason {
  const why = DECLINE_REASONS.find((reason) => reason === form.get('why'));
  if (why !== undefined) return why;
  const detail = `must be one of: ${DECLINE_REASONS.join(', ')}`;
  throw invalidBody([{ pointer: '/why', rule: 'choice', detail }]);
}
