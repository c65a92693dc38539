// The recipient check over HTTP: the page of the question, and what proves later that a browser has answered.
//
// For the security review. A right answer is remembered by a cookie. A browser that keeps none, which the probe cookie of the
// question's page shows, gets a proof in the form instead: a code of a purpose of its own for PROOF_SECONDS. Together with
// the URL of the link it is worth the answer, and no more. It is never in a URL, and `withoutFields` removes it from the fields
// of a claim before the widget reads them.
import type { ResolvedOptions } from '../../core/options.js';
import { assertDerives, type ServiceProof } from '../../core/prove-recipient.js';
import {
  type Asked,
  keyOf,
  type RecipientCheckError,
  recipientQuestion,
} from '../../core/recipient-check.js';
import type { LinkWithClient } from '../../core/storage.js';
import { type Client, DECLINE_REASONS } from '../../core/types.js';
import type { CheckView, DeclineView, FormView, StandaloneWidget } from '../../core/widget.js';
import { createLinkCodes } from '../link-codes.js';
import { createAnswerCookies, createProbeCookies } from '../link-cookies.js';
import type { CoreRequest, CoreResponse } from '../messages.js';
import { renderPage } from '../page.js';
import type { Outcome, RouteContext } from '../routes.js';
import { PROOF } from './claim-fields.js';

/** Time in seconds for which a form without cookies can be sent. */
const PROOF_SECONDS = 3600;

/** What a request proves of its recipient. */
export interface BrowserProof extends ServiceProof, Pick<FormView, 'recipientProof'> {}

/** What the page of a question shows beside the question. */
type AskedView = Pick<CheckView, 'problem' | 'answer' | 'fields' | 'declineProblem'>;

/** The recipient check of the pages. */
export interface RecipientCheck {
  /**
   * Returns what a request proves, by its cookie or its form.
   * @throws `options_invalid` if the signer cannot make cookies.
   */
  prove(request: CoreRequest, verified: LinkWithClient, form?: URLSearchParams): BrowserProof;
  /** Returns the page that asks the recipient. */
  ask(
    context: RouteContext,
    verified: LinkWithClient,
    error: RecipientCheckError,
    entered?: AskedView,
  ): Promise<Outcome>;
  /** Returns the cookie of a right answer, and whether the browser keeps cookies. */
  rememberAnswer(
    context: RouteContext,
    verified: LinkWithClient,
    asked: Asked,
  ): { cookie: string | undefined; keepsCookies: boolean };
  /** Returns the proof of a right answer for a browser without cookies. */
  createProof(verified: LinkWithClient, asked: Asked): string;
}

/** Returns what the recipient may answer who does not report the claim, if the client asks for it. */
export function declineOf({ settings }: Client): DeclineView {
  return settings?.allowDecline === true ? { declineReasons: DECLINE_REASONS } : {};
}

/** Creates the recipient check of the pages. */
export function createRecipientCheck(
  widget: StandaloneWidget,
  options: ResolvedOptions,
  builtInWidget: () => Required<Pick<StandaloneWidget, 'renderCheck'>>,
): RecipientCheck {
  const answers = createAnswerCookies(options);
  const probes = createProbeCookies(options);
  const proofs = createLinkCodes(options, 'proof', PROOF_SECONDS);

  function prove(request: CoreRequest, verified: LinkWithClient, form?: URLSearchParams): BrowserProof {
    const { link, client } = verified;
    if (client.settings?.recipientCheck === undefined) return {};
    assertDerives(options.signer);
    const question = recipientQuestion(verified);
    if (question === undefined) return {};
    const proof = form?.get(PROOF) ?? undefined;
    const key = keyOf(question.asked);
    const isProved = proof !== undefined && proofs.isValid(proof, link.accessCodeHash, key);
    return {
      hasAnswered: isProved || answers.isPresent(request, link, key),
      ...(isProved && { recipientProof: proof }),
    };
  }

  async function ask(
    { request, params }: RouteContext,
    { link, client }: LinkWithClient,
    { asked, code, attemptsLeft }: RecipientCheckError,
    entered: AskedView = {},
  ): Promise<Outcome> {
    // Without an error of a form, the user has done nothing wrong.
    const isOpened = request.method !== 'POST';
    // A widget without the proof of the form does not know what to do without cookies.
    const isAsking = entered.problem !== 'cookies' && (!asked.question || widget.renderCheck?.knowsQuestions);
    const asking = isAsking ? widget : builtInWidget();
    const context = { client, hasLanguages: isOpened };
    const response = await renderPage(widget, isOpened ? 200 : 403, request, context, (page) => {
      const view = {
        ...page,
        ...asked,
        contact: link.config.contact,
        ...(client.name !== undefined && { clientName: client.name }),
        ...(attemptsLeft !== undefined && { attemptsLeft }),
        ...declineOf(client),
        ...entered,
      };
      return asking.renderCheck ? asking.renderCheck(view) : builtInWidget().renderCheck(view);
    });
    const probe = probes.create(link, params['accessCode'] ?? '', client);
    return { response: withCookie(response, probe), ...(!isOpened && { code }) };
  }

  function rememberAnswer({ request, params }: RouteContext, { link, client }: LinkWithClient, asked: Asked) {
    const key = keyOf(asked);
    return {
      cookie: answers.create(link, params['accessCode'] ?? '', client, key),
      keepsCookies: probes.isPresent(request, link) || answers.isPresent(request, link, key),
    };
  }

  const createProof = ({ link }: LinkWithClient, asked: Asked) =>
    proofs.create(link.accessCodeHash, keyOf(asked)) ?? '';

  return { prove, ask, rememberAnswer, createProof };
}

/** Adds a cookie to a response, if there is one. */
export function withCookie(response: CoreResponse, cookie: string | undefined): CoreResponse {
  if (cookie === undefined) return response;
  return { ...response, headers: { ...response.headers, 'set-cookie': cookie } };
}
