// The route handlers: the two documented endpoints and the pages of a link.
import { randomUUID } from 'node:crypto';
import { authenticate } from './authenticate.js';
import { FORM_TYPE, JSON_TYPE, mediaTypeOf, readForm, readJson } from './body.js';
import { latestIncidentDate } from './claim-rules.js';
import { type ClaimlinkError, isClaimlinkError } from './errors.js';
import {
  type CoreRequest,
  type CoreResponse,
  errorHeaders,
  headerOf,
  jsonResponse,
  negotiateLanguage,
  type PolicyContext,
  type Problem,
  pagePolicy,
  pageResponse,
  prefersJson,
  problemResponse,
  redirectResponse,
} from './http.js';
import type { ResolvedOptions } from './options.js';
import { queryValue, type RouteContext, type RouteHandler, splitTarget } from './routes.js';
import {
  claimSubmissionSchema,
  linkRequestSchemaWith,
  linkResponseSchema,
  problemSchema,
  sessionListSchema,
  submissionResponseSchema,
} from './schemas.js';
import { type Service, UnusableLinkError, type VerifiedLink } from './service.js';
import { minute, sessionListJson } from './session-json.js';
import type { PresentedClient, Storage } from './storage.js';
import type { Awaitable, Client, OpenLink, PageRequest, Submission } from './types.js';
import { parseIdSegment } from './validators.js';
import type { FormView, PageView, StandaloneWidget, WidgetPage } from './widget.js';

const PROBLEM = { 'application/problem+json': problemSchema };
const PAGE = { 'text/html': { type: 'string' } };

/** Documents the same content for several statuses. */
function forStatuses(statuses: readonly number[], content: Record<string, object>) {
  return Object.fromEntries(statuses.map((status) => [status, content]));
}

/** Creates the two documented endpoints. */
export function createApiRoutes(
  options: ResolvedOptions,
  storage: Storage,
  service: Service,
): RouteHandler[] {
  function authenticateClient({ request, params, trace }: RouteContext): Promise<PresentedClient> {
    const key = headerOf(request, 'x-api-key');
    return authenticate(storage, key, params['clientId'] ?? '', options.now, trace);
  }

  return [
    {
      method: 'GET',
      path: '/:clientId/sessions/:userId',
      operationId: 'listSessions',
      summary: 'Lists the sessions that one user of one client created, newest first.',
      schema: {
        response: {
          200: { [JSON_TYPE]: sessionListSchema },
          ...forStatuses([400, 401, 404, 405, 414, 500, 503], PROBLEM),
        },
      },
      async handle(context) {
        const client = await authenticateClient(context);
        const userId = parseIdSegment(context.params['userId'] ?? '', 'userId');
        const page = parsePage(context.query);
        const { sessions, nextCursor } = await service.listSessions(client, userId, page);
        const headers = nextCursor
          ? { link: nextPageLink(options.publicUrl, client.clientId, userId, page, nextCursor) }
          : undefined;
        const { text, bytes } = sessionListJson(sessions);
        return jsonResponse(200, text, headers, bytes);
      },
    },
    {
      method: 'POST',
      path: '/:clientId/link',
      operationId: 'createLink',
      summary: 'Generates a standalone access link for one user.',
      schema: {
        body: { [JSON_TYPE]: linkRequestSchemaWith(options.stepKeys) },
        response: {
          200: { [JSON_TYPE]: linkResponseSchema },
          ...forStatuses([400, 401, 404, 405, 408, 413, 414, 415, 500, 503], PROBLEM),
        },
      },
      async handle(context) {
        const client = await authenticateClient(context);
        const { url } = await service.createLink(client, await readJson(context.request));
        return jsonResponse(200, JSON.stringify({ data: url }));
      },
    },
  ];
}

/** The callback of a link, and its client. A page without a link has neither. */
interface PageContext extends PolicyContext {
  client?: Client;
}

/** Creates the standalone pages: open a link, submit its claim. */
export function createVerifyRoutes(
  service: Service,
  widget: StandaloneWidget,
  now: () => Date,
): RouteHandler[] {
  const path = '/verify/:accessCode';

  async function findLink({ params, query, trace }: RouteContext): Promise<VerifiedLink> {
    const verified = await service.findLink(params['accessCode'], queryValue(query, 'token'));
    if (trace) trace.clientId = verified.client.clientId;
    return verified;
  }

  function renderForm(
    status: number,
    request: CoreRequest,
    verified: VerifiedLink,
    link: OpenLink,
    entered: Pick<FormView, 'fields' | 'problems'> = {},
  ): Promise<CoreResponse> {
    const { callbackUrl } = link;
    return renderPage(widget, status, request, { callbackUrl, client: verified.client }, (view) =>
      widget.renderForm({
        ...view,
        link,
        linkId: verified.link.accessCodeHash,
        latestIncidentDate: latestIncidentDate(now()),
        ...entered,
      }),
    );
  }

  async function submissionPage(
    request: CoreRequest,
    { link, client }: VerifiedLink,
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
    error: ClaimlinkError,
    problem: Problem,
    request: CoreRequest,
  ): Promise<CoreResponse> {
    if (prefersJson(request) || mediaTypeOf(request) === JSON_TYPE) {
      return problemResponse(problem, { 'referrer-policy': 'no-referrer' });
    }
    const { code, status, instance } = problem;
    const stored = error instanceof UnusableLinkError ? error.stored : undefined;
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

  return [
    {
      method: 'GET',
      path,
      operationId: 'openLink',
      summary: 'Opens the widget in a browser; never consumes the link.',
      schema: {
        response: {
          200: PAGE,
          ...forStatuses([400, 404, 405, 410, 500, 503], { ...PAGE, ...PROBLEM }),
        },
      },
      async handle(context) {
        const { request } = context;
        const verified = await findLink(context);
        const link = await service.openLink(verified, request.method !== 'HEAD');
        return renderForm(200, request, verified, link);
      },
      renderError,
    },
    {
      method: 'POST',
      path,
      operationId: 'submitClaim',
      summary: 'Submits the claim of a link, once; a repeat gets the first outcome.',
      schema: {
        body: { [JSON_TYPE]: claimSubmissionSchema, [FORM_TYPE]: { type: 'object' } },
        response: {
          200: { [JSON_TYPE]: submissionResponseSchema, ...PAGE },
          303: {},
          ...forStatuses([400, 404, 405, 408, 410, 413, 415, 500, 503], { ...PAGE, ...PROBLEM }),
        },
      },
      async handle(context) {
        const { request } = context;
        const verified = await findLink(context);
        // An unusable link is rejected before the body is read. A submitted one gets the first result again.
        const formLink = verified.session === undefined ? await service.openLink(verified, false) : undefined;
        if (mediaTypeOf(request) === JSON_TYPE) {
          return submissionJson(await service.submitClaim(verified, await readJson(request)));
        }
        const fields = await readForm(request);
        let submission: Submission;
        try {
          submission = await service.submitClaim(verified, widget.readForm(fields));
        } catch (error) {
          const isInvalid = isClaimlinkError(error) && error.code === 'request_invalid';
          if (!isInvalid || formLink === undefined || prefersJson(request)) throw error;
          if (context.trace) context.trace.code = error.code;
          const problems = error.details ?? [];
          return renderForm(400, request, verified, formLink, { fields, problems });
        }
        return prefersJson(request)
          ? submissionJson(submission)
          : submissionPage(request, verified, submission);
      },
      renderError,
    },
  ];
}

/** Renders a page of the widget for a request: its language, its policy and the brand of the client. */
export async function renderPage(
  widget: StandaloneWidget,
  status: number,
  request: CoreRequest,
  context: PageContext,
  render: (view: PageView) => Awaitable<WidgetPage>,
): Promise<CoreResponse> {
  const { client } = context;
  const nonce = randomUUID().replaceAll('-', '');
  const lang = new URLSearchParams(splitTarget(request.url).query).get('lang') ?? undefined;
  const choice = { locales: widget.locales ?? [], lang, preferred: client?.locale };
  const locale = negotiateLanguage(request, choice);
  const policy = pagePolicy(nonce, context);
  const { branding } = client ?? {};
  const view = { nonce, locale, policy, ...(branding && { branding }) };
  const { html, contentSecurityPolicy = policy } = await render(view);
  return pageResponse(status, html, oneLine(contentSecurityPolicy), widget.locales && locale);
}

function submissionJson({ reference, session, redirectUrl }: Submission): CoreResponse {
  const data = { reference, date: minute(session.date), ...(redirectUrl !== undefined && { redirectUrl }) };
  return jsonResponse(200, JSON.stringify({ data }));
}

/** Joins the lines of a policy. @throws TypeError for a character that an HTTP header cannot contain. */
function oneLine(policy: string): string {
  const line = policy.replaceAll(/\s+/g, ' ').trim();
  if (/^[\x20-\x7e]*$/.test(line)) return line;
  throw new TypeError('The contentSecurityPolicy of the widget has a character that no header can contain.');
}

function parsePage(query: URLSearchParams): PageRequest {
  const limit = queryValue(query, 'limit');
  const cursor = queryValue(query, 'cursor');
  const status = queryValue(query, 'status');
  return {
    // The service rejects NaN, so it also reports a limit that is not a number.
    ...(limit !== undefined && { limit: /^[1-9]\d{0,6}$/.test(limit) ? Number(limit) : Number.NaN }),
    ...(cursor !== undefined && { cursor }),
    ...(status !== undefined && { status }),
  };
}

/** Returns the value of `Link: <...>; rel="next"` (RFC 8288). */
function nextPageLink(
  base: string,
  clientId: string,
  userId: string,
  page: PageRequest,
  cursor: string,
): string {
  const query = new URLSearchParams();
  if (page.limit !== undefined) query.set('limit', String(page.limit));
  if (page.status !== undefined) query.set('status', page.status);
  query.set('cursor', cursor);
  return `<${base}/${encodeURIComponent(clientId)}/sessions/${encodeURIComponent(userId)}?${query}>; rel="next"`;
}
