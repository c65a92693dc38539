// The clients of a mock and everything that is theirs: adding, removing, resetting and copying them.
import { randomBytes } from 'node:crypto';
import { ClaimlinkError } from '../../lib/index.js';
import { checkClient } from '../client-check.js';
import type { MockClient, MockControl, MockEvent, MockSnapshot, NewMockClient, Scope } from '../control.js';
import type { MockClientOptions } from '../options.js';
import { invalidMembers } from '../traffic/check-members.js';
import type { Clocks } from './clocks.js';
import type { LinkRegistry } from './link-registry.js';
import { type MemoryWorld, storageOfNew } from './memory-world.js';
import type { ClientSnapshot, ClockSetting, WorldSnapshot } from './world-snapshot.js';

/** What the clients are kept in, and what else belongs to each of them. */
export interface TenantsOptions {
  /** undefined: the world is in a database, which `insert` adds clients to. */
  memory: MemoryWorld | undefined;
  insert(client: MockClientOptions): Promise<void>;
  clocks: Clocks;
  links: LinkRegistry;
  /** Clears what belongs to a client, or to all, and is no part of the world: faults and journal. */
  clearTraces(scope: Scope): void;
  emit(event: MockEvent): void;
  /** Users that a client without named ones begins with. */
  userIds: readonly string[];
}

/** The clients of one mock. */
export interface Tenants
  extends Pick<MockControl, 'clients' | 'addClient' | 'removeClient' | 'reset' | 'snapshot' | 'restore'> {
  /** What a client was made with. */
  find(clientId: string): MockClientOptions | undefined;
  isConfigured(clientId: string): boolean;
  /** Begins with these; `saved` are the states that some of them, and added ones, had when the mock last ran. */
  open(initial: readonly ClientSnapshot[], saved?: readonly ClientSnapshot[]): void;
  /** The world as it is. Memory only. */
  copy(): WorldSnapshot;
  /** @throws `request_invalid` in a database */
  needMemory(): MemoryWorld;
}

interface Tenant {
  /** How it began. */
  initial: ClientSnapshot;
  shown: MockClient;
}

interface Copy {
  /** Each in its state, with how it began: it may be gone by the time it is restored. */
  clients: readonly { state: ClientSnapshot; initial: ClientSnapshot }[];
  /** undefined: of one client. */
  clock: ClockSetting | undefined;
}

/** Makes the clients of a mock; they come with `open`. */
export function createTenants(options: TenantsOptions): Tenants {
  const { memory, clocks, links, emit } = options;
  const tenants = new Map<string, Tenant>();
  const copies = new WeakMap<MockSnapshot, Copy>();

  function needMemory(): MemoryWorld {
    if (memory !== undefined) return memory;
    const message =
      'This mock keeps its world in a database, where nothing is reset or replaced; run one without --database-url.';
    throw new ClaimlinkError('request_invalid', message);
  }

  function need(clientId: string): Tenant {
    const tenant = tenants.get(clientId);
    if (tenant === undefined) throw new ClaimlinkError('client_not_found');
    return tenant;
  }

  /** Puts a client into a state, and makes it one of ours when it is none. */
  function put(state: ClientSnapshot, initial: ClientSnapshot = state): void {
    const { client, storage, namedUsers, clock } = state;
    const { clientId } = client;
    memory?.put(clientId, { storage, namedUsers });
    clocks.add(clientId, clock);
    links.load(clientId, storage.links ?? [], state.links);
    const userIds = initial.namedUsers.length > 0 ? Object.freeze([...initial.namedUsers]) : options.userIds;
    tenants.set(clientId, { initial, shown: Object.freeze({ ...structuredClone(client), userIds }) });
  }

  function drop(clientId: string): void {
    memory?.remove(clientId);
    clocks.remove(clientId);
    links.forget(clientId);
    tenants.delete(clientId);
    options.clearTraces({ clientId });
  }

  function copyOf(clientId: string): ClientSnapshot {
    const { initial } = need(clientId);
    return {
      ...needMemory().copyOf(clientId),
      client: initial.client,
      isConfigured: initial.isConfigured,
      clock: clocks.settingOf(clientId),
      links: links.recordsOf(clientId),
    };
  }

  /** @throws `already_exists` */
  function assertFree({ clientId, apiKey }: MockClientOptions): void {
    if (tenants.has(clientId)) throw taken('A client with this id');
    const isKeyTaken = [...tenants.values()].some(({ shown }) => shown.apiKey === apiKey);
    if (isKeyTaken) throw taken('A client with this API key');
  }

  return {
    get clients() {
      return Object.freeze([...tenants.values()].map(({ shown }) => shown));
    },
    find: (clientId) => tenants.get(clientId)?.initial.client,
    isConfigured: (clientId) => tenants.get(clientId)?.initial.isConfigured === true,
    needMemory,

    open(initial, saved = []) {
      const before = new Map(saved.map((state) => [state.client.clientId, state]));
      for (const state of initial) {
        const { clientId } = state.client;
        // What is configured may have changed since: the key, the name, the origins are those of today.
        const known = before.get(clientId);
        put(known ? withConfiguration(known, state) : state, state);
        before.delete(clientId);
      }
      for (const state of before.values()) {
        const added = { ...state, isConfigured: false };
        put(added, {
          ...added,
          storage: storageOfNew(state.client, clocks.nowOf(null)),
          namedUsers: [],
          clock: { offsetMs: 0 },
          links: [],
        });
      }
    },

    async addClient(wanted: NewMockClient = {}) {
      const client = completed(wanted);
      const { clientId } = client;
      assertFree(client);
      await options.insert(client);
      // Another one may have come meanwhile.
      assertFree(client);
      const clock = clocks.worldSetting;
      const storage = storageOfNew(client, clocks.nowOf(null));
      put({ client, isConfigured: false, storage, namedUsers: [], clock, links: [] });
      emit({ type: 'clients', clientId });
      return need(clientId).shown;
    },

    removeClient(clientId) {
      const tenant = tenants.get(clientId);
      if (tenant === undefined || tenant.initial.isConfigured) return false;
      needMemory();
      drop(clientId);
      emit({ type: 'clients', clientId });
      return true;
    },

    reset({ clientId } = {}) {
      needMemory();
      const chosen = clientId === undefined ? [...tenants.values()] : [need(clientId)];
      if (clientId === undefined) clocks.setWorld({ offsetMs: 0 });
      for (const { initial } of chosen) {
        if (clientId === undefined && !initial.isConfigured) drop(initial.client.clientId);
        else put(initial);
      }
      options.clearTraces(clientId === undefined ? {} : { clientId });
      emit({ type: 'reset', clientId: clientId ?? null });
    },

    snapshot({ clientId } = {}) {
      needMemory();
      const ids = clientId === undefined ? [...tenants.keys()] : [clientId];
      const clients = ids.map((id) => ({ state: copyOf(id), initial: need(id).initial }));
      const takenAt = clocks.nowOf(clientId ?? null);
      const snapshot = Object.freeze({ clientId: clientId ?? null, takenAt });
      copies.set(snapshot, { clients, clock: clientId === undefined ? clocks.worldSetting : undefined });
      return snapshot;
    },

    restore(snapshot) {
      needMemory();
      const copy = copies.get(snapshot);
      if (copy === undefined)
        throw new ClaimlinkError('request_invalid', 'This is no snapshot that this mock has taken.');
      if (snapshot.clientId !== null) need(snapshot.clientId);
      if (copy.clock !== undefined) {
        clocks.setWorld(copy.clock);
        const kept = new Set(copy.clients.map(({ state }) => state.client.clientId));
        for (const clientId of [...tenants.keys()]) {
          if (!kept.has(clientId)) drop(clientId);
          // Keys may have changed hands since.
          else memory?.remove(clientId);
        }
      }
      for (const { state, initial } of copy.clients) put(state, initial);
      emit({ type: 'reset', clientId: snapshot.clientId });
    },

    copy: () => ({ clock: clocks.worldSetting, clients: [...tenants.keys()].map(copyOf) }),
  };
}

/**
 * What is left out is made up.
 * @throws `request_invalid` with every problem
 */
function completed(wanted: NewMockClient): MockClientOptions {
  const made = {
    clientId: `tenant-${randomBytes(6).toString('hex')}`,
    apiKey: `clk_test_${randomBytes(12).toString('hex')}`,
  };
  const isObject = typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted);
  if (!isObject)
    throw invalidMembers('The client', [{ pointer: '', rule: 'type', detail: 'must be an object' }]);
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const client = { ...made, ...Object.fromEntries(given) };
  const details = checkClient(client);
  if (details.length > 0) throw invalidMembers('The client', details);
  return structuredClone(client);
}

/** A state of earlier, with the client and its key as they are configured now. */
function withConfiguration(state: ClientSnapshot, configured: ClientSnapshot): ClientSnapshot {
  const { clients = [], apiKeys = [] } = configured.storage;
  const hashes = new Set(apiKeys.map(({ hash }) => hash));
  const others = (state.storage.apiKeys ?? []).filter(
    ({ hash, id }) => !hashes.has(hash) && !id.startsWith('mock_'),
  );
  return {
    ...state,
    client: configured.client,
    isConfigured: true,
    storage: { ...state.storage, clients, apiKeys: [...apiKeys, ...others] },
  };
}

function taken(what: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${what} exists already.`);
}
