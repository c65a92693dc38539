// The clients of a mock, and what they share: default clock, faults of all clients, request log, snapshots, events.
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setInterval } from 'node:timers';
import { composeClaimlink } from '../../lib/claimlink.js';
import {
  ClaimlinkError,
  createLinkSigner,
  createMemoryStorage,
  createStandaloneWidget,
  type FailedRequest,
  hashApiKey,
  isClaimlinkError,
  type LinkRequest,
  type Session,
  type SubmissionEvent,
} from '../../lib/index.js';
import { controlError, invalidValue, persistError, problemAt } from '../control/errors.js';
import type { Scenario, ScenarioSession } from '../control/scenario.js';
import type {
  ClientChange,
  ClientSelection,
  ClockReading,
  MockClient,
  MockClientOptions,
  MockEvent,
  MockLink,
  MockLinkFilter,
  MockStateReport,
  NewMockClient,
} from '../control/types.js';
import {
  checkScenario,
  firstProblems,
  repeatedClients,
  sessionProblems,
  sessionsProblems,
  settingsProblems,
} from '../scenario/scenario-check.js';
import { createSeeder } from '../seed/seed.js';
import { advancing, type ClockChange, readClock, setting } from './clock.js';
import { createEventBus, type OnChange } from './event-bus.js';
import { toScenario, toScenarioClient } from './exported.js';
import { createFaults } from './faults.js';
import {
  completeSession,
  completeSessions,
  type InitialContext,
  initialClient,
  initialDefaultFaults,
} from './initial.js';
import { type JsonPieces, jsonList, jsonObject, toJson } from './json-pieces.js';
import { planChanges } from './later.js';
import {
  type ClockAndFaults,
  createMockClient,
  DEFAULT_LIMIT,
  type InitialClient,
  type MockClientState,
  type MockService,
  type SharedParts,
} from './mock-client.js';
import type { ResolvedMockOptions } from './options.js';
import type { PersistFile } from './persist-file.js';
import { createRequestLog } from './request-log.js';
import { createSnapshots, readState, type SavedState, type Snapshot, stringifyState } from './snapshots.js';
import { createWebhook, type WebhookAttempt, WebhookError } from './webhook.js';

const SECRET_BYTES = 32;
const MAX_CLIENTS = 10_000;
/** How often the mock looks for submissions that are due for the webhook. */
const DELIVERY_INTERVAL_MS = 1000;

/** What a mock calls. */
export interface MockListeners {
  onError?(error: unknown, request?: FailedRequest): void;
  /** Called if the mock waits for the lock of its persist file, with a text for people. */
  onWait?(text: string): void;
  /** Called after each attempt to send the webhook. */
  onAttempt?(attempt: WebhookAttempt): void;
}

/** A running mock without HTTP. Methods throw ClaimlinkErrors: `client_not_found` for an unknown client. */
export type Mock = ReturnType<typeof createMock>;

/**
 * Opens a mock. With a persist file it continues where the last mock ended.
 * @param publicUrl start of links, without a trailing slash
 * @throws `options_invalid` for an invalid public URL, and for a persist file that is in use, damaged, or of another seed
 */
export async function openMock(
  options: ResolvedMockOptions,
  publicUrl: string,
  listeners: MockListeners = {},
): Promise<Mock> {
  if (options.persistFile === undefined) return createMock(options, publicUrl, listeners);
  const { openPersistFile } = await import('./persist-file.js');
  const file = await openPersistFile(options.persistFile, listeners);
  try {
    const saved = file.text === undefined ? undefined : readState(options, options.persistFile, file.text);
    const mock = createMock(options, publicUrl, listeners, file, saved);
    // The first write shows whether the file can be written, and saves the secret of the links.
    file.changed();
    await mock.saved();
    return mock;
  } catch (error) {
    await file.release();
    if (isClaimlinkError(error)) throw error;
    throw persistError(error instanceof Error ? error.message : String(error), error);
  }
}

function createMock(
  options: ResolvedMockOptions,
  publicUrl: string,
  { onError = () => {}, onAttempt = () => {} }: MockListeners,
  file?: PersistFile,
  saved?: SavedState,
) {
  const { sessionCount, seed, refDate } = options;
  const count = sessionCount === undefined ? {} : { sessions: sessionCount };
  const seeder = createSeeder({ seed, refDate, ...count });
  const secret = saved === undefined ? randomBytes(SECRET_BYTES) : Buffer.from(saved.secret, 'base64url');
  const signer = createLinkSigner({
    keys: [{ kid: 'mock', algorithm: 'HS256', secret }],
    issuer: publicUrl,
  });
  const events = createEventBus();
  const closing = new AbortController();
  // Each wait and each attempt to send the webhook listens.
  setMaxListeners(0, closing.signal);
  /** The clock of new clients, and the faults of all clients. */
  const defaults: ClockAndFaults = { clock: { offsetMs: 0 }, faults: [], randomCount: 0 };
  const clients = new Map<string, MockClientState>();
  const idsByKeyHash = new Map<string, string>();

  function emit(event: MockEvent): void {
    changed();
    events.emit(event);
  }

  const onChange: OnChange = (clientId, part) => emit({ type: 'changed', clientId, part });

  const find = (clientId: string) => clients.get(clientId);

  /** @throws `client_not_found` */
  function need(clientId: string): MockClientState {
    const client = find(clientId);
    if (client === undefined) throw new ClaimlinkError('client_not_found');
    return client;
  }

  /** Returns the selected client, or all. @throws `client_not_found` */
  const select = ({ clientId }: { clientId?: string | undefined }) =>
    clientId === undefined ? [...clients.values()] : [need(clientId)];

  /** Returns the client with this control token. */
  function findByToken(token: string): MockClientState | undefined {
    const hash = hashApiKey(token);
    return select({}).find(({ tokenHash }) => tokenHash === hash);
  }

  /** Returns why a client cannot be added, if another one has its id, its key or its token. */
  function conflictOf({ clientId, apiKey, controlToken }: MockClientOptions): string | undefined {
    if (clients.has(clientId)) return 'A client with this id exists already';
    if (idsByKeyHash.has(hashApiKey(apiKey))) return 'A client with this API key exists already';
    if (controlToken === undefined) return undefined;
    const isTaken = controlToken === options.controlToken || findByToken(controlToken) !== undefined;
    return isTaken ? 'This control token exists already' : undefined;
  }

  const { webhook: url, webhookSecret = '', linkTtlSeconds, stepKeys, onSubmit } = options;
  const serviceOptions = {
    widget: createStandaloneWidget(),
    onError(error: unknown, request?: FailedRequest) {
      if (!(error instanceof WebhookError)) onError(error, request);
    },
    ...(linkTtlSeconds !== undefined && { linkTtlSeconds }),
    ...(stepKeys && { stepKeys }),
    // A mock calls it at most once.
    ...(onSubmit && { onSubmit, recordSubmissions: false }),
    ...(url !== undefined && { onSubmit: (event: SubmissionEvent) => sendWebhook(event) }),
  };
  const changed = () => file?.changed();
  const systemNow = options.now;
  const parts: SharedParts = { publicUrl, seeder, signer, systemNow, emit, changed, serviceOptions };
  const { activate, reserveIds, ...faults } = createFaults(seed, { find, select }, defaults, onChange);
  const { all, forget, ...snapshots } = createSnapshots(saved?.snapshots ?? [], {
    select,
    take: (selection) => Buffer.concat(take(selection)),
    restore,
    now: (selection) => clock(selection).now,
    onChange,
  });
  const requests = createRequestLog({
    onAdd: (request) => events.emit({ type: 'request', clientId: request.clientId, request }),
    onClear: (clientId) => onChange(clientId, 'requests'),
  });
  const context: InitialContext = { options, publicUrl, seeder, signer, activate };

  /** Serves requests that name no client of this mock. It knows every key, so that a valid one gets a 404, not a 401. */
  const serviceWithoutClient: MockService = composeClaimlink({
    storage: {
      ...createMemoryStorage(),
      findCredentials({ apiKeyHash }) {
        const clientId = idsByKeyHash.get(apiKeyHash);
        return clientId === undefined ? {} : { apiKey: { clientId } };
      },
    },
    signer,
    publicUrl,
    now: () => clock().now,
    ...serviceOptions,
  });

  function register(client: MockClientState): MockClientState {
    clients.set(client.clientId, client);
    idsByKeyHash.set(hashApiKey(client.client.apiKey), client.clientId);
    return client;
  }

  const put = (initial: InitialClient, isConfigured: boolean) =>
    register(createMockClient(initial, isConfigured, parts));

  function drop({ client: { clientId, apiKey } }: MockClientState): void {
    clients.delete(clientId);
    idsByKeyHash.delete(hashApiKey(apiKey));
  }

  /** Removes an added client, and what belongs to it. */
  function remove(client: MockClientState): void {
    drop(client);
    requests.clear({ clientId: client.clientId });
    forget(client.clientId);
  }

  /** Returns the JSON of a `Snapshot`. */
  function take(selection: ClientSelection): JsonPieces {
    return jsonObject({
      clients: jsonList(select(selection).map((client) => client.toJson())),
      ...(selection.clientId === undefined && { defaults: [toJson(defaults)] }),
    });
  }

  /** Restores a snapshot. Without `defaults` it has one client, which exists. */
  function restore(snapshot: Snapshot): void {
    if (snapshot.defaults !== undefined) {
      Object.assign(defaults, snapshot.defaults);
      for (const client of select({})) if (!client.client.isConfigured) drop(client);
    }
    for (const state of snapshot.clients) {
      const { client, clock: clockSetting } = state;
      const existing = find(client.clientId) ?? put(initialClient(context, client, clockSetting), false);
      existing.restore(state);
    }
  }

  function resetDefaults(): void {
    const initialFaults = initialDefaultFaults(context.options).map(activate);
    Object.assign(defaults, { clock: { offsetMs: 0 }, faults: initialFaults, randomCount: 0 });
  }

  function resume({ current, snapshots: named }: SavedState): void {
    for (const { client } of current.clients) {
      if (clients.has(client.clientId)) continue;
      const conflict = conflictOf(client);
      if (conflict !== undefined)
        throw persistError(`${options.persistFile} has the client ${client.clientId}: ${conflict}`);
    }
    restore(current);
    for (const content of [current, ...named.map((snapshot) => snapshot.content)]) {
      for (const each of [...content.clients, content.defaults ?? { faults: [] }]) reserveIds(each.faults);
    }
  }

  /** Reads the clock of a client; without a client the default clock. @throws `client_not_found` */
  function clock({ clientId }: ClientSelection = {}): ClockReading {
    return readClock(
      (clientId === undefined ? defaults : need(clientId).clockAndFaults).clock,
      options.now(),
    );
  }

  /** Changes the selected clocks. Computes all settings first, so that an error changes none. */
  function changeClocks(selection: ClientSelection, change: ClockChange): ClockReading {
    const states = select(selection).map(({ clockAndFaults }) => clockAndFaults);
    if (selection.clientId === undefined) states.unshift(defaults);
    const settings = states.map((state) => change(readClock(state.clock, options.now())));
    for (const [index, state] of states.entries()) state.clock = settings[index] ?? state.clock;
    for (const client of select(selection)) client.applyDue();
    deliverPending(selection);
    onChange(selection.clientId ?? null, 'clock');
    return clock(selection);
  }

  /**
   * Returns a client to add, with generated members in the place of those that are missing.
   * @throws `request_invalid`; `already_exists` for the id or the key of another client
   */
  function completeClient(client: NewMockClient): MockClientOptions {
    const complete: MockClientOptions = {
      clientId: `client-${randomBytes(6).toString('hex')}`,
      apiKey: `clk_test_${randomBytes(12).toString('hex')}`,
      // JSON removes members that are undefined.
      ...JSON.parse(JSON.stringify(client)),
    };
    const problems = settingsProblems(complete);
    if (clients.size >= MAX_CLIENTS) problems.push(problemAt('', 'value', `is one more than ${MAX_CLIENTS}`));
    if (problems.length > 0) throw invalidValue('The client', problems);
    const conflict = conflictOf(complete);
    if (conflict !== undefined) throw new ClaimlinkError('already_exists', `${conflict}.`);
    return complete;
  }

  /**
   * Finds a link of the selected clients by its URL or `linkId`.
   * @throws `link_not_found`
   */
  function findLink(link: string, selection: ClientSelection = {}) {
    for (const client of select(selection)) {
      const match = client.findLink(link);
      if (match === undefined) continue;
      const { linkId, userId, url } = match;
      const { pathname, searchParams } = new URL(url);
      const accessCode = pathname.slice(pathname.lastIndexOf('/') + 1);
      return { client, link: match, linkId, userId, accessCode, token: searchParams.get('token') ?? '' };
    }
    throw new ClaimlinkError(
      'link_not_found',
      selection.clientId === undefined
        ? 'This mock has no such link; use its URL, or its linkId in the list of links.'
        : 'This client has no such link.',
    );
  }

  /** Begins to send the submissions that are due to the webhook. */
  function deliverPending(selection: ClientSelection = {}): void {
    if (url === undefined || closing.signal.aborted) return;
    for (const client of select(selection)) client.deliverPending().catch(onError);
  }

  /** Ends subscriptions, waits for requests and attempts to send the webhook. May be called twice. */
  function stop(): void {
    clearInterval(deliveries);
    events.close();
    closing.abort(controlError('mock_closed'));
  }

  /** Creates the clients of a scenario, and those of the options that it does not name. */
  function createClients(scenario?: Scenario): MockClientState[] {
    const named = scenario?.clients ?? [];
    const ids = new Set(named.map(({ clientId }) => clientId));
    const all = [...named, ...options.clients.filter(({ clientId }) => !ids.has(clientId))];
    const problems = repeatedClients({ '/clients': all }, options.controlToken);
    if (problems.length > 0) throw invalidValue('The scenario', problems);
    return all.map((client) => createMockClient(initialClient(context, client), true, parts));
  }

  const sendWebhook = createWebhook(
    { url: url ?? '', secret: webhookSecret },
    { clock, requests, closing: closing.signal, onAttempt, ...faults },
  );
  resetDefaults();
  for (const client of createClients(options.scenario)) register(client);
  if (saved !== undefined) resume(saved);
  const deliveries =
    url === undefined ? undefined : setInterval(deliverPending, DELIVERY_INTERVAL_MS).unref();

  const produce = () =>
    stringifyState({
      seed: String(seed),
      refDate,
      secret: secret.toString('base64url'),
      current: take({}),
      snapshots: all(),
    });

  return {
    options,
    publicUrl,
    seeder,
    requests,
    events,
    serviceWithoutClient,
    find,
    findByToken,
    need,
    select,
    ...faults,
    ...snapshots,

    // Without a client, these methods apply to all clocks, and to the clock of clients to come.
    clock,
    setClock: (change: { now?: Date | string; isFrozen?: boolean }, selection: ClientSelection = {}) =>
      changeClocks(selection, setting(change)),
    advanceClock: (ms: number, selection: ClientSelection = {}) => changeClocks(selection, advancing(ms)),
    resetClock: (selection: ClientSelection = {}) => changeClocks(selection, () => ({ offsetMs: 0 })),

    clients: (): MockClient[] => select({}).map(({ client }) => client),
    /** @throws `already_exists`, `request_invalid` */
    addClient(newClient: NewMockClient = {}): MockClient {
      const client = completeClient(newClient);
      const added = put(initialClient(context, client, defaults.clock), false);
      onChange(client.clientId, 'clients');
      return added.client;
    },
    /** @throws `request_invalid` */
    updateClient(clientId: string, change: ClientChange): MockClient {
      const client = need(clientId);
      client.change(change);
      onChange(clientId, 'clients');
      return client.client;
    },
    /** Returns false for a configured or an unknown client. */
    removeClient(clientId: string): boolean {
      const client = find(clientId);
      if (client === undefined || client.client.isConfigured) return false;
      remove(client);
      onChange(clientId, 'clients');
      return true;
    },

    report: (selection: ClientSelection = {}): MockStateReport => ({
      publicUrl,
      seed,
      refDate,
      clock: clock(selection),
      clients: select(selection).map((client) => ({
        ...client.client,
        clock: clock(client),
        links: client.countLinks(),
        requests: requests.count(client),
      })),
    }),

    scenario: (selection: ClientSelection = {}): Scenario =>
      toScenario(
        select(selection).map((client) => toScenarioClient(client.save(), client.userIds, client.now())),
        selection.clientId === undefined ? defaults.faults : [],
      ),

    /** Starts anew with a scenario. Changes nothing if it throws. @throws `request_invalid` */
    setScenario(scenario: Scenario): void {
      const problems = checkScenario(scenario);
      if (problems.length > 0) throw invalidValue('The scenario', problems);
      const created = createClients(scenario);
      for (const client of select({})) remove(client);
      for (const client of created) register(client);
      context.options = { ...options, scenario };
      resetDefaults();
      requests.clear();
      onChange(null, 'everything');
    },

    sessions: (clientId: string, userId: string) => need(clientId).sessions(userId),
    /** Replaces the sessions of a user. The seed supplies missing members. @throws `request_invalid` */
    setSessions(clientId: string, userId: string, sessions: readonly ScenarioSession[]) {
      const client = need(clientId);
      const problems = firstProblems(sessionsProblems(sessions, '/sessions'));
      if (problems.length > 0) throw invalidValue('The input', problems);
      const records = completeSessions(sessions, { clientId, userId }, seeder);
      client.setSessions(userId, records, planChanges(sessions, records, client.now()));
      return client.sessions(userId);
    },
    /** Adds a session. The seed supplies missing members. @throws `request_invalid`, `already_exists` */
    addSession(clientId: string, userId: string, session: ScenarioSession): Session {
      const client = need(clientId);
      const problems = sessionProblems(session, '/session');
      if (problems.length > 0) throw invalidValue('The input', problems);
      const complete = completeSession(session, client.extraSession(userId));
      client.addSession({ clientId, userId, ...complete }, planChanges([session], [complete], client.now()));
      return complete;
    },

    links: ({
      limit = DEFAULT_LIMIT,
      clientId,
      ...filter
    }: ClientSelection & MockLinkFilter = {}): MockLink[] =>
      select({ clientId })
        .flatMap((client) => client.links({ ...filter, limit }))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .slice(0, limit),
    findLink,
    async createLink(clientId: string, request: LinkRequest): Promise<MockLink> {
      const { service } = need(clientId);
      const { url } = await within('/request', () => service.claimlink.createLink(clientId, request));
      return findLink(url).link;
    },
    async openLink(link: string, selection: ClientSelection = {}): Promise<MockLink> {
      const { client, linkId, accessCode, token } = findLink(link, selection);
      await client.service.claimlink.openLink(accessCode, token);
      return findLink(linkId, client).link;
    },
    /** Submits a link. Without a claim one is generated. */
    async submitLink(link: string, claim: unknown, selection: ClientSelection = {}) {
      const { client, linkId, userId, accessCode, token } = findLink(link, selection);
      const submission = await within('/claim', () =>
        client.service.claimlink.submitClaim(
          accessCode,
          token,
          claim ?? seeder.claimOf(client.clientId, userId, client.ordinalOf(linkId), client.now()),
        ),
      );
      const { session: _, callbackOnSubmit: __, ...result } = submission;
      return result;
    },
    expireLink(link: string, selection: ClientSelection = {}): MockLink {
      const { client, linkId } = findLink(link, selection);
      client.expireLink(linkId);
      return findLink(linkId, client).link;
    },
    /** @throws `link_submitted`, `link_expired` */
    async revokeLink(link: string, selection: ClientSelection = {}): Promise<MockLink> {
      const { client, linkId } = findLink(link, selection);
      await client.service.claimlink.revokeLink(client.clientId, linkId);
      const { link: revoked } = findLink(linkId, client);
      if (revoked.state === 'submitted' || revoked.state === 'expired')
        throw new ClaimlinkError(`link_${revoked.state}`);
      return revoked;
    },
    countLinks: ({ clientId, ...filter }: ClientSelection & MockLinkFilter = {}): number =>
      select({ clientId }).reduce((sum, client) => sum + client.countLinks(filter), 0),

    reset(selection: ClientSelection = {}): void {
      for (const client of select(selection)) {
        if (selection.clientId === undefined && !client.client.isConfigured) remove(client);
        else client.reset();
      }
      if (selection.clientId === undefined) resetDefaults();
      requests.clear(selection);
      onChange(selection.clientId ?? null, 'everything');
    },

    /**
     * Resolves when every change up to now is on disk; immediately without a persist file. Rejects if the write failed.
     * Await it before the response to every request that may have changed the state, then what is acknowledged is saved.
     */
    saved: async (): Promise<void> => file?.save(produce),
    reportError: (error: unknown) => onError(error),
    /** Aborted when the mock closes. */
    closing: closing.signal as AbortSignal,
    stop,
    /** Stops the mock, writes what is not saved yet, and releases the persist file. */
    async close(): Promise<void> {
      stop();
      try {
        await Promise.all(select({}).map((client) => client.idle()));
        await file?.save(produce);
      } finally {
        await file?.release();
      }
    },
  };
}

/** Runs a function whose input is a member of the input: pointers of its problems are below that member. */
async function within<T>(member: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'request_invalid' || !error.problems) throw error;
    const problems = error.problems.map((each) => ({ ...each, pointer: member + (each.pointer ?? '') }));
    throw invalidValue('The input', problems);
  }
}
