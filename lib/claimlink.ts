// The composition root: connects storage, signer and widget to the use cases and the routes.
import { type Administration, createAdministration } from './core/administration/index.js';
import { cacheCredentials } from './core/credential-cache.js';
import { createDelivery, type DeliveryCalls } from './core/delivery.js';
import { createDirectCalls, type DirectCalls } from './core/direct-calls.js';
import { guardStorage } from './core/guarded-storage.js';
import { createKeyUse } from './core/key-use.js';
import { withChoice } from './core/life.js';
import { type ClaimlinkOptions, resolveOptions } from './core/options.js';
import { deepFreeze } from './core/plain-data.js';
import { createQrCode, type QrCodeOptions } from './core/qr-code.js';
import { createReport } from './core/report.js';
import { createService } from './core/service.js';
import { createApiRoutes } from './http/api-routes.js';
import { createHandler, type RequestHandling } from './http/handler.js';
import { createOpenApiDocument, type OpenApiDocument } from './http/openapi.js';
import { type PageHeadersOptions, pageHeaders } from './http/page-headers.js';
import { createPageRoutes } from './http/pages/page-routes.js';
import type { Route } from './http/routes.js';
import { createStandaloneWidget } from './widget/index.js';

/** The service. An adapter serves it over HTTP. A host that authenticates its callers itself may call it directly. */
export interface Claimlink extends RequestHandling, DirectCalls, DeliveryCalls, Administration {
  readonly routes: readonly Route[];
  /** OpenAPI 3.1 document of the routes. Created when it is first read. */
  readonly openapi: OpenApiDocument;
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
  /**
   * Returns a URL as a QR code (ISO/IEC 18004, error correction level M): an SVG without a size, with the margin of four
   * modules that the standard asks for. It has no name for screen readers: say beside it what it opens. The encoder is
   * loaded with the first call.
   *
   * A link of the format `compact` has 41 modules a side, one with a JWS about 77: print or show it twice as large.
   * @throws `request_invalid` unless `url` is an absolute http(s) URL in ASCII without user name, of at most 2048 characters;
   * `options_invalid` for an unknown option, a value that is not `#rrggbb`, and colours with a contrast below 4.5:1 (WCAG
   * 2.2), or of which the background is the darker one: phones may not read such a code.
   */
  qrCode(url: string, options?: QrCodeOptions): Promise<string>;
}

/**
 * Creates the service.
 * @throws `options_invalid` with every problem of the options.
 */
export function createClaimlink(options: ClaimlinkOptions): Claimlink {
  return composeClaimlink(options).claimlink;
}

/**
 * Creates the service, and `route` and `begin`, which find the route of a request and authenticate its caller. For the mock,
 * which applies faults before the rest.
 */
export function composeClaimlink(options: ClaimlinkOptions) {
  const resolved = resolveOptions(options, createStandaloneWidget);
  const { credentialCache, now, maxPageSize } = resolved;
  const guarded = withChoice(guardStorage(resolved.storage, resolved.storageTimeoutSeconds), resolved);
  const storage = credentialCache ? cacheCredentials(guarded, credentialCache) : guarded;
  const report = createReport(resolved.onError);
  const delivery = createDelivery(resolved, storage, report);
  const keyUse = createKeyUse(storage, now);
  const service = createService(resolved, storage, delivery);
  const routes = [
    ...createApiRoutes(resolved, storage, service, keyUse),
    ...(resolved.widget ? createPageRoutes(service, resolved.widget, resolved, createStandaloneWidget) : []),
  ];
  const { route, begin, handle, owns, redact, reportError } = createHandler(routes, report);

  // Created when it is first read: most processes never read it.
  let openapi: OpenApiDocument | undefined;
  const claimlink = Object.freeze<Claimlink>({
    handle,
    reportError,
    owns,
    redact,
    routes: deepFreeze(
      routes.map(({ method, path, operationId, summary }) => ({ method, path, operationId, summary })),
    ),
    get openapi() {
      openapi ??= deepFreeze(createOpenApiDocument(routes, resolved));
      return openapi;
    },
    pageHeaders,
    qrCode: createQrCode,
    deliverPending: delivery.deliverPending,
    async idle() {
      await Promise.all([delivery.idle(), keyUse.idle()]);
    },
    ...createDirectCalls(service, storage),
    ...createAdministration({
      storage,
      now,
      maxPageSize,
      signer: resolved.widget && resolved.signer,
      asksHost: resolved.checkRecipient !== undefined,
      takesPhotos: resolved.photos !== undefined,
      onRecorded: delivery.startLifeDelivery,
    }),
  });
  return { claimlink, route, begin };
}
