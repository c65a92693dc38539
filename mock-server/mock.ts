// A mock without a transport: world, clocks, links, faults and journal under the real service.
import {
  type Claimlink,
  ClaimlinkError,
  createClaimlink,
  createLinkSigner,
  type LinkSigner,
  type Session,
} from '../lib/index.js';
import type { MockControl, MockEvent } from './control.js';
import type { Log } from './http/log.js';
import type { MockClientOptions, ResolvedMockOptions } from './options.js';
import { assertUserId, readSession, readSessions } from './scenario/given-sessions.js';
import { createRandom } from './seed/random.js';
import { createSeeder, type Seeder } from './seed/seed.js';
import { createSeededStorage } from './seed/seeded-storage.js';
import { createEventBus, type EventBus } from './traffic/event-bus.js';
import { createFaults, type Faults } from './traffic/faults.js';
import { createJournal, type Journal } from './traffic/journal.js';
import { createTraceReader, type TraceReader } from './traffic/trace.js';
import { type Clocks, createClocks } from './world/clocks.js';
import { createLinkControl } from './world/link-control.js';
import { createLinkRegistry } from './world/link-registry.js';
import { createMagicStorage } from './world/magic-users.js';
import { createObservedStorage } from './world/observed-storage.js';
import { createTenants, type Tenants } from './world/tenants.js';
import type { OpenWorld } from './world/world-store.js';

/** A mock that a server or a fetch function puts requests through. */
export interface Mock {
  readonly claimlink: Claimlink;
  /** The same for callers that run for no client: what they do for one is done at that one's time. */
  readonly timed: Claimlink;
  readonly control: MockControl;
  readonly tenants: Tenants;
  readonly clocks: Clocks;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly events: EventBus;
  readonly seeder: Seeder;
  readonly publicUrl: string;
  readonly seed: number | string;
  readonly refDate: Date;
  /** Users that a client without named ones begins with. */
  readonly userIds: readonly string[];
  /** Where the world lives. */
  readonly keptIn: 'memory' | 'file' | 'database';
  /** Whose request it is, and which route's. */
  readonly trace: TraceReader;
  /** Puts a request into the journal, and tells of it. */
  record(entry: Parameters<Journal['add']>[0]): void;
  /** Resolves when everything up to now is where it outlives the process. */
  saved(): Promise<void>;
  /** Ends what waits, and writes what is to be written. */
  close(): Promise<void>;
}

/** Builds a mock over a world that is open. @throws `options_invalid` */
export function createMock(
  options: ResolvedMockOptions,
  world: OpenWorld,
  { publicUrl, log }: { publicUrl: string; log: Log },
): Mock {
  const { memory, persist } = world;
  const events = createEventBus((error) => log.error(error));
  const emit = (event: MockEvent): void => events.emit(event);
  const clocks = createClocks(options.now, (clientId, clock) => {
    emit({ type: 'clock', clientId, clock });
    saveSoon();
  });
  const registry = createLinkRegistry(clocks.nowOf, (link) => {
    emit({ type: 'link', clientId: link.clientId, link });
    saveSoon();
  });
  const randoms = new Map<string | null, () => number>();
  const faults = createFaults({
    random: randomOf,
    base: { ...(options.latencyMs !== 0 && { delayMs: options.latencyMs }), errorRate: options.errorRate },
    onChange: (clientId) =>
      emit({ type: 'faults', clientId, faults: faults.list(clientId === null ? {} : { clientId }) }),
  });
  /** A stream of its own for each client: the same seed gives it the same draws, whoever else is there. */
  function randomOf(clientId: string | null): number {
    const random = randoms.get(clientId) ?? createRandom(JSON.stringify(['faults', options.seed, clientId]));
    randoms.set(clientId, random);
    return random();
  }
  const journal = createJournal({ now: clocks.nowOf });
  const { sessionCount } = options;
  const seeder = createSeeder({
    seed: options.seed,
    refDate: options.refDate,
    ...(sessionCount !== undefined && { sessions: sessionCount }),
  });

  const observed = createObservedStorage({
    storage: world.storage,
    links: registry,
    onSubmission(clientId: string, userId: string, { reference }: Session) {
      emit({ type: 'session', clientId, userId, reference });
    },
    onInsertion: (clientId, userId) => emit({ type: 'sessions', clientId, userId }),
    saved: save,
  });
  const storage = createMagicStorage(
    createSeededStorage({ storage: observed, seeder, isNamed: world.isNamed }),
  );

  const userIds = userIdsOf(options.userCount);
  const tenants = createTenants({
    memory,
    insert: (client: MockClientOptions) => world.insert(client),
    clocks,
    links: registry,
    clearTraces(scope) {
      faults.clear(scope);
      journal.clear(scope);
    },
    emit(event) {
      emit(event);
      saveSoon();
    },
    userIds,
  });
  if (world.saved) clocks.setWorld(world.saved.clock);
  tenants.open(world.initial, world.saved?.clients);

  /** The write that has the URL of the latest link: it is known only after the link was stored. */
  let urlSaved: Promise<void> | undefined;
  const service = createClaimlink({
    storage,
    signer: signerOf(world.linkSecret),
    publicUrl,
    allowLoopbackCallbacks: true,
    now: clocks.now,
    onError: (error, request) => log.error(error, request),
  });
  async function withUrl<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    await urlSaved;
    return result;
  }
  const claimlink: Claimlink = {
    ...service,
    handle: (request) => withUrl(service.handle(request)),
    createLink: (clientId, request) => withUrl(service.createLink(clientId, request)),
  };

  /** Signs as the service's own does, and remembers the link's URL. */
  function signerOf(secret: Uint8Array): LinkSigner {
    const signer = createLinkSigner({
      keys: [{ kid: 'mock', algorithm: 'HS256', secret }],
      issuer: publicUrl,
    });
    return {
      sign(claims) {
        const token = signer.sign(claims);
        const { accessCode, clientId } = claims;
        registry.signed(accessCode, clientId, `${publicUrl}/verify/${accessCode}?token=${token}`);
        urlSaved = saveSoon();
        return token;
      },
      verify: (token, now) => signer.verify(token, now),
    };
  }

  function save(): Promise<void> | undefined {
    return persist?.save(() => ({
      seed: String(options.seed),
      refDate: options.refDate,
      linkSecret: world.linkSecret,
      snapshot: tenants.copy(),
    }));
  }

  /** For what is not answered by a promise: `saved` and `close` wait for it. */
  function saveSoon(): Promise<void> | undefined {
    return save()?.catch((error: unknown) => log.error(error));
  }

  async function inScope<T>(clientId: string, use: () => Promise<T>): Promise<T> {
    if (tenants.find(clientId) === undefined) throw new ClaimlinkError('client_not_found');
    return clocks.runFor(clientId, use);
  }

  const control: MockControl = {
    get clients() {
      return tenants.clients;
    },
    addClient: tenants.addClient,
    removeClient: tenants.removeClient,
    reset: tenants.reset,
    snapshot: tenants.snapshot,
    restore: tenants.restore,
    sessions: (clientId, userId) =>
      inScope(clientId, async () => {
        const sessions: Session[] = [];
        for (let cursor: string | undefined; ; ) {
          const page = await claimlink.listSessions(clientId, userId, cursor === undefined ? {} : { cursor });
          sessions.push(...page.sessions);
          if (page.nextCursor === undefined) return sessions;
          cursor = page.nextCursor;
        }
      }),
    setSessions(clientId, userId, sessions) {
      const world = tenants.needMemory();
      assertUserId(userId);
      world.setSessions(clientId, userId, readSessions(sessions));
      // Links that were submitted went with their sessions.
      registry.load(clientId, world.copyOf(clientId).storage.links ?? [], registry.recordsOf(clientId));
      emit({ type: 'sessions', clientId, userId });
      saveSoon();
    },
    addSession: (clientId, userId, session) =>
      inScope(clientId, async () => {
        assertUserId(userId);
        for (const each of readSession(session)) await storage.insertSession({ clientId, userId, ...each });
      }),
    clock: clocks.control,
    addFault: (fault) => faults.add(fault),
    failNext: (fault) => faults.add({ times: 1, ...fault }),
    faults: (scope) => faults.list(scope),
    clearFaults: (which) => faults.clear(which),
    requests: (filter) => journal.list(filter),
    waitForRequests: (filter) => journal.wait(filter),
    clearRequests(scope) {
      const count = journal.clear(scope);
      emit({ type: 'journal', clientId: scope?.clientId ?? null });
      return count;
    },
    ...createLinkControl({ claimlink, registry, clocks, seeder }),
    subscribe: (listener) => events.subscribe(({ event }) => listener(event)),
  };

  const timed: Claimlink = {
    ...claimlink,
    createLink: (clientId, request) => clocks.runFor(clientId, () => claimlink.createLink(clientId, request)),
    listSessions: (clientId, userId, page) =>
      clocks.runFor(clientId, () => claimlink.listSessions(clientId, userId, page)),
  };

  return {
    claimlink,
    timed,
    control,
    tenants,
    clocks,
    faults,
    journal,
    events,
    seeder,
    publicUrl,
    seed: options.seed,
    refDate: options.refDate,
    userIds,
    keptIn: memory === undefined ? 'database' : persist === undefined ? 'memory' : 'file',
    trace: createTraceReader(claimlink, (clientId) => tenants.find(clientId) !== undefined),
    record(entry) {
      const request = journal.add(entry);
      emit({ type: 'request', clientId: request.clientId, request });
    },
    saved: async () => void (await save()),
    async close() {
      journal.close();
      events.close();
      await persist?.close();
    },
  };
}

function userIdsOf(count: number): readonly string[] {
  return Object.freeze(Array.from({ length: count }, (_, index) => `user-${index + 1}`));
}
