/**
 * The public entry: the service, its options, ports, types and errors.
 *
 * @module claimlink
 */

export { type Claimlink, createClaimlink } from './claimlink.js';
export { hashAccessCode } from './core/access-code.js';
export { hashApiKey, issueApiKey } from './core/api-keys.js';
export { assertCallbackOrigins } from './core/callback-url.js';
export { assertClientSettings } from './core/client-settings.js';
export { type CursorPosition, decodeCursor, encodeCursor } from './core/cursor.js';
export {
  ClaimlinkError,
  ERRORS,
  type ErrorCode,
  type ErrorDetail,
  type ErrorRule,
  isClaimlinkError,
  type Violation,
} from './core/errors.js';
export type { CoreRequest, CoreResponse, Problem } from './core/http.js';
export type {
  HmacAlgorithm,
  KeyPairAlgorithm,
  LinkAlgorithm,
  LinkKey,
  PrivateLinkKey,
  PublicLinkKey,
  SecretLinkKey,
} from './core/link-keys.js';
export {
  createLinkSigner,
  type LinkSigner,
  type LinkSignerOptions,
  type LinkTokenClaims,
} from './core/link-signer.js';
export type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from './core/openapi.js';
export type { ClaimlinkOptions } from './core/options.js';
export type {
  ClientSessionFilter,
  LinkFilter,
  LinkPage,
  LinkSummary,
  SessionChanges,
  UserExport,
} from './core/records.js';
export type { Route } from './core/routes.js';
export type * from './core/storage.js';
export { type RequestTrace, type StorageTrace, TRACING_CHANNELS } from './core/tracing.js';
export type * from './core/types.js';
export { assertClientId } from './core/validators.js';
export type * from './core/widget.js';
export type { PageHeadersOptions } from './page-headers.js';
export {
  type CredentialCache,
  type CredentialCacheOptions,
  cacheCredentials,
} from './storage/credential-cache.js';
export {
  createMemoryStorage,
  type MemoryStorage,
  type MemoryStorageSeed,
  type MemoryStorageSnapshot,
  type StoredLink,
  type SubmissionOrder,
} from './storage/memory.js';
export {
  type BuiltInWidget,
  createStandaloneWidget,
  STEP_KEYS,
  type StandaloneWidgetOptions,
  type StepKey,
} from './widget/index.js';
export type { PolicySources } from './widget/policy.js';
