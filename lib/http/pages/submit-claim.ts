// Submits the claim of a link, as a form or as JSON.
import { type ClaimlinkError, invalidBody, isClaimlinkError } from '../../core/errors.js';
import { isRecord } from '../../core/plain-data.js';
import { RecipientCheckError } from '../../core/recipient-check.js';
import type { LinkWithClient } from '../../core/storage.js';
import type { RecipientProof, Submission } from '../../core/types.js';
import type { PhotoProblem } from '../../core/widget.js';
import { isOwnForm, readJson } from '../body.js';
import type { CoreResponse } from '../messages.js';
import { prefersJson } from '../page.js';
import type { Outcome, RouteContext } from '../routes.js';
import { PROOF, withoutFields } from './claim-fields.js';
import { renderForm } from './open-link.js';
import type { Pages, ReadAction } from './page-action.js';
import { type BrowserProof, withCookie } from './recipient-check.js';
import { submissionJson, submissionResponse } from './submission-response.js';

/** The photos of a form that were not taken. Then no claim is stored. */
export interface NotTaken {
  photoProblems: readonly PhotoProblem[];
  error: ClaimlinkError;
}

/** Reads a claim as JSON. */
export async function submitJson(
  { service, recipients, receipts }: Pages,
  { request, params }: RouteContext,
  verified: LinkWithClient,
): Promise<ReadAction> {
  const { claim, answer } = splitAnswer(await readJson(request));
  const proof = { ...recipients.prove(request, verified), ...answer };
  return {
    async run() {
      const submission = await service.submitClaim(verified, claim, proof);
      return {
        response: withReceipt({ receipts }, params, submissionJson(submission), verified, submission),
      };
    },
  };
}

/** Reads a claim as a form. */
export const submitForm = (
  pages: Pages,
  context: RouteContext,
  verified: LinkWithClient,
  form: URLSearchParams,
  notTaken?: NotTaken,
): ReadAction => {
  const { settings } = verified.client;
  const recipient = pages.recipients.prove(context.request, verified, form);
  const fields = settings?.recipientCheck === undefined ? form : withoutFields(form, PROOF);
  // A form of another site gets none back: its author could write a text into a page with personal data.
  const shown = isOwnForm(context.request) ? fields : undefined;
  const entered = { fields, shown, notTaken };
  return { fields: shown, run: () => submitFields(pages, context, verified, recipient, entered) };
};

/** What a form has sent. */
interface EnteredClaim {
  fields: URLSearchParams;
  /** What the form shows again. */
  shown: URLSearchParams | undefined;
  notTaken: NotTaken | undefined;
}

async function submitFields(
  pages: Pages,
  context: RouteContext,
  verified: LinkWithClient,
  recipient: BrowserProof,
  { fields, shown, notTaken }: EnteredClaim,
): Promise<Outcome> {
  const { service, widget, recipients } = pages;
  const { request, params } = context;
  const claim = widget.readForm(fields, verified.client.settings?.form);
  try {
    // A repeated claim gets the first outcome.
    if (notTaken && verified.session === undefined) throw notTaken.error;
    const submission = await service.submitClaim(verified, claim, recipient, true);
    const response = await submissionResponse(pages, request, verified, submission, shown);
    return { response: withReceipt(pages, params, response, verified, submission) };
  } catch (error) {
    if (prefersJson(request)) throw error;
    if (error instanceof RecipientCheckError) {
      return recipients.ask(context, verified, error, shown && { fields: shown });
    }
    if (!isClaimlinkError(error) || error.code !== 'request_invalid') throw error;
    const problems = error.problems ?? [];
    const link = await service.openLink(verified, false, recipient);
    const { recipientProof } = recipient;
    const response = await renderForm(pages, 400, context, verified, link, {
      ...(shown && { fields: shown }),
      problems,
      ...(notTaken && { photoProblems: notTaken.photoProblems }),
      ...(recipientProof !== undefined && { recipientProof }),
    });
    return { response, code: error.code, problems };
  }
}

/** Adds the receipt cookie, if the sender of the request knows the stored answers. */
function withReceipt(
  { receipts }: Pick<Pages, 'receipts'>,
  params: RouteContext['params'],
  response: CoreResponse,
  { link, client }: LinkWithClient,
  { unchanged }: Submission,
): CoreResponse {
  const accessCode = params['accessCode'] ?? '';
  return withCookie(response, unchanged === false ? undefined : receipts.create(link, accessCode, client));
}

/** Splits a JSON body into the claim and the answer of the recipient. @throws `request_invalid` for another answer than a text. */
function splitAnswer(body: unknown): { claim: unknown; answer: RecipientProof } {
  if (!isRecord(body) || !Object.hasOwn(body, 'recipientAnswer')) return { claim: body, answer: {} };
  const { recipientAnswer, ...claim } = body;
  if (typeof recipientAnswer === 'string') return { claim, answer: { recipientAnswer } };
  throw invalidBody([{ pointer: '/recipientAnswer', rule: 'type', detail: 'must be a string' }]);
}
