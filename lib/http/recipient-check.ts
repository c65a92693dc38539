// The recipient check over HTTP: the page of the question, the answer, and what proves later that a browser has answered.
//
// For the security review. A right answer is remembered by a cookie. A browser that keeps none, which the probe cookie of the
// question's page shows, gets a proof in the form instead: a code of a purpose of its own for PROOF_SECONDS. Together with
// the URL of the link it is worth the answer, and no more. It is never in a URL, and `takeProof` removes it from the fields
// before anything else reads them.
import type { ResolvedOptions } from '../core/options.js';
import { type Asked, keyOf, RecipientCheckError, recipientQuestion } from '../core/recipient-check.js';
import { assertDerives, type Service, type ServiceProof } from '../core/service.js';
import type { LinkWithClient } from '../core/storage.js';
import { type Client, DECLINE_REASONS, type OpenLink } from '../core/types.js';
import type { CheckView, DeclineView, FormView, StandaloneWidget } from '../core/widget.js';
import { isOwnForm } from './body.js';
import { createLinkCodes } from './link-codes.js';
import { createAnswerCookies, createProbeCookies } from './link-cookies.js';
import { type CoreRequest, type CoreResponse, redirectResponse } from './messages.js';
import { prefersJson, renderPage } from './page.js';
import type { Outcome, RouteContext } from './routes.js';

/** Time in seconds for which a form without cookies can be sent. */
const PROOF_SECONDS = 3600;

/** Name of the field with the proof. */
const PROOF = 'proof';

/** What a request proves of its recipient. */
export interface BrowserProof extends ServiceProof, Pick<FormView, 'recipientProof'> {}

/** What the form of a right answer shows beside the link. */
export type AnsweredView = Pick<FormView, 'fields' | 'recipientProof'>;

/** What the page of a question shows beside the question. */
type AskedView = Pick<CheckView, 'problem' | 'fields'>;

/** The recipient check of the pages. */
export interface RecipientCheck {
  /**
   * Returns what a request proves. `fields` are those of its form; they lose the proof.
   * @throws `options_invalid` if the signer cannot make cookies.
   */
  prove(request: CoreRequest, verified: LinkWithClient, fields?: URLSearchParams): BrowserProof;
  /** Returns the page that asks the recipient. */
  ask(
    context: RouteContext,
    verified: LinkWithClient,
    error: RecipientCheckError,
    entered?: AskedView,
  ): Promise<Outcome>;
  /** Answers the question of a link. `renderForm` renders the form for a browser that keeps no cookies. */
  answer(
    context: RouteContext,
    verified: LinkWithClient,
    fields: URLSearchParams,
    renderForm: (link: OpenLink, view: AnsweredView) => Promise<CoreResponse>,
  ): Promise<Outcome>;
}

/** Removes the proof from the fields of a form, and returns it. */
export function takeProof(fields: URLSearchParams): string | undefined {
  const proof = fields.get(PROOF) ?? undefined;
  fields.delete(PROOF);
  return proof;
}

/** Returns what the recipient may answer who does not report the claim, if the client asks for it. */
export function declineOf({ settings }: Client): DeclineView {
  return settings?.allowDecline === true ? { declineReasons: DECLINE_REASONS } : {};
}

/** Creates the recipient check of the pages. */
export function createRecipientCheck(
  service: Service,
  widget: StandaloneWidget,
  options: ResolvedOptions,
  builtInWidget: () => Required<Pick<StandaloneWidget, 'renderCheck'>>,
): RecipientCheck {
  const answers = createAnswerCookies(options);
  const probes = createProbeCookies(options);
  const proofs = createLinkCodes(options, 'proof', PROOF_SECONDS);

  function prove(request: CoreRequest, verified: LinkWithClient, fields?: URLSearchParams): BrowserProof {
    const { link, client } = verified;
    if (client.settings?.recipientCheck === undefined) return {};
    assertDerives(options.signer);
    const question = recipientQuestion(verified);
    const proof = fields && takeProof(fields);
    if (question === undefined) return {};
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

  /** Returns the form with a proof, or a page that asks for cookies if the widget does not use the proof. */
  async function answerWithoutCookies(
    context: RouteContext,
    verified: LinkWithClient,
    asked: Asked,
    fields: URLSearchParams | undefined,
    renderForm: (link: OpenLink, view: AnsweredView) => Promise<CoreResponse>,
  ): Promise<Outcome> {
    const recipientProof = proofs.create(verified.link.accessCodeHash, keyOf(asked)) ?? '';
    const link = await service.openLink(verified, false, { hasAnswered: true });
    const response = await renderForm(link, { recipientProof, ...(fields && { fields }) });
    if (!response.body.includes(recipientProof)) {
      const entered = { problem: 'cookies', ...(fields && { fields }) } as const;
      return ask(context, verified, new RecipientCheckError(asked), entered);
    }
    await service.openLink(verified, true, { hasAnswered: true });
    return { response };
  }

  async function answer(
    context: RouteContext,
    verified: LinkWithClient,
    form: URLSearchParams,
    renderForm: (link: OpenLink, view: AnsweredView) => Promise<CoreResponse>,
  ): Promise<Outcome> {
    const { request, params, query } = context;
    const { link, client, session } = verified;
    // The redirect lets a reload and Back show the form, and not send the answer again.
    const redirect = redirectResponse(`?${new URLSearchParams(query)}`);
    // The page of a submitted link asks nothing.
    if (session !== undefined || client.settings?.recipientCheck === undefined) return { response: redirect };
    assertDerives(options.signer);
    const fields = claimBesideAnswer(request, form);
    try {
      await service.answerQuestion(verified, form.get('answer') ?? '');
    } catch (error) {
      if (!(error instanceof RecipientCheckError) || prefersJson(request)) throw error;
      const problem = error.attemptsLeft === undefined ? 'missing' : 'wrong';
      return ask(context, verified, error, { problem, ...(fields && { fields }) });
    }
    const question = recipientQuestion(verified);
    // Nothing was asked, so nothing is proved.
    if (question === undefined) return { response: redirect };
    const key = keyOf(question.asked);
    const cookie = answers.create(link, params['accessCode'] ?? '', client, key);
    const keepsCookies = probes.isPresent(request, link) || answers.isPresent(request, link, key);
    const outcome =
      keepsCookies || prefersJson(request)
        ? { response: redirect }
        : await answerWithoutCookies(context, verified, question.asked, fields, renderForm);
    return { ...outcome, response: withCookie(outcome.response, cookie) };
  }

  return { prove, ask, answer };
}

/** Returns the claim that the page of a question sends along: its user had sent it without an answer. */
export function claimBesideAnswer(request: CoreRequest, form: URLSearchParams): URLSearchParams | undefined {
  if (!isOwnForm(request)) return undefined;
  const fields = new URLSearchParams(form);
  for (const name of ['action', 'answer', PROOF]) fields.delete(name);
  return [...fields].length > 0 ? fields : undefined;
}

/** Adds a cookie to a response, if there is one. */
export function withCookie(response: CoreResponse, cookie: string | undefined): CoreResponse {
  if (cookie === undefined) return response;
  return { ...response, headers: { ...response.headers, 'set-cookie': cookie } };
}
