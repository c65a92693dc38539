/**
 * The public entry: the service, its options, ports, types and errors.
 *
 * @module claimlink
 */

export { type Claimlink, createClaimlink } from './claimlink.js';
export type {
  Administration,
  ApiKeyOptions,
  ClientAdministration,
  ClientSessionFilter,
  EventAdministration,
  EventFilter,
  IssuedApiKey,
  KeyAdministration,
  LinkAdministration,
  LinkDetails,
  LinkFilter,
  LinkHistory,
  LinkHistoryEntry,
  LinkPage,
  LinkSummary,
  ListedEvent,
  Retention,
  RetryFilter,
  RotatedApiKey,
  RotationOptions,
  SessionAdministration,
  SessionChanges,
  UserAdministration,
  UserExport,
} from './core/administration/index.js';
export type { ClaimField, FieldNeed } from './core/claim-fields.js';
export type { CredentialCacheOptions } from './core/credential-cache.js';
export { hashAccessCode, hashApiKey, issueApiKey } from './core/credentials.js';
export type { CursorPosition, LinkPosition, SubmissionPosition } from './core/cursor.js';
export type { DeliveryCalls } from './core/delivery.js';
export { type DeliveryErrorOptions, deliveryError } from './core/delivery-error.js';
export type { DirectCalls } from './core/direct-calls.js';
export {
  ClaimlinkError,
  ERRORS,
  type ErrorCode,
  type ErrorRule,
  type HostRule,
  isClaimlinkError,
  type Problem,
} from './core/errors.js';
export type { CheckRecipient, GivenAnswer } from './core/host-question.js';
export type { DeletedRecord } from './core/life-events.js';
export {
  createLinkSigner,
  type LinkSigner,
  type LinkSignerOptions,
  type LinkTokenClaims,
} from './core/link-signer.js';
export type { ClaimlinkOptions } from './core/options.js';
export type { PhotosOptions } from './core/photo-options.js';
export type * from './core/photo-store.js';
export type { SentPhoto } from './core/photos.js';
export type { QrCodeOptions } from './core/qr-code.js';
export { type AnswerKind, isSameAnswer } from './core/same-answer.js';
export type {
  HmacAlgorithm,
  KeyPairAlgorithm,
  LinkAlgorithm,
  PrivateSigningKey,
  PublicSigningKey,
  SecretSigningKey,
  SigningKey,
} from './core/signing-keys.js';
export type * from './core/storage.js';
export { type DeliveryTrace, type StorageTrace, TRACING_CHANNELS } from './core/tracing.js';
export type * from './core/types.js';
export type {
  ClaimProblem,
  StandardSchema,
  StandardSchemaIssue,
  StandardSchemaResult,
  ValidateClaim,
} from './core/validate-claim.js';
export type * from './core/widget.js';
export type { RequestHandling } from './http/handler.js';
export type { CoreRequest, CoreResponse, ProblemResponse } from './http/messages.js';
export type { OpenApiDocument, OpenApiMediaType, OpenApiOperation } from './http/openapi.js';
export type { OpenApiParameter } from './http/operation.js';
export type { PageHeadersOptions } from './http/page-headers.js';
export type { PolicySources } from './http/policy.js';
export type { RequestTrace } from './http/request-trace.js';
export type { Route } from './http/routes.js';
export {
  /** @deprecated Import it from `claimlink/storage`. */
  decodeCursor,
  /** @deprecated Import it from `claimlink/storage`. */
  decodeLinkCursor,
  /** @deprecated Import it from `claimlink/storage`. */
  decodeSubmissionCursor,
  /** @deprecated Import it from `claimlink/storage`. */
  dueMoment,
  /** @deprecated Import it from `claimlink/storage`. */
  encodeCursor,
  /** @deprecated Import it from `claimlink/storage`. */
  encodeLinkCursor,
  /** @deprecated Import it from `claimlink/storage`. */
  encodeSubmissionCursor,
  /** @deprecated Import it from `claimlink/storage`. */
  type LinkLife,
  /** @deprecated Import it from `claimlink/storage`. */
  noticeTime,
  /** @deprecated Import it from `claimlink/storage`. */
  type RecordedLife,
  /** @deprecated Import it from `claimlink/storage`. */
  reduceConfig,
  /** @deprecated Import it from `claimlink/storage`. */
  type StoredLink,
  /** @deprecated Import it from `claimlink/storage`. */
  type SubmissionOrder,
  /** @deprecated Import it from `claimlink/storage`. */
  toDeletedEvents,
  /** @deprecated Import it from `claimlink/storage`. */
  toLinkEvent,
} from './storage/index.js';
export {
  createMemoryStorage,
  type MemoryStorage,
  type MemoryStorageSeed,
  type MemoryStorageSnapshot,
} from './storage/memory.js';
export {
  bindTraceStore,
  type SettledTrace,
  subscribeTraces,
  type TraceListeners,
  type Traces,
} from './tracing.js';
export {
  type BuiltInWidget,
  createStandaloneWidget,
  STEP_KEYS,
  type StandaloneWidgetOptions,
  type StepKey,
} from './widget/index.js';
