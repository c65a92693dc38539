// A whole service for a test: a clock that stands still, one client with a key, memory storage, a fake widget.
import { type Claimlink, composeClaimlink } from '../../lib/claimlink.js';
import { hashAccessCode, issueApiKey } from '../../lib/core/credentials.js';
import { createLinkSigner, type LinkSigner } from '../../lib/core/link-signer.js';
import type { ClaimlinkOptions } from '../../lib/core/options.js';
import type { Storage } from '../../lib/core/storage.js';
import type {
  ClaimSubmission,
  Client,
  FailedRequest,
  FailedSubmission,
  Holder,
  LinkFormat,
  LinkRequest,
  SelectedPolicy,
  Session,
  SubmissionEvent,
} from '../../lib/core/types.js';
import type { Handler } from '../../lib/http/handler.js';
import type { CoreResponse, ProblemResponse } from '../../lib/http/messages.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { createFakeWidget, type FakeWidget } from './fake-widget.js';

export const PUBLIC_URL = 'https://claims.example.com/base';
export const START = new Date('2026-03-02T10:00:00.000Z');
export const CLIENT_ID = 'acme';
export const USER_ID = 'user-1';
export const SECRET = 'a test secret of at least 32 bytes';

/** Options of the service to override, and what is special about this world. */
export interface WorldOptions extends Partial<ClaimlinkOptions> {
  client?: Omit<Client, 'clientId'>;
  /** Format of the tokens of links. */
  format?: LinkFormat;
  /** true: the service has no `onSubmit`. */
  withoutOnSubmit?: boolean;
  /** Puts something between the service and the memory storage. */
  wrapStorage?: (storage: MemoryStorage) => Storage;
}

/** A link as its user has it. */
export interface MintedLink {
  url: string;
  /** Path and query below the mount prefix. */
  target: string;
  accessCode: string;
  token: string;
}

/** What a test may send along. */
export interface Extras {
  headers?: Record<string, string | string[] | undefined>;
  body?: unknown;
}

export interface World {
  claimlink: Claimlink;
  route: Handler['route'];
  begin: Handler['begin'];
  storage: MemoryStorage;
  signer: LinkSigner;
  widget: FakeWidget;
  apiKey: string;
  /** Everything that `onError` got. */
  errors: { error: unknown; request: FailedRequest | undefined; submission?: FailedSubmission }[];
  /** Everything that `onSubmit` got. */
  events: SubmissionEvent[];
  now(): Date;
  advance(milliseconds: number): void;
  /** A request without a key. */
  send(method: string, target: string, extras?: Extras): Promise<CoreResponse>;
  /** A request with the client's key, as JSON. */
  call(method: string, target: string, extras?: Extras): Promise<CoreResponse>;
  list(query?: string, userId?: string): Promise<CoreResponse>;
  /** POST of a link request to the API. */
  requestLink(request: unknown): Promise<CoreResponse>;
  mint(changes?: Partial<LinkRequest>): Promise<MintedLink>;
  open(link: MintedLink, headers?: Record<string, string>): Promise<CoreResponse>;
  submitJson(link: MintedLink, claim?: unknown): Promise<CoreResponse>;
  submitForm(link: MintedLink, claim?: unknown, headers?: Record<string, string>): Promise<CoreResponse>;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { client, format, wrapStorage = (storage) => storage, withoutOnSubmit, ...overrides } = options;
  let time = START.getTime();
  const now = () => new Date(time);
  const storage = createMemoryStorage();
  const { key: apiKey, hash } = issueApiKey();
  await storage.insertClient({ clientId: CLIENT_ID, name: 'Acme Insurance', ...client });
  await storage.insertApiKey({ id: 'key-1', clientId: CLIENT_ID, hash, createdAt: START });
  const signer = createLinkSigner({
    keys: [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }],
    issuer: PUBLIC_URL,
    ...(format && { format }),
  });
  const widget = createFakeWidget();
  const errors: World['errors'] = [];
  const events: SubmissionEvent[] = [];
  const { claimlink, route, begin } = composeClaimlink({
    storage: wrapStorage(storage),
    signer,
    publicUrl: PUBLIC_URL,
    widget,
    now,
    onError: (error, request, submission) =>
      void errors.push({ error, request, ...(submission && { submission }) }),
    ...(!withoutOnSubmit && { onSubmit: (event: SubmissionEvent) => void events.push(event) }),
    ...overrides,
  });

  const send = (method: string, target: string, extras: Extras = {}) =>
    claimlink.handle({ method, url: target, headers: extras.headers ?? {}, body: extras.body });
  const call = (method: string, target: string, { headers, body }: Extras = {}) =>
    send(method, target, {
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
      body,
    });
  const requestLink = (request: unknown) =>
    call('POST', `/${CLIENT_ID}/link`, { body: JSON.stringify(request) });

  return {
    claimlink,
    route,
    begin,
    storage,
    signer,
    widget,
    apiKey,
    errors,
    events,
    now,
    advance: (milliseconds) => {
      time += milliseconds;
    },
    send,
    call,
    list: (query = '', userId = USER_ID) => call('GET', `/${CLIENT_ID}/sessions/${userId}${query}`),
    requestLink,
    async mint(changes) {
      const response = await requestLink(linkRequest(changes));
      if (response.status !== 200) throw new Error(`No link: ${response.body}`);
      return toMintedLink((JSON.parse(response.body) as { data: string }).data);
    },
    open: (link, headers = {}) => send('GET', link.target, { headers }),
    submitJson: (link, body = claim()) =>
      send('POST', link.target, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    submitForm: (link, body = claim(), headers = {}) =>
      send('POST', link.target, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ claim: JSON.stringify(body) }).toString(),
      }),
  };
}

/** A link request with everything that is required. */
export function linkRequest(changes: Partial<LinkRequest> = {}): LinkRequest {
  return {
    callbackUrl: 'https://app.example.com/done',
    config: {
      contact: { email: 'help@example.com', phone: '+44 20 7946 0000' },
      currentUserId: USER_ID,
    },
    ...changes,
  };
}

/** A claim with every member of the policy that a client requires by default. */
interface CompleteClaim extends ClaimSubmission {
  policy: ClaimSubmission['policy'] &
    Omit<SelectedPolicy, 'holder' | 'linkedContacts'> & { holder: Omit<Holder, 'id'> };
}

/** A claim with everything that is required. */
export function claim(changes: Partial<CompleteClaim> = {}): CompleteClaim {
  return {
    policy: {
      number: 'P-100',
      provider: 'Acme',
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      holder: { firstName: 'Ada', lastName: 'Lovelace', phone: '+44 1', email: 'ada@example.com' },
      vehicle: { licensePlate: 'B-CL 2026' },
    },
    ...changes,
  };
}

/** A session as a storage holds it. */
export function storedSession(changes: Partial<Session> = {}): Session {
  return {
    reference: 'S-1',
    date: new Date('2026-02-01T12:34:56.789Z'),
    camsReference: 'C-1',
    status: 'submitted',
    createdAt: new Date('2026-02-01T12:00:59.999Z'),
    selectedPolicy: {
      number: 'P-100',
      provider: 'Acme',
      holder: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        id: USER_ID,
        phone: '+44 1',
        email: 'ada@example.com',
      },
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      linkedContacts: [{ firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com' }],
      vehicle: { licensePlate: 'B-CL 2026' },
    },
    ...changes,
  };
}

/** The parts of an access URL. */
export function toMintedLink(url: string): MintedLink {
  const target = url.slice(PUBLIC_URL.length);
  const [, accessCode = '', token = ''] = /^\/verify\/([^?]+)\?token=(.+)$/.exec(target) ?? [];
  return { url, target, accessCode, token };
}

/** The body of a problem. */
export function problemOf(response: CoreResponse): ProblemResponse {
  return JSON.parse(response.body) as ProblemResponse;
}

/** Status and code of a problem, to compare in one go. */
export function outcomeOf(response: CoreResponse): string {
  const isProblem = response.headers['content-type']?.startsWith('application/problem+json');
  return isProblem ? `${response.status} ${problemOf(response).code}` : String(response.status);
}

/** The references of a listing, in its order. */
export function referencesOf(response: CoreResponse): string[] {
  return (JSON.parse(response.body) as { reference: string }[]).map(({ reference }) => reference);
}

/** What a storage knows of a link. */
export function storedLink({ storage }: World, { accessCode }: MintedLink) {
  return storage.findLink({ clientId: CLIENT_ID, accessCodeHash: hashAccessCode(accessCode) });
}

/** Returns a storage that adds the name of each called method to `calls`. */
export function recordCalls<S extends object>(storage: S, calls: string[]): S {
  return new Proxy(storage, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(method, target, args);
      };
    },
  });
}
