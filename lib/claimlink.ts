// The composition root: connects storage, signer and widget to the use cases and the routes.
import { assertOptions } from './core/assert-options.js';
import { cacheCredentials } from './core/credential-cache.js';
import { createDelivery } from './core/delivery.js';
import { deepFreeze } from './core/freeze.js';
import { guardStorage } from './core/guarded-storage.js';
import { type ClaimlinkOptions, resolveOptions } from './core/options.js';
import { createProvisioning, type Provisioning } from './core/provisioning.js';
import {
  type ClientSessionFilter,
  createRecords,
  type LinkFilter,
  type LinkPage,
  type SessionChanges,
  type UserExport,
} from './core/records.js';
import { createReport } from './core/report.js';
import { createService, findClient } from './core/service.js';
import type { ClientSessionPage, DeletedRecords } from './core/storage.js';
import type {
  CreatedLink,
  DeliveryResult,
  LinkOptions,
  LinkRequest,
  OpenLink,
  PageRequest,
  RedactedRequest,
  Session,
  SessionPage,
  SessionRecord,
  Submission,
} from './core/types.js';
import { parseId } from './core/validators.js';
import { createApiRoutes } from './http/api-routes.js';
import { basePathProblem, withoutSlashes } from './http/base-path.js';
import { createHandler } from './http/handler.js';
import type { CoreRequest, CoreResponse } from './http/messages.js';
import { createOpenApiDocument, type OpenApiDocument } from './http/openapi.js';
import { type PageHeadersOptions, pageHeaders } from './http/page-headers.js';
import { createPageRoutes } from './http/page-routes.js';
import type { Route } from './http/routes.js';
import { createStandaloneWidget } from './widget/index.js';

/** The service. An adapter serves it over HTTP. A host that authenticates its callers itself may call it directly. */
export interface Claimlink extends Provisioning {
  /** Handles a request. Never rejects: every error becomes a response. */
  handle(request: CoreRequest): Promise<CoreResponse>;
  /**
   * Returns whether the path of a request target (without mount prefix) has a route, for any method, or is below
   * `/verify`.
   */
  owns(target: string): boolean;
  /**
   * Returns a request without personal data and secrets, for logs. The path of a page becomes `/verify/:accessCode`, also
   * with `widget: false`. A path that is not claimlink's becomes `/*`.
   *
   * Without `basePath`, `url` has no mount prefix. With `basePath`, such as `/claims`, `url` begins with it, and the path
   * keeps it: `/claims/verify/:accessCode`. A URL outside of it becomes `/*`.
   * @throws `options_invalid` for an unknown option, or a `basePath` that does not start with a slash.
   */
  redact(request: { method: string; url: string }, options?: { basePath?: string }): RedactedRequest;
  readonly routes: readonly Route[];
  /** OpenAPI 3.1 document of the routes. Created when it is first read. */
  readonly openapi: OpenApiDocument;
  /**
   * Returns one page of a user's sessions. Contract: GET /:clientId/sessions/:userId.
   * @throws `client_not_found`; `request_invalid` or `uri_too_long` for an invalid id, limit, cursor or status.
   */
  listSessions(clientId: string, userId: string, page?: PageRequest): Promise<SessionPage>;
  /**
   * Creates a link. Contract: POST /:clientId/link.
   * @throws `client_not_found`; `request_invalid` with the problems of the request or of `ttlSeconds`; `request_invalid`
   * or `uri_too_long` for an invalid `clientId`.
   */
  createLink(clientId: string, request: LinkRequest, options?: LinkOptions): Promise<CreatedLink>;
  /**
   * Returns what a page needs to show the widget. The first call marks the link as opened. Never consumes the link.
   * @throws `link_not_found`, `link_expired`, `link_revoked`, `link_submitted`.
   */
  openLink(accessCode: string, token: string): Promise<OpenLink>;
  /**
   * Submits a claim, a `ClaimSubmission`. Unvalidated input is allowed. A repeated call returns the result of the first
   * one, with `repeated: true`, also after the end of the link. Its `unchanged` says whether this claim is the stored one.
   * @throws `link_not_found`, `link_expired`, `link_revoked`; `link_submitted` if the session of the first call was deleted;
   * `request_invalid` with the problems of the claim.
   */
  submitClaim(accessCode: string, token: string, claim: unknown): Promise<Submission>;
  /** Revokes a usable link of this client, by the `linkId` of `createLink`. Returns false if there is no such link. */
  revokeLink(clientId: string, linkId: string): Promise<boolean>;
  /**
   * Revokes all usable links of this client, or of one of its users. Returns their number.
   * This method and those below need a `RecordStorage`, and throw `options_invalid` without one, `client_not_found`,
   * and `request_invalid` or `uri_too_long` for invalid arguments.
   */
  revokeLinks(clientId: string, filter?: { userId?: string }): Promise<number>;
  /** Returns one page of the links of this client. */
  listLinks(clientId: string, filter?: LinkFilter): Promise<LinkPage>;
  /** Returns a session of this client, by its reference, with its user. Returns undefined if there is none. */
  findSession(clientId: string, reference: string): Promise<SessionRecord | undefined>;
  /** Changes the status or the CAMS reference of a session and returns it. Returns undefined if there is none. */
  updateSession(clientId: string, reference: string, changes: SessionChanges): Promise<Session | undefined>;
  /**
   * Returns sessions of all users of this client in the order of their submission, for reconciliation. A reader that
   * follows `nextCursor` gets each session once, also while others are submitted. Keep the cursor to go on later.
   */
  listClientSessions(clientId: string, filter?: ClientSessionFilter): Promise<ClientSessionPage>;
  /** Returns all stored data of a user. */
  exportUser(clientId: string, userId: string): Promise<UserExport>;
  /**
   * Deletes the links, the sessions and the undelivered events of a user. A delivery that has begun is not stopped.
   * Afterwards claimlink has data of the user only from links that are created during or after the call.
   */
  deleteUser(clientId: string, userId: string): Promise<DeletedRecords>;
  /**
   * Calls `onSubmit` for the recorded submissions that it has not handled: its call failed, the process ended, or
   * another process accepted the claim. Call `deliverPending` on a timer, in any number of processes: they share the
   * work. It makes one attempt for each event that is due when the call begins, at most 10 at the same time. After a
   * failed attempt it waits 10 seconds, then twice as long each time, up to 6 hours. After 20 attempts the event stays
   * as failed; `claimlink deliveries` shows and repeats it.
   * @throws `options_invalid` without `onSubmit`, or if the storage does not implement `OutboxStorage`; the errors of
   * the storage, after the attempts that have begun.
   */
  deliverPending(): Promise<DeliveryResult>;
  /**
   * Waits until no call of `onSubmit` and of `deliverPending` runs. A running `deliverPending` begins no further attempts.
   * Call it at shutdown: close the server, wait for `idle`, close the storage.
   */
  idle(): Promise<void>;
  /**
   * Returns the security headers of the built-in pages, for a host with `widget: false` that serves its own:
   * `Content-Security-Policy`, `Cache-Control`, `Referrer-Policy`, `X-Content-Type-Options` and `X-Robots-Tag`, with
   * lower-case names. Send them with each response whose URL contains a token. The host adds the headers of its body,
   * such as `Content-Type`.
   *
   * The policy allows inline script and style with the nonce, images of `data:` URLs, and requests and forms to the
   * page's origin. It rejects frames. `link` and `sources` allow more.
   * @throws `options_invalid` for a nonce that is not base64, an unknown member, or a source that `extendPolicy` rejects.
   */
  pageHeaders(options: PageHeadersOptions): Record<string, string>;
}

const REDACT_CHECKS = { basePath: basePathProblem };

/**
 * Creates the service.
 * @throws `options_invalid` with every problem of the options.
 */
export function createClaimlink(options: ClaimlinkOptions): Claimlink {
  return composeClaimlink(options).claimlink;
}

/** Creates the service, and `begin`, which handles a request in two phases. For the mock, which applies faults between. */
export function composeClaimlink(options: ClaimlinkOptions) {
  const resolved = resolveOptions(options, createStandaloneWidget);
  const guarded = guardStorage(resolved.storage, resolved.storageTimeoutSeconds);
  const { credentialCache } = resolved;
  const storage = credentialCache ? cacheCredentials(guarded, credentialCache) : guarded;
  const report = createReport(resolved.onError);
  const delivery = createDelivery(resolved, storage, report);
  const service = createService(resolved, storage, delivery);
  const routes = [
    ...createApiRoutes(resolved, storage, service),
    ...(resolved.widget ? createPageRoutes(service, resolved.widget, resolved) : []),
  ];
  const { begin, handle, owns, redact } = createHandler(routes, report);

  // Created when it is first read: most processes never read it.
  let openapi: OpenApiDocument | undefined;
  const claimlink = Object.freeze<Claimlink>({
    handle,
    owns,
    redact(request, redactOptions = {}) {
      assertOptions(redactOptions, REDACT_CHECKS);
      return redact(request, withoutSlashes(redactOptions.basePath ?? ''));
    },
    routes: deepFreeze(
      routes.map(({ method, path, operationId, summary }) => ({ method, path, operationId, summary })),
    ),
    get openapi() {
      openapi ??= deepFreeze(createOpenApiDocument(routes, resolved));
      return openapi;
    },
    async listSessions(clientId, userId, page = {}) {
      const client = await findClient(storage, clientId);
      const user = parseId(userId, 'userId');
      assertOptions(page, ['limit', 'cursor', 'status']);
      return service.listSessions(client, user, page);
    },
    async createLink(clientId, request, linkOptions = {}) {
      const client = await findClient(storage, clientId);
      assertOptions(linkOptions, ['ttlSeconds']);
      return service.createLink(client, request, linkOptions);
    },
    openLink: async (accessCode, token) =>
      service.openLink(await service.findLink(accessCode, token, 'open'), true),
    submitClaim: async (accessCode, token, claim) =>
      service.submitClaim(await service.findLink(accessCode, token, 'submit'), claim),
    revokeLink: service.revokeLink,
    deliverPending: delivery.deliverPending,
    idle: delivery.idle,
    pageHeaders,
    ...createRecords(resolved, storage),
    ...createProvisioning(storage, resolved.now),
  });
  return { claimlink, begin };
}
