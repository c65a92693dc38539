// The pages of a link: opening it, and submitting its claim.
import { latestIncidentDate } from '../core/claim-rules.js';
import { isClaimlinkError } from '../core/errors.js';
import type { ResolvedOptions } from '../core/options.js';
import { claimSubmissionSchema } from '../core/schemas.js';
import { type Service, UnusableLinkError } from '../core/service.js';
import type { LinkWithClient } from '../core/storage.js';
import type { OpenLink, Session, Submission } from '../core/types.js';
import type { FormView, Receipt, SentClaim, StandaloneWidget } from '../core/widget.js';
import { FORM_TYPE, JSON_TYPE, mediaTypeOf, readForm, readJson } from './body.js';
import {
  type CoreRequest,
  type CoreResponse,
  errorHeaders,
  headerOf,
  jsonResponse,
  type ProblemResponse,
  problemResponse,
  redirectResponse,
} from './messages.js';
import { BODY_PROBLEMS, COMMON_PROBLEMS, header, json, page, parameter, problems } from './operation.js';
import { prefersJson, renderPage } from './page.js';
import { createReceiptCookies } from './receipt-cookie.js';
import { submissionResponseSchema } from './response-schemas.js';
import { PAGE_PATH, type Proof, queryValue, type RouteContext, type RouteHandler } from './routes.js';
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
  404: ['link-not-found'],
  410: ['link-expired', 'link-revoked', 'link-submitted'],
};

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
): RouteHandler[] {
  const { now } = options;
  const cookies = createReceiptCookies(options);

  async function proveLink({ params, query }: RouteContext, purpose: 'open' | 'submit'): Promise<LinkProof> {
    try {
      const token = queryValue(new URLSearchParams(query), 'token');
      return toProof(await service.verifyLink(params['accessCode'], token, purpose));
    } catch (error) {
      if (!(error instanceof UnusableLinkError)) throw error;
      return { ...toProof(error.stored), problem: error };
    }
  }

  function renderForm(
    status: number,
    request: CoreRequest,
    verified: LinkWithClient,
    link: OpenLink,
    entered: Pick<FormView, 'fields' | 'problems'> = {},
  ): Promise<CoreResponse> {
    const { callbackUrl } = link;
    const time = now();
    return renderPage(widget, status, request, { callbackUrl, client: verified.client }, (view) =>
      widget.renderForm({
        ...view,
        link,
        now: time,
        latestIncidentDate: latestIncidentDate(time),
        ...entered,
      }),
    );
  }

  async function submissionPage(
    request: CoreRequest,
    { link, client }: LinkWithClient,
    submission: Submission,
    fields: URLSearchParams,
  ): Promise<CoreResponse> {
    const { reference, session, redirectUrl, callbackOnSubmit, unchanged } = submission;
    const isStored = unchanged !== false;
    if (isStored && callbackOnSubmit && redirectUrl !== undefined) return redirectResponse(redirectUrl);
    return renderPage(widget, 200, request, { client }, (view) => {
      const submitted = {
        ...view,
        submittedAt: session.date,
        contact: link.config.contact,
        ...(client.name !== undefined && { clientName: client.name }),
        ...(redirectUrl !== undefined && { redirectUrl }),
      };
      if (isStored) {
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
    });
  }

  /** Returns what the page of a submitted link tells. Only the browser that sent the claim sees its answers. */
  function receiptOf(request: CoreRequest, verified: LinkWithClient, session: Session): Receipt {
    const { reference, redirectUrl } = service.describeSubmission(verified, session);
    return {
      reference,
      submittedAt: session.date,
      ...(cookies.isPresent(request, verified.link) && {
        claim: toSentClaim(session),
        ...(redirectUrl !== undefined && { redirectUrl }),
      }),
    };
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
        ...(stored && {
          linkId: stored.link.accessCodeHash,
          contact: stored.link.config.contact,
          ...(session && { receipt: receiptOf(request, stored, session) }),
        }),
        ...(stored?.client.name !== undefined && { clientName: stored.client.name }),
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
      'Mail scanners may open a link, and users may reload it. An error is a page, or a problem as JSON.',
    parameters: PARAMETERS,
    responses: {
      200: { content: page('form') },
      ...problems({ ...LINK_PROBLEMS, 400: ['request-invalid-token'] }, page()),
    },
    authenticate: (context) => proveLink(context, 'open'),
    async handle({ request }, { verified, problem }) {
      if (problem !== undefined) throw problem;
      const link = await service.openLink(verified, request.method !== 'HEAD');
      return { response: await renderForm(200, request, verified, link) };
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
      'The claim creates a session. The response is a redirect to the callback URL, a page or JSON.',
    parameters: PARAMETERS,
    body: {
      ...json(claimSubmissionSchema, 'submissions', 'full', 'minimal'),
      [FORM_TYPE]: { schema: { type: 'object' } },
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
          503: ['storage-unavailable', 'validation-unavailable'],
        },
        page(),
      ),
    },
    authenticate: (context) => proveLink(context, 'submit'),
    async handle({ request, params }, proof) {
      const { verified, problem } = proof;
      // An unusable link is rejected before the body is read. A submitted one gets the first result again.
      if (problem !== undefined) throw problem;
      const isJson = mediaTypeOf(request) === JSON_TYPE;
      const fields = isJson ? undefined : await readForm(request);
      if (fields) proof.fields = fields;
      let submission: Submission;
      try {
        submission = await service.submitClaim(
          verified,
          fields === undefined
            ? await readJson(request)
            : widget.readForm(fields, verified.client.settings?.form),
        );
      } catch (error) {
        const isInvalid = isClaimlinkError(error) && error.code === 'request_invalid';
        if (!isInvalid || fields === undefined || prefersJson(request)) throw error;
        const problems = error.problems ?? [];
        const link = await service.openLink(verified, false);
        const response = await renderForm(400, request, verified, link, { fields, problems });
        return { response, code: error.code, problems };
      }
      const response =
        fields === undefined || prefersJson(request)
          ? submissionJson(submission)
          : await submissionPage(request, verified, submission, fields);
      return { response: withReceipt(response, params['accessCode'] ?? '', verified, submission) };
    },
    renderError,
  };

  /** Adds the receipt cookie, if the sender of the request knows the stored answers. */
  function withReceipt(
    response: CoreResponse,
    accessCode: string,
    { link, client }: LinkWithClient,
    { unchanged }: Submission,
  ): CoreResponse {
    const cookie = unchanged === false ? undefined : cookies.create(link, accessCode, client);
    return cookie === undefined
      ? response
      : { ...response, headers: { ...response.headers, 'set-cookie': cookie } };
  }

  return [openLink, submitClaim];
}

/**
 * Returns the fields of a form that was sent to a link without a form, if they can be read. A form of another site gets
 * none back: its author could write a text into a page of this service.
 */
async function enteredFields(request: CoreRequest): Promise<URLSearchParams | undefined> {
  const isOwnForm =
    request.method === 'POST' &&
    mediaTypeOf(request) === FORM_TYPE &&
    headerOf(request, 'sec-fetch-site') !== 'cross-site';
  return isOwnForm ? readForm(request).catch(() => undefined) : undefined;
}

function toSentClaim({ selectedPolicy, incident }: Session): SentClaim {
  return { policy: selectedPolicy, ...(incident && { incident }) };
}

function toProof(verified: LinkWithClient): LinkProof {
  const { clientId, userId } = verified.link;
  return { clientId, userId, verified };
}

function submissionJson({ reference, session, redirectUrl, unchanged }: Submission): CoreResponse {
  const data = {
    reference,
    date: toMinute(session.date),
    ...(redirectUrl !== undefined && { redirectUrl }),
    ...(unchanged !== undefined && { repeated: true, unchanged }),
  };
  return jsonResponse(200, JSON.stringify({ data }));
}
