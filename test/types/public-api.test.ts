// The public surface: what is exported, and the types that users build on. Checked by `tsc -p tsconfig.json`.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyPluginCallback } from 'fastify';
import t from 'tap';
import type claimlinkPlugin from '../../lib/adapters/fastify.js';
import type { ClaimlinkPluginOptions } from '../../lib/adapters/fastify.js';
import * as fastifyEntry from '../../lib/adapters/fastify.js';
import * as fetchEntry from '../../lib/adapters/fetch.js';
import type { NodeHandler } from '../../lib/adapters/node.js';
import * as nodeEntry from '../../lib/adapters/node.js';
import type { RuleProblem } from '../../lib/core/errors.js';
import type {
  Administration,
  AdminStorage,
  ApiKey,
  Awaitable,
  BuiltInWidget,
  CheckStorage,
  Claimlink,
  ClaimlinkError,
  ClaimlinkOptions,
  Client,
  ClientSessionPage,
  ClientSettings,
  ClientStorage,
  ClientUpdate,
  CoreRequest,
  CoreResponse,
  CredentialCacheOptions,
  CursorPosition,
  DeletedRecords,
  DeliveryResult,
  ErrorCode,
  ErrorRule,
  HostRule,
  IdempotencyStorage,
  KeyUseStorage,
  LifeStorage,
  Link,
  LinkDetails,
  LinkHistory,
  LinkPage,
  LinkPosition,
  LinkRequest,
  LinkSigner,
  LinkTokenClaims,
  MemoryStorage,
  MemoryStorageSeed,
  MemoryStorageSnapshot,
  OpenLink,
  PageHeadersOptions,
  PolicySources,
  Problem,
  RecipientProof,
  RecordStorage,
  RequestTrace,
  SearchStorage,
  Session,
  SessionChanges,
  SessionPage,
  SessionRecord,
  SigningKey,
  StandaloneWidget,
  StandaloneWidgetOptions,
  Storage,
  StorageTrace,
  Submission,
  SubmissionEvent,
  SubmissionPosition,
  Traces,
  UserExport,
} from '../../lib/index.js';
import * as entry from '../../lib/index.js';
import * as photosEntry from '../../lib/photos/index.js';
import type { StoredLink } from '../../lib/storage/index.js';
import * as storageEntry from '../../lib/storage/index.js';
import type { ConformanceCase, ContractCase, ContractTarget, StorageCase } from '../../lib/testing/index.js';
import * as testingEntry from '../../lib/testing/index.js';
import type {
  MockControl,
  MockFetch,
  MockFetchOptions,
  MockServer,
  MockServerOptions,
  SnapshotInfo,
} from '../../mock-server/index.js';
import * as mockEntry from '../../mock-server/index.js';
import { type Equal, expectAll } from './equality.js';

type Optional<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
type Required<T> = Exclude<keyof T, Optional<T>>;

/** Only type-checked, never called: each line is a use that must compile, or must not. */
function uses(
  claimlink: Claimlink,
  options: ClaimlinkOptions,
  storage: AdminStorage,
  link: LinkRequest,
): void {
  // A seed and a storage fit where they are documented.
  void ({ storage, signer: options.signer, publicUrl: '' } satisfies ClaimlinkOptions);
  void ({ clients: [{ clientId: 'a' }] } satisfies MemoryStorageSeed);

  // @ts-expect-error pins: there is no silent in-memory default, a storage is required
  void ({ signer: options.signer, publicUrl: '' } satisfies ClaimlinkOptions);
  // @ts-expect-error pins: publicUrl is required, it is never taken from a Host header
  void ({ storage, signer: options.signer } satisfies ClaimlinkOptions);
  // @ts-expect-error pins: a misspelt option does not compile
  void ({ storage, signer: options.signer, publicUrl: '', linkTTLSeconds: 60 } satisfies ClaimlinkOptions);
  // @ts-expect-error pins: `widget: true` means nothing
  void ({ storage, signer: options.signer, publicUrl: '', widget: true } satisfies ClaimlinkOptions);
  // @ts-expect-error pins: an optional member of a record is absent, not undefined (exactOptionalPropertyTypes)
  void ({ clientId: 'a', name: undefined } satisfies Client);
  // @ts-expect-error pins: currentUserId is required in standalone mode
  void ({ contact: { email: '', phone: '' } } satisfies LinkRequest['config']);
  // Each kind of key compiles.
  void ({ kid: 'k', algorithm: 'HS512', secret: new Uint8Array(64) } satisfies SigningKey);
  void ({ kid: 'k', algorithm: 'RS256', privateKey: '' } satisfies SigningKey);
  void ({ kid: 'k', algorithm: 'PS256', privateKey: '', publicKey: '' } satisfies SigningKey);
  void ({ kid: 'k', algorithm: 'ES256', publicKey: '' } satisfies SigningKey);
  // @ts-expect-error pins: algorithms are a closed list, none is not among them
  void ({ kid: 'k', algorithm: 'none', secret: '' } satisfies SigningKey);
  // @ts-expect-error pins: EdDSA is not offered, jsonwebtoken cannot sign it
  void ({ kid: 'k', algorithm: 'EdDSA', privateKey: '' } satisfies SigningKey);
  // @ts-expect-error pins: an HMAC algorithm needs a secret
  void ({ kid: 'k', algorithm: 'HS256' } satisfies SigningKey);
  // @ts-expect-error pins: an HMAC algorithm takes no PEM key
  void ({ kid: 'k', algorithm: 'HS256', privateKey: '' } satisfies SigningKey);
  // @ts-expect-error pins: a secret and a PEM key do not go together
  void ({ kid: 'k', algorithm: 'HS256', secret: '', publicKey: '' } satisfies SigningKey);
  // @ts-expect-error pins: RSA and EC take no secret
  void ({ kid: 'k', algorithm: 'RS256', secret: '' } satisfies SigningKey);
  // @ts-expect-error pins: RSA and EC need a private or a public key
  void ({ kid: 'k', algorithm: 'ES256' } satisfies SigningKey);
  // @ts-expect-error pins: every problem names its rule
  void ({ pointer: '/callbackUrl', detail: 'is required' } satisfies Problem);
  // @ts-expect-error pins: rules are a closed list
  void ('misspelt' satisfies ErrorRule);
  void ('callback_origin' satisfies ErrorRule);
  // @ts-expect-error pins: the route table cannot be replaced
  claimlink.routes = [];
  // @ts-expect-error pins: the route table cannot be added to
  claimlink.routes.push();
  // @ts-expect-error pins: what a page holds is read-only
  void claimlink.listSessions('a', 'b').then(({ sessions }) => sessions.push());
  // @ts-expect-error pins: a run-time storage need not be provisionable
  void (options.storage satisfies AdminStorage);
  // @ts-expect-error pins: the plugin needs a service
  void ({} satisfies ClaimlinkPluginOptions);
  // @ts-expect-error pins: codes are a closed list
  void ('teapot' satisfies ErrorCode);
  void claimlink.createLink('a', link);
  // onError gets the instance of the response.
  void ({ ...options, onError: (_error, request) => request?.instance.length } satisfies ClaimlinkOptions);
  // @ts-expect-error pins: what redact returns has no instance
  void claimlink.redact({ method: '', url: '' }).instance;
  void claimlink.redact({ method: '', url: '' }, { basePath: '/claims' }).path.length;
  // @ts-expect-error pins: a misspelt option of redact
  void claimlink.redact({ method: '', url: '' }, { prefix: '/claims' });
  void (entry.TRACING_CHANNELS.request satisfies 'claimlink:request');
  // @ts-expect-error pins: the context of a request holds no user id
  void ({ userId: '' } satisfies RequestTrace);
  // @ts-expect-error pins: the context of a storage call holds no arguments
  void ({ method: '', argument: {} } satisfies StorageTrace);
  // A listener needs no cast: at the end of a call, the status and the duration are set.
  entry.subscribeTraces('request', {
    asyncEnd: ({ status, durationMs, code }) => void [status + durationMs, code?.length],
    // @ts-expect-error pins: at the start there is no status yet
    start: ({ status }) => void status.toFixed(),
  });
  // @ts-expect-error pins: a storage call has no status
  entry.subscribeTraces('storage', { asyncEnd: ({ method, status }) => void [method, status] });
  // @ts-expect-error pins: names of channels are a closed list
  entry.subscribeTraces('claimlink:request', {});
  entry.bindTraceStore('storage', new AsyncLocalStorage<string>(), ({ method }) => method);
}

/** Names of `claimlink/storage` that `claimlink` exports for one version more. */
const DEPRECATED = [
  'decodeCursor',
  'decodeLinkCursor',
  'decodeSubmissionCursor',
  'dueMoment',
  'encodeCursor',
  'encodeLinkCursor',
  'encodeSubmissionCursor',
  'noticeTime',
  'reduceConfig',
  'toDeletedEvents',
  'toLinkEvent',
];

t.test('the entry exports exactly these names', async (t) => {
  const names = Object.keys(entry).filter((name) => !DEPRECATED.includes(name));
  t.strictSame(names.sort(), [
    'ClaimlinkError',
    'ERRORS',
    'STEP_KEYS',
    'TRACING_CHANNELS',
    'bindTraceStore',
    'createClaimlink',
    'createLinkSigner',
    'createMemoryStorage',
    'createStandaloneWidget',
    'deliveryError',
    'hashAccessCode',
    'hashApiKey',
    'isClaimlinkError',
    'isSameAnswer',
    'issueApiKey',
    'subscribeTraces',
  ]);
});

t.test('the other entries export exactly these names', async (t) => {
  t.strictSame(Object.keys(fastifyEntry), ['default']);
  t.strictSame(Object.keys(nodeEntry), ['createNodeHandler']);
  t.strictSame(Object.keys(fetchEntry), ['createFetchHandler']);
  t.strictSame(Object.keys(storageEntry).sort(), ['changedClient', ...DEPRECATED]);
  t.strictSame(Object.keys(testingEntry).sort(), [
    'NotApplicableError',
    'contractSuite',
    'isNotApplicable',
    'isRuleFailure',
    'photoStoreSuite',
    'storageSuite',
  ]);
  t.strictSame(Object.keys(photosEntry), ['createFolderStore', 'fromS3']);
  t.strictSame(Object.keys(mockEntry).sort(), [
    'MockControlError',
    'createMockFetch',
    'loadScenario',
    'startMockServer',
  ]);
});

/** Factories have the documented types. */
expectAll<{
  createClaimlink: Equal<typeof entry.createClaimlink, (options: ClaimlinkOptions) => Claimlink>;
  'an optional seed': Equal<typeof entry.createMemoryStorage, (seed?: MemoryStorageSeed) => MemoryStorage>;
  'a method beside those of the port': Equal<MemoryStorage['snapshot'], () => MemoryStorageSnapshot>;
  'a snapshot, or another seed': Equal<MemoryStorage['restore'], (snapshot: MemoryStorageSeed) => void>;
  'a link and a moment, as revokeLink has': Equal<
    Parameters<MemoryStorage['expireLink']>,
    Parameters<AdminStorage['revokeLink']>
  >;
  'a storage like any other': MemoryStorage extends AdminStorage ? true : false;
  'a snapshot is a seed': MemoryStorageSnapshot extends MemoryStorageSeed ? true : false;
  'a snapshot is complete': Equal<Optional<MemoryStorageSnapshot>, never>;
  'a link may have a session, attempts, an idempotency and a life': Equal<
    Optional<StoredLink>,
    'session' | 'attempts' | 'idempotency' | 'life'
  >;
  credentialCache: Equal<ClaimlinkOptions['credentialCache'], CredentialCacheOptions | undefined>;
  createLinkSigner: Equal<ReturnType<typeof entry.createLinkSigner>, LinkSigner>;
  'every channel has the type of its context': Equal<keyof Traces, keyof typeof entry.TRACING_CHANNELS>;
  issueApiKey: Equal<typeof entry.issueApiKey, () => { key: string; hash: string }>;
  createStandaloneWidget: Equal<
    typeof entry.createStandaloneWidget,
    (options?: StandaloneWidgetOptions) => BuiltInWidget
  >;
  'a type guard': Equal<typeof entry.isClaimlinkError, (error: unknown) => error is ClaimlinkError>;
}>();

/** The methods of a service have the documented types. */
expectAll<{
  handle: Equal<Claimlink['handle'], (request: CoreRequest) => Promise<CoreResponse>>;
  listSessions: Equal<ReturnType<Claimlink['listSessions']>, Promise<SessionPage>>;
  createLink: Equal<
    ReturnType<Claimlink['createLink']>,
    Promise<{ url: string; linkId: string; expiresAt: Date }>
  >;
  openLink: Equal<
    Claimlink['openLink'],
    (accessCode: string, token: string, proof?: RecipientProof) => Promise<OpenLink>
  >;
  'what submitClaim takes': Equal<
    Parameters<Claimlink['submitClaim']>,
    [accessCode: string, token: string, claim: unknown, proof?: RecipientProof | undefined]
  >;
  'what submitClaim gives': Equal<ReturnType<Claimlink['submitClaim']>, Promise<Submission>>;
  revokeLink: Equal<ReturnType<Claimlink['revokeLink']>, Promise<boolean>>;
  deliverPending: Equal<Claimlink['deliverPending'], () => Promise<DeliveryResult>>;
  'what deliverPending counts': Equal<
    keyof DeliveryResult,
    'delivered' | 'failedAttempts' | 'pending' | 'failed'
  >;
  idle: Equal<Claimlink['idle'], () => Promise<void>>;
  pageHeaders: Equal<Claimlink['pageHeaders'], (options: PageHeadersOptions) => Record<string, string>>;
  'what pageHeaders takes': Equal<
    PageHeadersOptions,
    { nonce: string; link?: OpenLink; sources?: PolicySources }
  >;
  'revokeLink takes a linkId, not an access code': Equal<
    Parameters<Claimlink['revokeLink']>,
    [clientId: string, linkId: string]
  >;
  revokeLinks: Equal<ReturnType<Claimlink['revokeLinks']>, Promise<number>>;
  listLinks: Equal<ReturnType<Claimlink['listLinks']>, Promise<LinkPage>>;
  'what a host may change': Equal<keyof SessionChanges, 'status' | 'camsReference'>;
  findSession: Equal<ReturnType<Claimlink['findSession']>, Promise<SessionRecord | undefined>>;
  findSessions: Equal<ReturnType<Claimlink['findSessions']>, Promise<readonly SessionRecord[]>>;
  findLink: Equal<ReturnType<Claimlink['findLink']>, Promise<LinkDetails | undefined>>;
  findLinks: Equal<ReturnType<Claimlink['findLinks']>, Promise<readonly LinkDetails[]>>;
  'the service is an administration': Claimlink extends Administration ? true : false;
  updateSession: Equal<ReturnType<Claimlink['updateSession']>, Promise<Session | undefined>>;
  listClientSessions: Equal<ReturnType<Claimlink['listClientSessions']>, Promise<ClientSessionPage>>;
  exportUser: Equal<ReturnType<Claimlink['exportUser']>, Promise<UserExport>>;
  deleteUser: Equal<ReturnType<Claimlink['deleteUser']>, Promise<DeletedRecords>>;
  'a RecordStorage has all of its methods': Equal<Optional<RecordStorage>, never>;
  'a SearchStorage has all of its methods': Equal<Optional<SearchStorage>, never>;
  'a CheckStorage has all of its methods': Equal<Optional<CheckStorage>, never>;
  unlockLink: Equal<Claimlink['unlockLink'], (clientId: string, linkId: string) => Promise<boolean>>;
  'an IdempotencyStorage has all of its methods': Equal<Optional<IdempotencyStorage>, never>;
  'a LifeStorage has all of its methods': Equal<Optional<LifeStorage>, never>;
  linkHistory: Equal<ReturnType<Claimlink['linkHistory']>, Promise<LinkHistory | undefined>>;
  'a KeyUseStorage has all of its methods': Equal<Optional<KeyUseStorage>, never>;
  'a ClientStorage has all of its methods': Equal<Optional<ClientStorage>, never>;
  'a change names each member, or removes it by null': Equal<
    Parameters<Claimlink['updateClient']>,
    [change: ClientUpdate]
  >;
  'no method of the administration may be missing': Equal<Optional<Administration>, never>;
}>();

/** Required and optional members stay as they are. */
expectAll<{
  'a newly required option': Equal<Required<ClaimlinkOptions>, 'storage' | 'signer' | 'publicUrl'>;
  'a method of the service that may be missing': Equal<Optional<Claimlink>, never>;
  'a storage method that may be missing, or close that may not': Equal<Optional<Storage>, 'close'>;
  'a documented session member that may be missing': Equal<
    Optional<Session>,
    'incident' | 'extra' | 'link' | 'notice'
  >;
  'a session member that is not documented and not optional': Equal<
    Required<Session>,
    'reference' | 'date' | 'camsReference' | 'status' | 'createdAt' | 'selectedPolicy'
  >;
  'a newly required member of the link request': Equal<Required<LinkRequest>, 'callbackUrl' | 'config'>;
  'a newly required member of config': Equal<Required<LinkRequest['config']>, 'contact' | 'currentUserId'>;
  'a user id of one type only': Equal<LinkRequest['config']['currentUserId'], string | number>;
  'a member of an open link that may be missing': Equal<
    Optional<OpenLink>,
    'clientName' | 'locale' | 'branding' | 'frameAncestors' | 'settings'
  >;
  'settings of the client as the client has them': Equal<
    Pick<OpenLink, 'locale' | 'branding' | 'frameAncestors' | 'settings'>,
    Pick<Client, 'locale' | 'branding' | 'frameAncestors' | 'settings'>
  >;
  'a member of a submission that may be missing': Equal<Optional<Submission>, 'redirectUrl' | 'unchanged'>;
  'a newly required method of a signer': Equal<Optional<LinkSigner>, 'derive'>;
  'a claim that a signer may leave out': Equal<Optional<LinkTokenClaims>, 'issuedAt'>;
  'a newly required method of a widget': Equal<
    Optional<StandaloneWidget>,
    'locales' | 'renderChanged' | 'renderCheck'
  >;
  'a page that the built-in widget may lack': Equal<Optional<BuiltInWidget>, never>;
  'a newly required member of a client': Equal<Required<Client>, 'clientId'>;
  'settings of another type': Equal<Client['settings'], ClientSettings | undefined>;
  'a setting without a default': Equal<Required<ClientSettings>, never>;
  'a key that is stored in clear': Equal<Required<ApiKey>, 'id' | 'clientId' | 'hash' | 'createdAt'>;
  'a submission event with more in it': Equal<
    keyof SubmissionEvent,
    'type' | 'id' | 'attempt' | 'clientId' | 'userId' | 'linkId' | 'session'
  >;
}>();

/** Storages may return a value or a promise. */
expectAll<{
  'a plain value': Equal<ReturnType<Storage['findClient']>, Awaitable<Client | undefined>>;
  'a value': Client extends Awaitable<Client> ? true : false;
  'a promise': Promise<Client> extends Awaitable<Client> ? true : false;
  'an AdminStorage is a Storage': AdminStorage extends Storage ? true : false;
  'a session with its owner': Equal<Parameters<AdminStorage['insertSession']>, [session: SessionRecord]>;
}>();

/** A storage of a host can use the functions of the built-in ones. */
expectAll<{
  'a session is a position': Equal<typeof storageEntry.encodeCursor, (position: CursorPosition) => string>;
  decodeCursor: Equal<typeof storageEntry.decodeCursor, (cursor: string) => CursorPosition>;
  'a link is a position': Equal<typeof storageEntry.encodeLinkCursor, (position: LinkPosition) => string>;
  decodeLinkCursor: Equal<typeof storageEntry.decodeLinkCursor, (cursor: string) => LinkPosition>;
  'a session with its number is a position': Equal<
    typeof storageEntry.encodeSubmissionCursor,
    (position: SubmissionPosition) => string
  >;
  decodeSubmissionCursor: Equal<
    typeof storageEntry.decodeSubmissionCursor,
    (cursor: string) => SubmissionPosition
  >;
  'a position with more than a session has': Session extends CursorPosition ? true : false;
  'a position with more than a link has': Link extends LinkPosition ? true : false;
  'a position with more than a session and its number': SessionRecord & {
    sequence: number;
  } extends SubmissionPosition
    ? true
    : false;
  reduceConfig: Equal<typeof storageEntry.reduceConfig, (config: Link['config']) => Link['config']>;
}>();

/** Errors have closed lists of codes and rules. */
expectAll<{
  'the table is the list': Equal<ErrorCode, keyof typeof entry.ERRORS>;
  'a code that is any string': Equal<ClaimlinkError['code'], ErrorCode>;
  problems: Equal<ClaimlinkError['problems'], readonly Problem[] | undefined>;
  'a rule of claimlink that is any string': Equal<RuleProblem['rule'], ErrorRule>;
  'a rule without suggestions': Equal<Problem['rule'], ErrorRule | HostRule>;
  'a problem without rule or detail': Equal<Required<Problem>, 'rule' | 'detail'>;
}>();

/** The adapters fit their frameworks. */
expectAll<{
  Fastify: typeof claimlinkPlugin extends FastifyPluginCallback<ClaimlinkPluginOptions> ? true : false;
  'node:http, Connect and Express': Equal<
    NodeHandler,
    (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void
  >;
  fetch: Equal<ReturnType<typeof fetchEntry.createFetchHandler>, (request: Request) => Promise<Response>>;
}>();

/** A mock needs no option, and has the same control with and without a port. */
expectAll<{
  options: Equal<Parameters<typeof mockEntry.startMockServer>[0], MockServerOptions | undefined>;
  startMockServer: Equal<ReturnType<typeof mockEntry.startMockServer>, Promise<MockServer>>;
  'a newly required option': Equal<Required<MockServerOptions>, never>;
  'an option of the world is missing': MockServerOptions extends MockFetchOptions ? true : false;
  'no port': Equal<Parameters<typeof mockEntry.createMockFetch>[0], MockFetchOptions | undefined>;
  createMockFetch: Equal<ReturnType<typeof mockEntry.createMockFetch>, MockFetch>;
  'a mock fetch is a fetch function': MockFetch extends typeof fetch ? true : false;
  'await using': MockServer extends MockControl & AsyncDisposable ? true : false;
  'the same control': MockFetch extends MockControl ? true : false;
  'an action that may be missing': Equal<Optional<MockControl>, never>;
  'a snapshot is opaque': Equal<keyof SnapshotInfo, 'name' | 'clientId' | 'takenAt'>;
}>();

/** The conformance suites are runner-neutral. */
expectAll<{
  storageSuite: Equal<ReturnType<typeof testingEntry.storageSuite>, StorageCase[]>;
  'the interfaces that a case may need': Equal<
    StorageCase['needs'],
    | 'Storage'
    | 'AdminStorage'
    | 'OutboxStorage'
    | 'RecordStorage'
    | 'SearchStorage'
    | 'CheckStorage'
    | 'IdempotencyStorage'
    | 'LifeStorage'
    | 'KeyUseStorage'
    | 'ClientStorage'
  >;
  'a storage case is a conformance case': StorageCase extends ConformanceCase ? true : false;
  'a case is a name and a function': Equal<ConformanceCase, { name: string; run(): Promise<void> }>;
  contractSuite: Equal<typeof testingEntry.contractSuite, (target: ContractTarget) => ContractCase[]>;
  'a newly required member of a target': Equal<Required<ContractTarget>, 'baseUrl' | 'clientId' | 'apiKey'>;
  'a case like any other': ContractCase extends ConformanceCase ? true : false;
}>();

void uses;
