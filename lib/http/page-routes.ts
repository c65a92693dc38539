// The pages of a link: opening it, and submitting its claim.
import { latestIncidentDate } from '../core/claim-rules.js';
import { invalidBody, isClaimlinkError } from '../core/errors.js';
import type { ResolvedOptions } from '../core/options.js';
import { isRecord } from '../core/plain-data.js';
import { createQrCode } from '../core/qr-code.js';
import { RecipientCheckError } from '../core/recipient-check.js';
import { type Service, UnusableLinkError } from '../core/service.js';
import type { LinkWithClient } from '../core/storage.js';
import {
  type Awaitable,
  DECLINE_REASONS,
  type DeclineReason,
  type OpenLink,
  type RecipientProof,
  type Session,
  type Submission,
} from '../core/types.js';
import { linkUrl } from '../core/url.js';
import type {
  FormView,
  PageView,
  Receipt,
  SentClaim,
  StandaloneWidget,
  UnavailableView,
  WidgetPage,
} from '../core/widget.js';
import { FORM_TYPE, isOwnForm, JSON_TYPE, mediaTypeOf, readForm, readJson } from './body.js';
import { createReceiptCookies } from './link-cookies.js';
import {
  type CoreRequest,
  type CoreResponse,
  emptyResponse,
  errorHeaders,
  headerOf,
  jsonResponse,
  type ProblemResponse,
  problemResponse,
  redirectResponse,
} from './messages.js';
import { BODY_PROBLEMS, COMMON_PROBLEMS, header, json, page, parameter, problems } from './operation.js';
import { createPage, prefersJson, renderPage } from './page.js';
import {
  claimBesideAnswer,
  createRecipientCheck,
  declineOf,
  takeProof,
  withCookie,
} from './recipient-check.js';
import { formSchema, submissionResponseSchema, submittedClaimSchema } from './response-schemas.js';
import {
  type Outcome,
  PAGE_PATH,
  type Proof,
  queryValue,
  type RouteContext,
  type RouteHandler,
} from './routes.js';
import { toMinute } from './session-json.js';

interface LinkProof extends Proof {
  verified: LinkWithClient;
  /** Set if the link can no longer be used. */
  problem?: UnusableLinkError;
  /** Set when the form was read: a body can be read once. */
  fields?: URLSearchParams;
}

const PARAMETERS = [
  parameter('path', 'accessCode', 'The access code of the link.'),
  { ...parameter('query', 'token', 'The signed token of the link.'), required: true },
];

const LINK_PROBLEMS = {
  ...COMMON_PROBLEMS,
  403: ['recipient-check-required', 'recipient-check-failed'],
  404: ['link-not-found'],
  410: ['link-expired', 'link-revoked', 'link-submitted'],
  423: ['link-locked'],
  503: [...COMMON_PROBLEMS[503], 'settings-unknown', 'recipient-check-unavailable'],
};

/** What the form of a page asks for: its member `action`. Without it, the form submits a claim. */
const FORM_ACTIONS = ['submit', 'check', 'start', 'decline', 'renew'] as const;

type FormAction = (typeof FORM_ACTIONS)[number];

/** Returns the action of a form. @throws `request_invalid` */
function actionOf(fields: URLSearchParams): FormAction {
  const name = fields.get('action') ?? 'submit';
  const action = FORM_ACTIONS.find((allowed) => allowed === name);
  if (action !== undefined) return action;
  const detail = `must be one of: ${FORM_ACTIONS.join(', ')}`;
  throw invalidBody([{ pointer: '/action', rule: 'choice', detail }]);
}

/** Returns why a recipient declines. @throws `request_invalid` */
function whyOf(fields: URLSearchParams): DeclineReason {
  const why = DECLINE_REASONS.find((reason) => reason === fields.get('why'));
  if (why !== undefined) return why;
  const detail = `must be one of: ${DECLINE_REASONS.join(', ')}`;
  throw invalidBody([{ pointer: '/why', rule: 'choice', detail }]);
}

const RECEIPT_HEADERS = {
  'Set-Cookie': {
    ...header(
      'Lets this browser see the answers again, for a while. Absent if this claim is not the stored one.',
    ),
    required: false,
  },
};

/** Statuses that mean that the link takes no claim. Their page shows what was sent, so that it is not lost. */
const NO_FORM = [404, 410];

/** Creates the routes. */
export function createPageRoutes(
  service: Service,
  widget: StandaloneWidget,
  options: ResolvedOptions,
  builtInWidget: () => Required<Pick<StandaloneWidget, 'renderCheck'>>,
): RouteHandler[] {
  const { now, publicUrl, events } = options;
  const receipts = createReceiptCookies(options);
  const recipients = createRecipientCheck(service, widget, options, builtInWidget);

  async function proveLink({ params, query }: RouteContext, purpose: 'open' | 'submit'): Promise<LinkProof> {
    try {
      const token = queryValue(new URLSearchParams(query), 'token');
      return toProof(await service.verifyLink(params['accessCode'], token, purpose));
    } catch (error) {
      if (!(error instanceof UnusableLinkError)) throw error;
      return { ...toProof(error.stored), problem: error };
    }
  }

  /** Returns the QR code of the link, if its client shows it. */
  async function qrCodeOf(
    { params, query }: RouteContext,
    { client }: LinkWithClient,
  ): Promise<Pick<FormView, 'qrCode'>> {
    if (client.settings?.continueOnPhone !== true) return {};
    const token = queryValue(new URLSearchParams(query), 'token') ?? '';
    const url = linkUrl(publicUrl, params['accessCode'] ?? '', token);
    const { primaryColor } = client.branding ?? {};
    return { qrCode: await createQrCode(url, primaryColor === undefined ? {} : { color: primaryColor }) };
  }

  function renderForm(
    status: number,
    context: RouteContext,
    verified: LinkWithClient,
    link: OpenLink,
    entered: Pick<FormView, 'fields' | 'problems' | 'recipientProof'> = {},
  ): Promise<CoreResponse> {
    const { callbackUrl } = link;
    const time = now();
    const { client } = verified;
    const hasLanguages = entered.fields === undefined;
    return renderPage(widget, status, context.request, { callbackUrl, client, hasLanguages }, async (view) =>
      widget.renderForm({
        ...view,
        link,
        now: time,
        latestIncidentDate: latestIncidentDate(time),
        ...(events.includes('link.started') && { reportsStart: true as const }),
        ...declineOf(client),
        ...(await qrCodeOf(context, verified)),
        ...entered,
      }),
    );
  }

  /** Returns whether the browser leaves at once, without a page. */
  function leavesTo({ redirectUrl, callbackOnSubmit, unchanged }: Submission): string | undefined {
    return unchanged !== false && callbackOnSubmit ? redirectUrl : undefined;
  }

  /** Renders the page after a submission: of the receipt, or of a claim that differs from the stored one. */
  function renderSubmission(
    { link, client }: LinkWithClient,
    { reference, session, redirectUrl, unchanged }: Submission,
    fields: URLSearchParams,
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
      if (widget.renderChanged) return widget.renderChanged({ ...submitted, fields });
      const { redirectUrl: _, ...unavailable } = submitted;
      return widget.renderUnavailable({ ...unavailable, code: 'link_submitted', status: 200, fields });
    };
  }

  /** Answers a form that was submitted: by a page, a redirect or JSON. The script of the form gets the page in the JSON. */
  async function submissionResponse(
    request: CoreRequest,
    verified: LinkWithClient,
    submission: Submission,
    fields: URLSearchParams,
  ): Promise<CoreResponse> {
    const { client } = verified;
    const target = leavesTo(submission);
    const render = renderSubmission(verified, submission, fields);
    if (prefersJson(request)) {
      const isShown = target === undefined && headerOf(request, 'prefer') === 'return=representation';
      return submissionJson(submission, isShown ? await createPage(widget, request, { client }, render) : {});
    }
    return target === undefined
      ? renderPage(widget, 200, request, { client }, render)
      : redirectResponse(target);
  }

  /** Returns what the page of a submitted link tells. Only the browser that sent the claim sees its answers. */
  function receiptOf(request: CoreRequest, verified: LinkWithClient, session: Session): Receipt {
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

  /** Returns what the page of a link without a form tells of it. */
  function linkViewOf({ link, client }: LinkWithClient) {
    return {
      linkId: link.accessCodeHash,
      contact: link.config.contact,
      ...(client.name !== undefined && { clientName: client.name }),
    };
  }

  /** Returns the page that confirms what the recipient asked for. */
  async function donePage(
    request: CoreRequest,
    verified: LinkWithClient,
    view: Pick<UnavailableView, 'code' | 'declined' | 'renewal' | 'fields'>,
  ): Promise<Outcome> {
    if (prefersJson(request)) return { response: emptyResponse() };
    const { client } = verified;
    const response = await renderPage(widget, 200, request, { client }, (page) =>
      widget.renderUnavailable({ ...page, status: 200, ...linkViewOf(verified), ...view }),
    );
    return { response };
  }

  async function renderError(
    problem: ProblemResponse,
    request: CoreRequest,
    proof: LinkProof | undefined,
  ): Promise<CoreResponse> {
    if (prefersJson(request) || mediaTypeOf(request) === JSON_TYPE) {
      return problemResponse(problem, { 'referrer-policy': 'no-referrer' });
    }
    const { code, status, instance, retryAfterSeconds } = problem;
    const stored = proof?.verified;
    const context = stored ? { client: stored.client } : {};
    // After a failure of the service, the fields have been read, and the claim may be stored.
    const fields = proof?.fields ?? (NO_FORM.includes(status) ? await enteredFields(request) : undefined);
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
        ...(stored && session && { receipt: receiptOf(request, stored, session) }),
        ...(stored && code === 'link_expired' && service.offersRenewal && { renewal: 'offered' as const }),
      }),
    );
    return { ...response, headers: { ...response.headers, ...errorHeaders(problem) } };
  }

  const openLink: RouteHandler<LinkProof> = {
    method: 'GET',
    path: PAGE_PATH,
    operationId: 'openLink',
    tag: 'pages',
    summary: 'Opens the widget in a browser; never consumes the link.',
    description:
      'Mail scanners may open a link, and users may reload it. The page of a client with recipientCheck asks the recipient first, and a locked link gets a 423. An error is a page, or a problem as JSON.',
    parameters: PARAMETERS,
    responses: {
      200: { content: page('form') },
      ...problems({ ...LINK_PROBLEMS, 400: ['request-invalid-token'] }, page()),
    },
    authenticate: (context) => proveLink(context, 'open'),
    async handle(context, { verified, problem }) {
      if (problem !== undefined) throw problem;
      const { request } = context;
      try {
        const recipient = recipients.prove(request, verified);
        const link = await service.openLink(verified, request.method !== 'HEAD', recipient);
        return { response: await renderForm(200, context, verified, link) };
      } catch (error) {
        if (!(error instanceof RecipientCheckError) || prefersJson(request)) throw error;
        return recipients.ask(context, verified, error);
      }
    },
    renderError,
  };

  const submitClaim: RouteHandler<LinkProof> = {
    method: 'POST',
    path: PAGE_PATH,
    operationId: 'submitClaim',
    tag: 'pages',
    summary: 'Submits the claim of a link, once; a repeat gets the first outcome.',
    description:
      'The claim creates a session. The response is a redirect to the callback URL, a page or JSON. A form with action=check answers the question of a client with recipientCheck; a right answer sets a cookie, or is the form with a proof for a browser without cookies. With action=decline it revokes the link of a client with allowDecline. With action=start and action=renew it tells the host that a person fills in the form, and that the recipient of an expired link asks for another one.',
    parameters: PARAMETERS,
    body: {
      ...json(submittedClaimSchema, 'submissions', 'full', 'minimal'),
      [FORM_TYPE]: { schema: formSchema },
    },
    responses: {
      200: {
        headers: RECEIPT_HEADERS,
        content: {
          ...json(
            submissionResponseSchema,
            'responses',
            'submission',
            'submission-without-redirect',
            'submission-changed',
          ),
          ...page('success'),
        },
      },
      204: {
        description:
          'A form with action=start, or another action without a claim for a client that prefers JSON.',
      },
      303: {
        description: 'Success. The browser follows the redirect to the callback URL.',
        headers: {
          Location: header('The callback URL of the link, with its placeholders replaced.'),
          ...RECEIPT_HEADERS,
        },
      },
      ...problems(
        {
          ...LINK_PROBLEMS,
          ...BODY_PROBLEMS,
          400: ['request-invalid-claim'],
          503: [...LINK_PROBLEMS[503], 'validation-unavailable'],
        },
        page(),
      ),
    },
    authenticate: (context) => proveLink(context, 'submit'),
    async handle(context, proof) {
      // An unusable link is rejected before the body is read. A submitted one gets the first result again.
      if (proof.problem !== undefined) return renewLink(context, proof, proof.problem);
      if (mediaTypeOf(context.request) === JSON_TYPE) return submitJson(context, proof);
      const fields = await readForm(context.request);
      return actions[actionOf(fields)](context, proof, fields);
    },
    renderError,
  };

  /** What the form of a page does, by its member `action`. */
  const actions: Readonly<
    Record<FormAction, (context: RouteContext, proof: LinkProof, fields: URLSearchParams) => Promise<Outcome>>
  > = {
    submit: submitForm,
    check: checkForm,
    start: startForm,
    decline: declineForm,
    // Only the page of an expired link asks for another one.
    renew: async () => ({ response: emptyResponse() }),
  };

  async function startForm(
    { request }: RouteContext,
    { verified }: LinkProof,
    fields: URLSearchParams,
  ): Promise<Outcome> {
    if (verified.session === undefined)
      await service.startLink(verified, recipients.prove(request, verified, fields));
    return { response: emptyResponse() };
  }

  async function declineForm(
    { request }: RouteContext,
    { verified }: LinkProof,
    fields: URLSearchParams,
  ): Promise<Outcome> {
    if (verified.session !== undefined) throw new UnusableLinkError('link_submitted', verified);
    const declined = whyOf(fields);
    await service.declineLink(verified, declined);
    return donePage(request, verified, { code: 'link_revoked', declined });
  }

  /** Answers the form of an expired link that asks for another one. @throws the problem of the link for another form. */
  async function renewLink(
    { request }: RouteContext,
    proof: LinkProof,
    problem: UnusableLinkError,
  ): Promise<Outcome> {
    const { verified } = proof;
    if (problem.code !== 'link_expired' || !service.offersRenewal || mediaTypeOf(request) !== FORM_TYPE)
      throw problem;
    const form = await readForm(request);
    const fields = isOwnForm(request) ? claimFieldsOf(form) : undefined;
    if (actionOf(form) !== 'renew') {
      if (fields) proof.fields = fields;
      throw problem;
    }
    await service.requestRenewal(verified);
    return donePage(request, verified, {
      code: 'link_expired',
      renewal: 'requested',
      ...(fields && { fields }),
    });
  }

  async function submitJson({ request, params }: RouteContext, { verified }: LinkProof): Promise<Outcome> {
    const { claim, answer } = splitAnswer(await readJson(request));
    const submission = await service.submitClaim(verified, claim, {
      ...recipients.prove(request, verified),
      ...answer,
    });
    return {
      response: withReceipt(submissionJson(submission), params['accessCode'] ?? '', verified, submission),
    };
  }

  async function submitForm(
    context: RouteContext,
    proof: LinkProof,
    fields: URLSearchParams,
  ): Promise<Outcome> {
    const { request, params } = context;
    const { verified } = proof;
    const recipient = recipients.prove(request, verified, fields);
    proof.fields = fields;
    const claim = widget.readForm(fields, verified.client.settings?.form);
    try {
      const submission = await service.submitClaim(verified, claim, recipient);
      const response = await submissionResponse(request, verified, submission, fields);
      return { response: withReceipt(response, params['accessCode'] ?? '', verified, submission) };
    } catch (error) {
      if (prefersJson(request)) throw error;
      if (error instanceof RecipientCheckError) {
        const entered = isOwnForm(request) ? { fields } : {};
        return recipients.ask(context, verified, error, entered);
      }
      if (!isClaimlinkError(error) || error.code !== 'request_invalid') throw error;
      const problems = error.problems ?? [];
      const link = await service.openLink(verified, false, recipient);
      const { recipientProof } = recipient;
      const response = await renderForm(400, context, verified, link, {
        fields,
        problems,
        ...(recipientProof !== undefined && { recipientProof }),
      });
      return { response, code: error.code, problems };
    }
  }

  function checkForm(context: RouteContext, proof: LinkProof, fields: URLSearchParams): Promise<Outcome> {
    const { verified } = proof;
    const claim = claimBesideAnswer(context.request, fields);
    if (claim) proof.fields = claim;
    return recipients.answer(context, verified, fields, (link, view) =>
      renderForm(200, context, verified, link, view),
    );
  }

  /** Adds the receipt cookie, if the sender of the request knows the stored answers. */
  function withReceipt(
    response: CoreResponse,
    accessCode: string,
    { link, client }: LinkWithClient,
    { unchanged }: Submission,
  ): CoreResponse {
    return withCookie(response, unchanged === false ? undefined : receipts.create(link, accessCode, client));
  }

  return [openLink, submitClaim];
}

/**
 * Returns the fields of a form that was sent to a link without a form, if they can be read. A form of another site gets
 * none back: its author could write a text into a page of this service.
 */
async function enteredFields(request: CoreRequest): Promise<URLSearchParams | undefined> {
  if (!isOwnForm(request)) return undefined;
  const fields = await readForm(request).catch(() => undefined);
  return fields && claimFieldsOf(fields);
}

/** Returns the fields of a claim. A form that asks for another link may have them as well; other forms have none. */
function claimFieldsOf(form: URLSearchParams): URLSearchParams | undefined {
  if (!['submit', 'renew'].includes(form.get('action') ?? 'submit')) return undefined;
  const fields = new URLSearchParams(form);
  fields.delete('action');
  takeProof(fields);
  return [...fields].length > 0 ? fields : undefined;
}

/** Splits a JSON body into the claim and the answer of the recipient. @throws `request_invalid` for another answer than a text. */
function splitAnswer(body: unknown): { claim: unknown; answer: RecipientProof } {
  if (!isRecord(body) || !Object.hasOwn(body, 'recipientAnswer')) return { claim: body, answer: {} };
  const { recipientAnswer, ...claim } = body;
  if (typeof recipientAnswer === 'string') return { claim, answer: { recipientAnswer } };
  throw invalidBody([{ pointer: '/recipientAnswer', rule: 'type', detail: 'must be a string' }]);
}

function toSentClaim({ selectedPolicy, incident }: Session): SentClaim {
  return { policy: selectedPolicy, ...(incident && { incident }) };
}

function toProof(verified: LinkWithClient): LinkProof {
  const { clientId, userId } = verified.link;
  return { clientId, userId, verified };
}

function submissionJson(
  { reference, session, redirectUrl, unchanged }: Submission,
  { main }: Pick<WidgetPage, 'main'> = {},
): CoreResponse {
  const data = {
    reference,
    date: toMinute(session.date),
    ...(redirectUrl !== undefined && { redirectUrl }),
    ...(unchanged !== undefined && { repeated: true, unchanged }),
    ...(main !== undefined && { page: main }),
  };
  return jsonResponse(200, JSON.stringify({ data }));
}
