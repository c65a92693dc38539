// The two documented endpoints: the listing of sessions, and the creation of a link.
import { asClaimlinkError, type ClaimlinkError, invalidHeader } from '../core/errors.js';
import type { KeyUse } from '../core/key-use.js';
import type { ResolvedOptions } from '../core/options.js';
import { linkRequestSchemaWith } from '../core/schemas.js';
import { parsePage, type Service } from '../core/service.js';
import type { ListedPage, Listing, Storage } from '../core/storage.js';
import type { PageRequest } from '../core/types.js';
import { idempotencyKeyProblem } from '../core/validators.js';
import { type Authenticated, readId, verifyApiKey } from './authenticate.js';
import { readJson } from './body.js';
import { type CoreRequest, headerOf, jsonResponse } from './messages.js';
import { BODY_PROBLEMS, COMMON_PROBLEMS, json, nameParameter, parameter, problems } from './operation.js';
import { linkResponseSchema, sessionListSchema } from './response-schemas.js';
import { type Proof, queryValue, type RouteContext, type RouteHandler } from './routes.js';
import { sessionListJson } from './session-json.js';

interface ClientProof extends Proof, Authenticated {}

type ListingQuery = Omit<Listing, 'at'>;

/** What a request lists: its parameters, and with the defaults. Only a caller with a valid key may see its problem. */
type AskedListing =
  | { userId: string; parameters: PageRequest; listing: ListingQuery; problem?: undefined }
  | { userId?: string; listing?: undefined; problem: ClaimlinkError };

interface ListingProof extends Proof {
  asked: AskedListing;
  page: ListedPage | undefined;
}

const CLIENT_ID = nameParameter('path', 'clientId', "The client's unique ID.");

/** draft-ietf-httpapi-idempotency-key-header */
const IDEMPOTENCY_KEY = 'Idempotency-Key';

const API_PROBLEMS = {
  ...COMMON_PROBLEMS,
  401: ['api-key-missing', 'api-key-invalid'],
  404: ['client-not-found'],
  414: ['uri-too-long'],
};

/** Creates the routes. */
export function createApiRoutes(
  { now, publicUrl, maxPageSize, stepKeys, requireIdempotency }: ResolvedOptions,
  storage: Storage,
  service: Service,
  keyUse: KeyUse,
): RouteHandler[] {
  const authentication = { storage, now, keyUse };

  async function proveClient(
    { request, params }: RouteContext,
    listing?: ListingQuery,
  ): Promise<ClientProof> {
    const key = headerOf(request, 'x-api-key');
    const { client, keyId, page } = await verifyApiKey(
      authentication,
      key,
      params['clientId'] ?? '',
      listing,
    );
    return { clientId: client.clientId, client, keyId, page };
  }

  const { supportsIdempotency } = service;
  const idempotencyParameters = supportsIdempotency
    ? [
        parameter(
          'header',
          IDEMPOTENCY_KEY,
          'A repetition of the request with the same value gets the same URL, and creates no second link. Use a random value, such as a UUID, for each link.',
          { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
          requireIdempotency,
        ),
      ]
    : [];

  /** Returns the value of the header, or undefined if the service does not support it. @throws `request_invalid` */
  function readIdempotencyKey(request: CoreRequest): string | undefined {
    if (!supportsIdempotency) return undefined;
    const value = headerOf(request, IDEMPOTENCY_KEY.toLowerCase());
    if (value === undefined) {
      if (requireIdempotency) throw invalidHeader(IDEMPOTENCY_KEY, 'required', 'is required');
      return undefined;
    }
    const problem = idempotencyKeyProblem(value);
    if (problem !== undefined) throw invalidHeader(IDEMPOTENCY_KEY, problem.rule, problem.detail);
    return value;
  }

  function readListing({ params, query }: RouteContext): AskedListing {
    const { id: userId, problem } = readId(params['userId'], 'userId');
    if (problem !== undefined) return { problem };
    try {
      const parameters = readPage(query);
      return { userId, parameters, listing: { userId, ...parsePage(parameters, maxPageSize) } };
    } catch (error) {
      return { userId, problem: asClaimlinkError(error) };
    }
  }

  const listSessions: RouteHandler<ListingProof> = {
    method: 'GET',
    path: '/:clientId/sessions/:userId',
    operationId: 'listSessions',
    tag: 'sessions',
    summary: 'Lists the sessions that one user of one client created, newest first.',
    description: 'The response is an array. If there are more sessions, a Link header names the next page.',
    parameters: [
      CLIENT_ID,
      nameParameter('path', 'userId', 'Unique ID of the user whose sessions are listed.'),
      parameter('query', 'limit', `Maximum number of sessions in the response. Default ${maxPageSize}.`, {
        type: 'integer',
        minimum: 1,
        maximum: maxPageSize,
      }),
      parameter('query', 'cursor', 'Position of the next page, from the Link header of the previous page.'),
      nameParameter('query', 'status', 'Only sessions with this status.'),
    ],
    responses: {
      200: {
        headers: {
          Link: {
            description: '<...>; rel="next" if there are more sessions (RFC 8288).',
            schema: { type: 'string' },
          },
        },
        content: json(sessionListSchema, 'responses', 'listing', 'listing-empty'),
      },
      ...problems({ ...API_PROBLEMS, 400: ['request-invalid-limit'] }),
    },
    async authenticate(context) {
      const asked = readListing(context);
      const { clientId, page } = await proveClient(context, asked.listing);
      return { clientId, userId: asked.userId, asked, page };
    },
    async handle(_context, { clientId, asked, page }) {
      if (asked.problem !== undefined) throw asked.problem;
      const { userId, parameters, listing } = asked;
      const { sessions, nextCursor } = page ?? (await storage.listSessions({ clientId, ...listing }));
      const headers = nextCursor
        ? { link: nextPageLink(publicUrl, clientId, userId, parameters, nextCursor) }
        : undefined;
      const { text, bytes } = sessionListJson(sessions);
      return { response: jsonResponse(200, text, headers, bytes) };
    },
  };

  const createLink: RouteHandler<ClientProof> = {
    method: 'POST',
    path: '/:clientId/link',
    operationId: 'createLink',
    tag: 'links',
    summary: 'Generates a standalone access link for one user.',
    description: 'The link opens the claim form in a browser. It expires, and accepts one claim.',
    parameters: [CLIENT_ID, ...idempotencyParameters],
    body: json(linkRequestSchemaWith(stepKeys), 'requests', 'minimal', 'full'),
    responses: {
      200: { content: json(linkResponseSchema, 'responses', 'link') },
      ...problems({
        ...API_PROBLEMS,
        ...BODY_PROBLEMS,
        400: ['request-invalid', 'request-aborted'],
        ...(supportsIdempotency && { 422: ['idempotency-key-reused'] }),
      }),
    },
    authenticate: (context) => proveClient(context),
    async handle({ request }, { client, keyId }) {
      const idempotencyKey = readIdempotencyKey(request);
      const { url } = await service.createLink(client, await readJson(request), {
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        ...(keyId !== undefined && { createdBy: keyId }),
      });
      return { response: jsonResponse(200, JSON.stringify({ data: url })) };
    },
  };

  return [listSessions, createLink];
}

function readPage(query: string): PageRequest {
  if (query === '') return {};
  const values = new URLSearchParams(query);
  const limit = queryValue(values, 'limit');
  const cursor = queryValue(values, 'cursor');
  const status = queryValue(values, 'status');
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
