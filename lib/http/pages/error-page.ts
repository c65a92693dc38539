// The page of an error: what became of the link, and what its user has entered.
import type { LinkWithClient } from '../../core/storage.js';
import type { Session } from '../../core/types.js';
import type { Receipt } from '../../core/widget.js';
import { isOwnForm, JSON_TYPE, mediaTypeOf, readForm } from '../body.js';
import {
  type CoreRequest,
  type CoreResponse,
  errorHeaders,
  type ProblemResponse,
  problemResponse,
} from '../messages.js';
import { prefersJson, renderPage } from '../page.js';
import { claimFieldsOf } from './claim-fields.js';
import { linkViewOf } from './confirmation.js';
import { type Pages, photosInForm } from './page-action.js';
import { toSentClaim } from './submission-response.js';

/** Statuses that mean that the link takes no claim. Their page shows what was sent, so that it is not lost. */
const NO_FORM = [404, 410];

/**
 * Renders an error as a page or a problem.
 * @param stored the link, if its token was verified
 * @param read what was read from the request before the error. A body can be read once.
 */
export async function renderError(
  { service, widget, receipts, options }: Pages,
  problem: ProblemResponse,
  request: CoreRequest,
  stored: LinkWithClient | undefined,
  read: { fields?: URLSearchParams | undefined } = {},
): Promise<CoreResponse> {
  if (prefersJson(request) || mediaTypeOf(request) === JSON_TYPE) {
    return problemResponse(problem, { 'referrer-policy': 'no-referrer' });
  }
  const { code, status, instance, retryAfterSeconds } = problem;
  const context = stored ? { client: stored.client } : {};
  // After a failure of the service, the fields have been read, and the claim may be stored.
  const fields =
    read.fields ?? (NO_FORM.includes(status) ? await enteredFields(options, request, stored) : undefined);
  const session = code === 'link_submitted' ? stored?.session : undefined;
  const response = await renderPage(widget, status, request, context, (view) =>
    widget.renderUnavailable({
      ...view,
      code,
      status,
      ...(instance !== undefined && { instance }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(fields && { fields }),
      ...(stored && linkViewOf(stored)),
      ...(stored && session && { receipt: receiptOf({ service, receipts }, request, stored, session) }),
      ...(stored && code === 'link_expired' && service.offersRenewal && { renewal: 'offered' as const }),
    }),
  );
  return { ...response, headers: { ...response.headers, ...errorHeaders(problem) } };
}

/** Returns what the page of a submitted link tells. Only the browser that sent the claim sees its answers. */
function receiptOf(
  { service, receipts }: Pick<Pages, 'service' | 'receipts'>,
  request: CoreRequest,
  verified: LinkWithClient,
  session: Session,
): Receipt {
  const { reference, redirectUrl } = service.describeSubmission(verified, session);
  return {
    reference,
    submittedAt: session.date,
    ...(receipts.isPresent(request, verified.link) && {
      claim: toSentClaim(session),
      ...(redirectUrl !== undefined && { redirectUrl }),
    }),
  };
}

/**
 * Returns the fields of a form that was sent to a link without a form, if they can be read. A form of another site gets
 * none back: its author could write a text into a page of this service.
 */
async function enteredFields(
  options: Pages['options'],
  request: CoreRequest,
  stored: LinkWithClient | undefined,
): Promise<URLSearchParams | undefined> {
  if (!isOwnForm(request)) return undefined;
  const photos = stored && photosInForm(options, request, stored);
  const read = photos
    ? async () => (await import('./photo-form.js')).readPhotoFormTexts(request, photos)
    : () => readForm(request);
  const fields = await read().catch(() => undefined);
  return fields && claimFieldsOf(fields);
}
