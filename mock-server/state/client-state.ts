// The state of one client, as it can be saved and restored.
import {
  createMemoryStorage,
  hashApiKey,
  isClaimlinkError,
  type MemoryStorage,
  type SessionRecord,
} from '../../lib/index.js';
import type { ClientSettings, MockClient, MockClientOptions, MockEvent } from '../control.js';
import { createClock, type SavedClock } from './clock.js';
import { createFaultList, type FaultList } from './faults.js';
import { createLinkStore, type LinkStore } from './links.js';
import type { ClientSnapshot } from './snapshot.js';
import type { ClientState } from './types.js';

/** A client with the parts that only the state itself uses. */
export interface Tenant extends ClientState {
  readonly links: LinkStore;
  readonly clock: SavedClock;
  readonly faults: FaultList;
  readonly apiKeyHash: string;
  /** Sessions that are not seeded. */
  readonly sessions: MemoryStorage;
  /** Users without seeded sessions. */
  readonly exactUsers: ReadonlySet<string>;
  /** Returns the initial state: it is created anew, because its moments are relative to the clock. */
  readonly createInitial: () => ClientSnapshot;
  /** Numbers that faults have drawn. */
  draws: number;
  /** Replaces the settings. */
  setSettings(settings: ClientSettings): void;
  /** Replaces the sessions of a user. @throws `already_exists` for a reference of another user */
  setSessions(userId: string, sessions: readonly SessionRecord[]): void;
  addSession(session: SessionRecord): void;
  save(): ClientSnapshot;
  restore(snapshot: ClientSnapshot): void;
}

/** Options of `createTenant`. */
export interface TenantOptions {
  client: MockClientOptions;
  isConfigured: boolean;
  userIds: readonly string[];
  createInitial: () => ClientSnapshot;
  systemNow: () => Date;
  emit(event: MockEvent): void;
}

/** Creates a client without sessions, links and faults. */
export function createTenant(options: TenantOptions): Tenant {
  const { client, createInitial, emit } = options;
  const { clientId, apiKey, ...initialSettings } = client;
  const clock = createClock(options.systemNow);
  let sessions = openSessions([]);
  let exactUsers: ReadonlySet<string> = new Set();
  let draws = 0;

  function openSessions(records: readonly SessionRecord[]): MemoryStorage {
    return createMemoryStorage({ clients: [{ clientId }], sessions: records });
  }

  function addSession(session: SessionRecord): void {
    sessions.insertSession(session);
    emit({ type: 'sessions', clientId, userId: session.userId });
  }

  const links = createLinkStore({
    now: clock.now,
    insertSession(userId, session) {
      try {
        addSession({ clientId, userId, ...session });
        return true;
      } catch (error) {
        if (isClaimlinkError(error) && error.code === 'already_exists') return false;
        throw error;
      }
    },
    onChange: (link) => emit({ type: 'link', clientId, link }),
  });
  const faults = createFaultList(() => emit({ type: 'changed', clientId, part: 'faults' }));
  const userIds = Object.freeze(options.userIds.slice(0, 100));
  const userCount = options.userIds.length;
  let settings: ClientSettings | undefined;
  let described = describe();

  function describe(): MockClient {
    const { isConfigured } = options;
    return Object.freeze({
      clientId,
      apiKey,
      ...(settings ?? initialSettings),
      userIds,
      userCount,
      isConfigured,
    });
  }

  return {
    get client() {
      return described;
    },
    links,
    clock,
    faults,
    apiKeyHash: hashApiKey(client.apiKey),
    createInitial,
    get sessions() {
      return sessions;
    },
    get exactUsers() {
      return exactUsers;
    },
    get draws() {
      return draws;
    },
    set draws(count) {
      draws = count;
    },

    setSettings(next) {
      settings = next;
      described = describe();
    },
    setSessions(userId, records) {
      const others = sessions.snapshot().sessions.filter((session) => session.userId !== userId);
      sessions = openSessions([...others, ...records]);
      exactUsers = new Set([...exactUsers, userId]);
      emit({ type: 'sessions', clientId, userId });
    },
    addSession,

    save: () => ({
      client,
      ...(settings && { settings }),
      exactUsers: [...exactUsers],
      sessions: sessions.snapshot().sessions,
      links: links.stored,
      clock: clock.setting,
      faults: faults.list(),
      draws,
    }),
    restore(snapshot) {
      settings = snapshot.settings;
      described = describe();
      sessions = openSessions(snapshot.sessions);
      exactUsers = new Set(snapshot.exactUsers);
      links.restore(snapshot.links);
      clock.restore(snapshot.clock);
      faults.restore(snapshot.faults);
      draws = snapshot.draws;
    },
  };
}
