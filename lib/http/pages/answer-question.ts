// Takes the answer of a recipient to the question of a link.

import { assertDerives } from '../../core/prove-recipient.js';
import { type Asked, RecipientCheckError, recipientQuestion } from '../../core/recipient-check.js';
import type { LinkWithClient } from '../../core/storage.js';
import { isOwnForm } from '../body.js';
import { redirectResponse } from '../messages.js';
import { prefersJson } from '../page.js';
import type { Outcome, RouteContext } from '../routes.js';
import { claimBesideAnswer } from './claim-fields.js';
import { renderForm } from './open-link.js';
import type { FormAction, Pages } from './page-action.js';
import { withCookie } from './recipient-check.js';

/** Reads an answer, and the claim beside it. */
export const answerQuestion: FormAction = (pages, context, verified, form) => {
  const fields = claimBesideAnswer(context.request, form);
  const answer = form.get('answer') ?? '';
  return { fields, run: () => takeAnswer(pages, context, verified, answer, fields) };
};

async function takeAnswer(
  pages: Pages,
  context: RouteContext,
  verified: LinkWithClient,
  answer: string,
  fields: URLSearchParams | undefined,
): Promise<Outcome> {
  const { service, options, recipients } = pages;
  const { request, query } = context;
  const { client, session } = verified;
  // The redirect lets a reload and Back show the form, and not send the answer again.
  const redirect = redirectResponse(`?${new URLSearchParams(query)}`);
  // The page of a submitted link asks nothing.
  if (session !== undefined || client.settings?.recipientCheck === undefined) return { response: redirect };
  assertDerives(options.signer);
  try {
    await service.answerQuestion(verified, answer);
  } catch (error) {
    if (!(error instanceof RecipientCheckError) || prefersJson(request)) throw error;
    const problem = error.attemptsLeft === undefined ? 'missing' : 'wrong';
    return recipients.ask(context, verified, error, {
      problem,
      ...(answer !== '' && isOwnForm(request) && { answer }),
      ...(fields && { fields }),
    });
  }
  const question = recipientQuestion(verified);
  // Nothing was asked, so nothing is proved.
  if (question === undefined) return { response: redirect };
  const { cookie, keepsCookies } = recipients.rememberAnswer(context, verified, question.asked);
  const outcome =
    keepsCookies || prefersJson(request)
      ? { response: redirect }
      : await answerWithoutCookies(pages, context, verified, question.asked, fields);
  return { ...outcome, response: withCookie(outcome.response, cookie) };
}

/** Returns the form with a proof, or a page that asks for cookies if the widget does not use the proof. */
async function answerWithoutCookies(
  pages: Pages,
  context: RouteContext,
  verified: LinkWithClient,
  asked: Asked,
  fields: URLSearchParams | undefined,
): Promise<Outcome> {
  const { service, recipients } = pages;
  const recipientProof = recipients.createProof(verified, asked);
  const link = await service.openLink(verified, false, { hasAnswered: true });
  const entered = fields && { fields };
  const response = await renderForm(pages, 200, context, verified, link, { recipientProof, ...entered });
  if (!response.body.includes(recipientProof)) {
    const view = { problem: 'cookies', ...entered } as const;
    return recipients.ask(context, verified, new RecipientCheckError(asked), view);
  }
  await service.openLink(verified, true, { hasAnswered: true });
  return { response };
}
