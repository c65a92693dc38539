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
import type {
  Administration,
  AdminStorage,
  ApiKey,
  Awaitable,
  BuiltInWidget,
  Claimlink,
  ClaimlinkError,
  ClaimlinkOptions,
  Client,
  ClientSessionPage,
  ClientSettings,
  CoreRequest,
  CoreResponse,
  CredentialCacheOptions,
  CursorPosition,
  DeletedRecords,
  DeliveryResult,
  ErrorCode,
  ErrorRule,
  Link,
  LinkDetails,
  LinkPage,
  LinkPosition,
  LinkRequest,
  LinkSigner,
  MemoryStorage,
  MemoryStorageSeed,
  MemoryStorageSnapshot,
  OpenLink,
  PageHeadersOptions,
  PolicySources,
  Problem,
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
  StoredLink,
  Submission,
  SubmissionEvent,
  SubmissionPosition,
  Traces,
  UserExport,
} from '../../lib/index.js';
import * as entry from '../../lib/index.js';
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
import { type Equal, expectTrue } from './equality.js';

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

t.test('the entry exports exactly these names', async (t) => {
  t.strictSame(Object.keys(entry).sort(), [
    'ClaimlinkError',
    'ERRORS',
    'STEP_KEYS',
    'TRACING_CHANNELS',
    'bindTraceStore',
    'createClaimlink',
    'createLinkSigner',
    'createMemoryStorage',
    'createStandaloneWidget',
    'decodeCursor',
    'decodeLinkCursor',
    'decodeSubmissionCursor',
    'encodeCursor',
    'encodeLinkCursor',
    'encodeSubmissionCursor',
    'hashAccessCode',
    'hashApiKey',
    'isClaimlinkError',
    'issueApiKey',
    'reduceConfig',
    'subscribeTraces',
  ]);
});

t.test('the other entries export exactly these names', async (t) => {
  t.strictSame(Object.keys(fastifyEntry), ['default']);
  t.strictSame(Object.keys(nodeEntry), ['createNodeHandler']);
  t.strictSame(Object.keys(fetchEntry), ['createFetchHandler']);
  t.strictSame(Object.keys(testingEntry).sort(), [
    'NotApplicableError',
    'contractSuite',
    'isNotApplicable',
    'isRuleFailure',
    'storageSuite',
  ]);
  t.strictSame(Object.keys(mockEntry).sort(), [
    'MockControlError',
    'createMockFetch',
    'loadScenario',
    'startMockServer',
  ]);
});

t.test('factories have the documented types', async (t) => {
  expectTrue<Equal<typeof entry.createClaimlink, (options: ClaimlinkOptions) => Claimlink>>(
    'createClaimlink',
  );
  expectTrue<Equal<typeof entry.createMemoryStorage, (seed?: MemoryStorageSeed) => MemoryStorage>>(
    'an optional seed',
  );
  expectTrue<Equal<MemoryStorage['snapshot'], () => MemoryStorageSnapshot>>(
    'a method beside those of the port',
  );
  expectTrue<Equal<MemoryStorage['restore'], (snapshot: MemoryStorageSeed) => void>>(
    'a snapshot, or another seed',
  );
  expectTrue<Equal<Parameters<MemoryStorage['expireLink']>, Parameters<AdminStorage['revokeLink']>>>(
    'a link and a moment, as revokeLink has',
  );
  expectTrue<MemoryStorage extends AdminStorage ? true : false>('a storage like any other');
  expectTrue<MemoryStorageSnapshot extends MemoryStorageSeed ? true : false>('a snapshot is a seed');
  expectTrue<Equal<Optional<MemoryStorageSnapshot>, never>>('a snapshot is complete');
  expectTrue<Equal<Optional<StoredLink>, 'session'>>('a link that is not submitted has no session');
  expectTrue<Equal<ClaimlinkOptions['credentialCache'], CredentialCacheOptions | undefined>>(
    'credentialCache',
  );
  expectTrue<Equal<ReturnType<typeof entry.createLinkSigner>, LinkSigner>>('createLinkSigner');
  expectTrue<Equal<keyof Traces, keyof typeof entry.TRACING_CHANNELS>>(
    'every channel has the type of its context',
  );
  expectTrue<Equal<typeof entry.issueApiKey, () => { key: string; hash: string }>>('issueApiKey');
  expectTrue<
    Equal<typeof entry.createStandaloneWidget, (options?: StandaloneWidgetOptions) => BuiltInWidget>
  >('createStandaloneWidget');
  expectTrue<Equal<typeof entry.isClaimlinkError, (error: unknown) => error is ClaimlinkError>>(
    'a type guard',
  );
  t.pass('type-checked');
});

t.test('the methods of a service have the documented types', async (t) => {
  expectTrue<Equal<Claimlink['handle'], (request: CoreRequest) => Promise<CoreResponse>>>('handle');
  expectTrue<Equal<ReturnType<Claimlink['listSessions']>, Promise<SessionPage>>>('listSessions');
  expectTrue<
    Equal<ReturnType<Claimlink['createLink']>, Promise<{ url: string; linkId: string; expiresAt: Date }>>
  >('createLink');
  expectTrue<Equal<Claimlink['openLink'], (accessCode: string, token: string) => Promise<OpenLink>>>(
    'openLink',
  );
  expectTrue<
    Equal<Parameters<Claimlink['submitClaim']>, [accessCode: string, token: string, claim: unknown]>
  >('what submitClaim takes');
  expectTrue<Equal<ReturnType<Claimlink['submitClaim']>, Promise<Submission>>>('what submitClaim gives');
  expectTrue<Equal<ReturnType<Claimlink['revokeLink']>, Promise<boolean>>>('revokeLink');
  expectTrue<Equal<Claimlink['deliverPending'], () => Promise<DeliveryResult>>>('deliverPending');
  expectTrue<Equal<keyof DeliveryResult, 'delivered' | 'failedAttempts' | 'pending' | 'failed'>>(
    'what deliverPending counts',
  );
  expectTrue<Equal<Claimlink['idle'], () => Promise<void>>>('idle');
  expectTrue<Equal<Claimlink['pageHeaders'], (options: PageHeadersOptions) => Record<string, string>>>(
    'pageHeaders',
  );
  expectTrue<Equal<PageHeadersOptions, { nonce: string; link?: OpenLink; sources?: PolicySources }>>(
    'what pageHeaders takes',
  );
  expectTrue<Equal<Parameters<Claimlink['revokeLink']>, [clientId: string, linkId: string]>>(
    'revokeLink takes a linkId, not an access code',
  );
  expectTrue<Equal<ReturnType<Claimlink['revokeLinks']>, Promise<number>>>('revokeLinks');
  expectTrue<Equal<ReturnType<Claimlink['listLinks']>, Promise<LinkPage>>>('listLinks');
  expectTrue<Equal<keyof SessionChanges, 'status' | 'camsReference'>>('what a host may change');
  expectTrue<Equal<ReturnType<Claimlink['findSession']>, Promise<SessionRecord | undefined>>>('findSession');
  expectTrue<Equal<ReturnType<Claimlink['updateSession']>, Promise<Session | undefined>>>('updateSession');
  expectTrue<Equal<ReturnType<Claimlink['listClientSessions']>, Promise<ClientSessionPage>>>(
    'listClientSessions',
  );
  expectTrue<Equal<ReturnType<Claimlink['exportUser']>, Promise<UserExport>>>('exportUser');
  expectTrue<Equal<ReturnType<Claimlink['deleteUser']>, Promise<DeletedRecords>>>('deleteUser');
  expectTrue<Equal<ReturnType<Claimlink['findSessions']>, Promise<readonly SessionRecord[]>>>('findSessions');
  expectTrue<Equal<ReturnType<Claimlink['findLink']>, Promise<LinkDetails | undefined>>>('findLink');
  expectTrue<Equal<ReturnType<Claimlink['findLinks']>, Promise<readonly LinkDetails[]>>>('findLinks');
  expectTrue<Claimlink extends Administration ? true : false>('the service is an administration');
  expectTrue<Equal<Optional<RecordStorage>, never>>('a RecordStorage has all of its methods');
  expectTrue<Equal<Optional<SearchStorage>, never>>('a SearchStorage has all of its methods');
  expectTrue<Equal<Optional<Administration>, never>>('a method of the administration that may be missing');
  t.pass('type-checked');
});

t.test('required and optional members stay as they are', async (t) => {
  expectTrue<Equal<Required<ClaimlinkOptions>, 'storage' | 'signer' | 'publicUrl'>>(
    'a newly required option',
  );
  expectTrue<Equal<Optional<Claimlink>, never>>('a method of the service that may be missing');
  expectTrue<Equal<Optional<Storage>, 'close'>>(
    'a storage method that may be missing, or close that may not',
  );
  expectTrue<Equal<Optional<Session>, 'incident' | 'extra' | 'link'>>(
    'a documented session member that may be missing',
  );
  expectTrue<
    Equal<
      Required<Session>,
      'reference' | 'date' | 'camsReference' | 'status' | 'createdAt' | 'selectedPolicy'
    >
  >('a session member that is not documented and not optional');
  expectTrue<Equal<Required<LinkRequest>, 'callbackUrl' | 'config'>>(
    'a newly required member of the link request',
  );
  expectTrue<Equal<Required<LinkRequest['config']>, 'contact' | 'currentUserId'>>(
    'a newly required member of config',
  );
  expectTrue<Equal<LinkRequest['config']['currentUserId'], string | number>>('a user id of one type only');
  expectTrue<Equal<Optional<OpenLink>, 'clientName' | 'locale' | 'branding' | 'frameAncestors' | 'settings'>>(
    'a member of an open link that may be missing',
  );
  expectTrue<
    Equal<
      Pick<OpenLink, 'locale' | 'branding' | 'frameAncestors' | 'settings'>,
      Pick<Client, 'locale' | 'branding' | 'frameAncestors' | 'settings'>
    >
  >('settings of the client as the client has them');
  expectTrue<Equal<Optional<Submission>, 'redirectUrl' | 'unchanged'>>(
    'a member of a submission that may be missing',
  );
  expectTrue<Equal<Optional<LinkSigner>, 'derive'>>('a newly required method of a signer');
  expectTrue<Equal<Optional<StandaloneWidget>, 'locales' | 'renderChanged'>>(
    'a newly required method of a widget',
  );
  expectTrue<Equal<Optional<BuiltInWidget>, never>>('a page that the built-in widget may lack');
  expectTrue<Equal<Required<Client>, 'clientId'>>('a newly required member of a client');
  expectTrue<Equal<Client['settings'], ClientSettings | undefined>>('settings of another type');
  expectTrue<Equal<Required<ClientSettings>, never>>('a setting without a default');
  expectTrue<Equal<Required<ApiKey>, 'id' | 'clientId' | 'hash' | 'createdAt'>>(
    'a key that is stored in clear',
  );
  expectTrue<Equal<keyof SubmissionEvent, 'id' | 'attempt' | 'clientId' | 'userId' | 'linkId' | 'session'>>(
    'a submission event with more in it',
  );
  t.pass('type-checked');
});

t.test('storages may return a value or a promise', async (t) => {
  expectTrue<Equal<ReturnType<Storage['findClient']>, Awaitable<Client | undefined>>>('a plain value');
  expectTrue<Client extends Awaitable<Client> ? true : false>('a value');
  expectTrue<Promise<Client> extends Awaitable<Client> ? true : false>('a promise');
  expectTrue<AdminStorage extends Storage ? true : false>('an AdminStorage is a Storage');
  expectTrue<Equal<Parameters<AdminStorage['insertSession']>, [session: SessionRecord]>>(
    'a session with its owner',
  );
  t.pass('type-checked');
});

t.test('a storage of a host can use the functions of the built-in ones', async (t) => {
  expectTrue<Equal<typeof entry.encodeCursor, (position: CursorPosition) => string>>(
    'a session is a position',
  );
  expectTrue<Equal<typeof entry.decodeCursor, (cursor: string) => CursorPosition>>('decodeCursor');
  expectTrue<Equal<typeof entry.encodeLinkCursor, (position: LinkPosition) => string>>(
    'a link is a position',
  );
  expectTrue<Equal<typeof entry.decodeLinkCursor, (cursor: string) => LinkPosition>>('decodeLinkCursor');
  expectTrue<Equal<typeof entry.encodeSubmissionCursor, (position: SubmissionPosition) => string>>(
    'a session with its number is a position',
  );
  expectTrue<Equal<typeof entry.decodeSubmissionCursor, (cursor: string) => SubmissionPosition>>(
    'decodeSubmissionCursor',
  );
  expectTrue<Session extends CursorPosition ? true : false>('a position with more than a session has');
  expectTrue<Link extends LinkPosition ? true : false>('a position with more than a link has');
  expectTrue<SessionRecord & { sequence: number } extends SubmissionPosition ? true : false>(
    'a position with more than a session and its number',
  );
  expectTrue<Equal<typeof entry.reduceConfig, (config: Link['config']) => Link['config']>>('reduceConfig');
  t.pass('type-checked');
});

t.test('errors have closed lists of codes and rules', async (t) => {
  expectTrue<Equal<ErrorCode, keyof typeof entry.ERRORS>>('the table is the list');
  expectTrue<Equal<ClaimlinkError['code'], ErrorCode>>('a code that is any string');
  expectTrue<Equal<ClaimlinkError['problems'], readonly Problem[] | undefined>>('problems');
  expectTrue<Equal<Problem['rule'], ErrorRule>>('a rule that is any string');
  expectTrue<Equal<Required<Problem>, 'rule' | 'detail'>>('a problem without rule or detail');
  t.pass('type-checked');
});

t.test('the adapters fit their frameworks', async (t) => {
  expectTrue<typeof claimlinkPlugin extends FastifyPluginCallback<ClaimlinkPluginOptions> ? true : false>(
    'Fastify',
  );
  expectTrue<
    Equal<NodeHandler, (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void>
  >('node:http, Connect and Express');
  expectTrue<
    Equal<ReturnType<typeof fetchEntry.createFetchHandler>, (request: Request) => Promise<Response>>
  >('fetch');
  t.pass('type-checked');
});

t.test('a mock needs no option, and has the same control with and without a port', async (t) => {
  expectTrue<Equal<Parameters<typeof mockEntry.startMockServer>[0], MockServerOptions | undefined>>(
    'options',
  );
  expectTrue<Equal<ReturnType<typeof mockEntry.startMockServer>, Promise<MockServer>>>('startMockServer');
  expectTrue<Equal<Required<MockServerOptions>, never>>('a newly required option');
  expectTrue<MockServerOptions extends MockFetchOptions ? true : false>('an option of the world is missing');
  expectTrue<Equal<Parameters<typeof mockEntry.createMockFetch>[0], MockFetchOptions | undefined>>('no port');
  expectTrue<Equal<ReturnType<typeof mockEntry.createMockFetch>, MockFetch>>('createMockFetch');
  expectTrue<MockFetch extends typeof fetch ? true : false>('a mock fetch is a fetch function');
  expectTrue<MockServer extends MockControl & AsyncDisposable ? true : false>('await using');
  expectTrue<MockFetch extends MockControl ? true : false>('the same control');
  expectTrue<Equal<Optional<MockControl>, never>>('an action that may be missing');
  expectTrue<Equal<keyof SnapshotInfo, 'name' | 'clientId' | 'takenAt'>>('a snapshot is opaque');
  t.pass('type-checked');
});

t.test('the conformance suites are runner-neutral', async (t) => {
  expectTrue<Equal<ReturnType<typeof testingEntry.storageSuite>, StorageCase[]>>('storageSuite');
  expectTrue<
    Equal<
      StorageCase['needs'],
      'Storage' | 'AdminStorage' | 'OutboxStorage' | 'RecordStorage' | 'SearchStorage'
    >
  >('the interfaces that a case may need');
  expectTrue<StorageCase extends ConformanceCase ? true : false>('a storage case is a conformance case');
  expectTrue<Equal<ConformanceCase, { name: string; run(): Promise<void> }>>(
    'a case is a name and a function',
  );
  expectTrue<Equal<typeof testingEntry.contractSuite, (target: ContractTarget) => ContractCase[]>>(
    'contractSuite',
  );
  expectTrue<Equal<Required<ContractTarget>, 'baseUrl' | 'clientId' | 'apiKey'>>(
    'a newly required member of a target',
  );
  expectTrue<ContractCase extends ConformanceCase ? true : false>('a case like any other');
  t.type(uses, 'function', 'the uses above are type-checked');
});
