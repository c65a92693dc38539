// The documented endpoints and the pages behind a link: from a matched request to a response.
import { randomUUID } from 'node:crypto';
import { authenticate } from './authenticate.js';
import { chain } from './awaitable.js';
import { mediaTypeOf, readForm, readJson } from './body.js';
import { cspSource } from './callback-url.js';
import { ClaimlinkError } from './errors.js';
import {
  asClaimlinkError,
  type CoreRequest,
  type CoreResponse,
  errorHeaders,
  headerOf,
  jsonResponse,
  pagePolicy,
  pageResponse,
  prefersJson,
  problemResponse,
  redirectResponse,
  toProblem,
} from './http.js';
import type { ResolvedOptions } from './options.js';
import { queryValue, type RouteContext, type RouteHandler } from './routes.js';
import {
  claimSubmissionSchema,
  linkRequestSchema,
  linkResponseSchema,
  problemSchema,
  sessionListSchema,
  submissionResponseSchema,
} from './schemas.js';
import { type FoundLink, type Service, UnusableLinkError } from './service.js';
import { sessionListJson } from './session-json.js';
import type { Storage } from './storage.js';
import type { Awaitable, Client, OpenLink, PageRequest, Submission } from './types.js';
import { parseIdSegment } from './validators.js';
import type { StandaloneWidget, WidgetPage } from './widget.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const PROBLEM = { 'application/problem+json': problemSchema };
const PAGE = { 'text/html': { type: 'string' } };
const PAGE_OR_PROBLEM = { ...PAGE, ...PROBLEM };

/** The two documented endpoints. */
export function createApiRoutes(
  options: ResolvedOptions,
  storage: Storage,
  service: Service,
): RouteHandler[] {
  /** What `answer` gives the client that the request is allowed to speak for, or the refusal. */
  function forClient(
    { request, params }: RouteContext,
    answer: (client: Client) => Awaitable<CoreResponse>,
  ): Awaitable<CoreResponse> {
    const key = headerOf(request, 'x-api-key');
    const found = authenticate(storage, key, params['clientId'] ?? '', options.now);
    return chain(found, (client) =>
      client instanceof ClaimlinkError ? problemResponse(client) : answer(client),
    );
  }

  function list({ params, query }: RouteContext, client: Client): Awaitable<CoreResponse> {
    const userId = parseIdSegment(params['userId'] ?? '', 'userId');
    const page = parsePage(query);
    return chain(service.listSessions(client, userId, page), ({ sessions, nextCursor }) => {
      const link = nextCursor && nextPageLink(options.publicUrl, client.clientId, userId, page, nextCursor);
      const { json, bytes } = sessionListJson(sessions);
      return jsonResponse(200, json, link ? { link } : undefined, bytes);
    });
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
          400: PROBLEM,
          401: PROBLEM,
          404: PROBLEM,
          414: PROBLEM,
          500: PROBLEM,
          503: PROBLEM,
        },
      },
      handle: (context) => forClient(context, (client) => list(context, client)),
    },
    {
      method: 'POST',
      path: '/:clientId/link',
      operationId: 'createLink',
      summary: 'Generates a standalone access link for one user.',
      schema: {
        body: { [JSON_TYPE]: linkRequestSchema },
        response: {
          200: { [JSON_TYPE]: linkResponseSchema },
          400: PROBLEM,
          401: PROBLEM,
          404: PROBLEM,
          408: PROBLEM,
          413: PROBLEM,
          414: PROBLEM,
          415: PROBLEM,
          500: PROBLEM,
          503: PROBLEM,
        },
      },
      handle: (context) =>
        forClient(context, (client) =>
          chain(readJson(context.request), (body) =>
            chain(service.createLink(client, body), ({ url }) =>
              jsonResponse(200, `{"data":${JSON.stringify(url)}}`),
            ),
          ),
        ),
    },
  ];
}

/** The standalone pages: opening a link and submitting its claim. */
export function createVerifyRoutes(service: Service, widget: StandaloneWidget): RouteHandler[] {
  const path = '/verify/:accessCode';

  function find({ params, query }: RouteContext): Promise<FoundLink> {
    return service.findLink(params['accessCode'] ?? '', queryValue(query, 'token') ?? '');
  }

  function renderError(error: ClaimlinkError, request: CoreRequest): CoreResponse {
    if (prefersJson(request) || mediaTypeOf(request) === JSON_TYPE) {
      return problemResponse(error, { 'referrer-policy': 'no-referrer' });
    }
    const { code, status } = toProblem(error);
    const found = error instanceof UnusableLinkError ? error.found : undefined;
    const response = page(status, (nonce) =>
      widget.renderUnavailable({
        nonce,
        code,
        status,
        ...(found && { contact: found.link.config.contact }),
        ...(found?.client.name !== undefined && { clientName: found.client.name }),
      }),
    );
    Object.assign(response.headers, errorHeaders(status));
    return response;
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
          400: PAGE_OR_PROBLEM,
          404: PAGE_OR_PROBLEM,
          410: PAGE_OR_PROBLEM,
          500: PAGE_OR_PROBLEM,
          503: PAGE_OR_PROBLEM,
        },
      },
      async handle(context) {
        const link = await service.openLink(await find(context), context.request.method !== 'HEAD');
        return page(200, (nonce) => widget.renderForm({ nonce, link }), link.callbackUrl);
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
          400: PAGE_OR_PROBLEM,
          404: PAGE_OR_PROBLEM,
          408: PAGE_OR_PROBLEM,
          410: PAGE_OR_PROBLEM,
          413: PAGE_OR_PROBLEM,
          415: PAGE_OR_PROBLEM,
          500: PAGE_OR_PROBLEM,
          503: PAGE_OR_PROBLEM,
        },
      },
      async handle(context) {
        const { request } = context;
        const found = await find(context);
        // A dead link is told before its body is read; a submitted one answers a repeat.
        const link = found.session === undefined ? await service.openLink(found, false) : undefined;
        if (mediaTypeOf(request) === JSON_TYPE) {
          return submissionJson(await service.submitClaim(found, await readJson(request)));
        }
        const fields = await readForm(request);
        let submission: Submission;
        try {
          submission = await service.submitClaim(found, widget.readForm(fields));
        } catch (error) {
          const { details: problems = [], code } = asClaimlinkError(error);
          if (link === undefined || code !== 'request_invalid' || prefersJson(request)) throw error;
          return page(400, (nonce) => widget.renderForm({ nonce, link, fields, problems }), link.callbackUrl);
        }
        return prefersJson(request) ? submissionJson(submission) : submissionPage(widget, found, submission);
      },
      renderError,
    },
  ];
}

function submissionJson({ reference, redirectUrl }: Submission): CoreResponse {
  return jsonResponse(
    200,
    JSON.stringify({ data: { reference, ...(redirectUrl !== undefined && { redirectUrl }) } }),
  );
}

function submissionPage(
  widget: StandaloneWidget,
  { link, client }: FoundLink,
  submission: Submission,
): CoreResponse {
  const { reference, redirectUrl, callbackOnSubmit } = submission;
  if (callbackOnSubmit && redirectUrl !== undefined) return redirectResponse(redirectUrl);
  return page(200, (nonce) =>
    widget.renderSuccess({
      nonce,
      reference,
      contact: link.config.contact,
      ...(client.name !== undefined && { clientName: client.name }),
      ...(redirectUrl !== undefined && { redirectUrl }),
    }),
  );
}

function page(
  status: number,
  render: (nonce: string) => WidgetPage,
  callbackUrl?: OpenLink['callbackUrl'],
): CoreResponse {
  const nonce = randomUUID().replaceAll('-', '');
  const { html, contentSecurityPolicy } = render(nonce);
  const callback = callbackUrl === undefined ? '' : cspSource(callbackUrl);
  return pageResponse(status, html, oneLine(contentSecurityPolicy ?? pagePolicy(nonce, callback)));
}

/** A policy as a header can carry it: written over several lines it is one, with other characters it is refused. */
function oneLine(policy: string): string {
  const line = policy.replaceAll(/\s+/g, ' ').trim();
  if (/^[\x20-\x7e]*$/.test(line)) return line;
  throw new TypeError('The contentSecurityPolicy of the widget has a character that no header can carry.');
}

function parsePage(query: URLSearchParams): PageRequest {
  if (query.size === 0) return {};
  const limit = queryValue(query, 'limit');
  const cursor = queryValue(query, 'cursor');
  const status = queryValue(query, 'status');
  return {
    // The service refuses what is no number.
    ...(limit !== undefined && { limit: /^[1-9]\d{0,6}$/.test(limit) ? Number(limit) : Number.NaN }),
    ...(cursor !== undefined && { cursor }),
    ...(status !== undefined && { status }),
  };
}

/** `Link: <...>; rel="next"` (RFC 8288). */
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
