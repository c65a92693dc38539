// The pages of a link: opening it, and submitting its claim.
import { latestIncidentDate } from '../core/claim-rules.js';
import { isClaimlinkError } from '../core/errors.js';
import { claimSubmissionSchema } from '../core/schemas.js';
import { type Service, UnusableLinkError } from '../core/service.js';
import type { LinkWithClient } from '../core/storage.js';
import type { OpenLink, Submission } from '../core/types.js';
import type { FormView, StandaloneWidget } from '../core/widget.js';
import { FORM_TYPE, JSON_TYPE, mediaTypeOf, readForm, readJson } from './body.js';
import {
  type CoreRequest,
  type CoreResponse,
  errorHeaders,
  jsonResponse,
  type ProblemResponse,
  problemResponse,
  redirectResponse,
} from './messages.js';
import { BODY_PROBLEMS, COMMON_PROBLEMS, header, json, page, parameter, problems } from './operation.js';
import { prefersJson, renderPage } from './page.js';
import { submissionResponseSchema } from './response-schemas.js';
import { PAGE_PATH, type Proof, queryValue, type RouteContext, type RouteHandler } from './routes.js';
import { toMinute } from './session-json.js';

interface LinkProof extends Proof {
  verified: LinkWithClient;
  /** Set if the link can no longer be used. */
  problem?: UnusableLinkError;
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

/** Creates the routes. */
export function createPageRoutes(
  service: Service,
  widget: StandaloneWidget,
  now: () => Date,
): RouteHandler[] {
  async function authenticate(
    { params, query }: RouteContext,
    purpose: 'open' | 'submit',
  ): Promise<LinkProof> {
    try {
      const token = queryValue(new URLSearchParams(query), 'token');
      return toProof(await service.findLink(params['accessCode'], token, purpose));
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
    return renderPage(widget, status, request, { callbackUrl, client: verified.client }, (view) =>
      widget.renderForm({
        ...view,
        link,
        latestIncidentDate: latestIncidentDate(now()),
        ...entered,
      }),
    );
  }

  async function submissionPage(
    request: CoreRequest,
    { link, client }: LinkWithClient,
    submission: Submission,
  ): Promise<CoreResponse> {
    const { reference, session, redirectUrl, callbackOnSubmit } = submission;
    if (callbackOnSubmit && redirectUrl !== undefined) return redirectResponse(redirectUrl);
    return renderPage(widget, 200, request, { client }, (view) =>
      widget.renderSuccess({
        ...view,
        reference,
        submittedAt: session.date,
        contact: link.config.contact,
        ...(client.name !== undefined && { clientName: client.name }),
        ...(redirectUrl !== undefined && { redirectUrl }),
      }),
    );
  }

  async function renderError(
    problem: ProblemResponse,
    request: CoreRequest,
    proof: LinkProof | undefined,
  ): Promise<CoreResponse> {
    if (prefersJson(request) || mediaTypeOf(request) === JSON_TYPE) {
      return problemResponse(problem, { 'referrer-policy': 'no-referrer' });
    }
    const { code, status, instance } = problem;
    const stored = proof?.verified;
    const context = stored ? { client: stored.client } : {};
    const response = await renderPage(widget, status, request, context, (view) =>
      widget.renderUnavailable({
        ...view,
        code,
        status,
        ...(instance !== undefined && { instance }),
        ...(stored && { contact: stored.link.config.contact }),
        ...(stored?.client.name !== undefined && { clientName: stored.client.name }),
      }),
    );
    return { ...response, headers: { ...response.headers, ...errorHeaders(status) } };
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
    authenticate: (context) => authenticate(context, 'open'),
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
        content: {
          ...json(submissionResponseSchema, 'responses', 'submission', 'submission-without-redirect'),
          ...page('success'),
        },
      },
      303: {
        description: 'Success. The browser follows the redirect to the callback URL.',
        headers: { Location: header('The callback URL of the link, with its placeholders replaced.') },
      },
      ...problems({ ...LINK_PROBLEMS, ...BODY_PROBLEMS, 400: ['request-invalid-claim'] }, page()),
    },
    authenticate: (context) => authenticate(context, 'submit'),
    async handle({ request }, { verified, problem }) {
      // An unusable link is rejected before the body is read. A submitted one gets the first result again.
      if (problem !== undefined) throw problem;
      if (mediaTypeOf(request) === JSON_TYPE) {
        return { response: submissionJson(await service.submitClaim(verified, await readJson(request))) };
      }
      const fields = await readForm(request);
      let submission: Submission;
      try {
        submission = await service.submitClaim(verified, widget.readForm(fields));
      } catch (error) {
        const isInvalid = isClaimlinkError(error) && error.code === 'request_invalid';
        if (!isInvalid || prefersJson(request)) throw error;
        const problems = error.problems ?? [];
        const link = await service.openLink(verified, false);
        const response = await renderForm(400, request, verified, link, { fields, problems });
        return { response, code: error.code, problems };
      }
      const response = prefersJson(request)
        ? submissionJson(submission)
        : await submissionPage(request, verified, submission);
      return { response };
    },
    renderError,
  };

  return [openLink, submitClaim];
}

function toProof(verified: LinkWithClient): LinkProof {
  const { clientId, userId } = verified.link;
  return { clientId, userId, verified };
}

function submissionJson({ reference, session, redirectUrl }: Submission): CoreResponse {
  const data = { reference, date: toMinute(session.date), ...(redirectUrl !== undefined && { redirectUrl }) };
  return jsonResponse(200, JSON.stringify({ data }));
}
