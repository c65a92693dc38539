// The clients of a mock, what new ones begin with, and the methods that add, change and remove clients.
import { randomBytes } from 'node:crypto';
import { composeClaimlink } from '../../lib/claimlink.js';
import { ClaimlinkError, createMemoryStorage } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { controlError, invalidValue, persistError, problemAt } from '../control/errors.js';
import type { Scenario } from '../control/scenario.js';
import type {
  ClientChange,
  ClientSelection,
  MockClient,
  MockClientOptions,
  NewMockClient,
} from '../control/types.js';
import { repeatedClients, settingsProblems } from '../scenario/scenario-check.js';
import { createController } from './abort.js';
import type { ClockAndFaults } from './client-records.js';
import { createClientRegistry } from './client-registry.js';
import { readClock } from './clock.js';
import type { OnChange } from './event-bus.js';
import { type InitialContext, initialClient, initialDefaultFaults } from './initial.js';
import { type JsonPieces, jsonList, jsonObject, toJson } from './json-pieces.js';
import {
  createMockClient,
  type InitialClient,
  type MockClientState,
  type MockService,
  type SharedParts,
} from './mock-client.js';
import type { ResolvedMockOptions } from './options.js';
import type { SavedState, Snapshot } from './snapshots.js';

const MAX_CLIENTS = 10_000;

export type Clients = ReturnType<typeof createClients>;

/** What happens to clients. */
export interface ClientListeners {
  onChange: OnChange;
  /** A client was removed. */
  onRemove(clientId: string): void;
}

/** Creates the clients of the options and their scenario. */
export function createClients(parts: InitialContext & SharedParts, { onChange, onRemove }: ClientListeners) {
  const { options, publicUrl, signer, activate } = parts;
  /** The clock of new clients, and the faults of all clients. */
  const defaults: ClockAndFaults = { clock: { offsetMs: 0 }, faults: [], randomCount: 0 };
  /** Aborted when the state of the whole mock is replaced. */
  let epoch = createController();
  const registry = createClientRegistry(options.controlToken);
  const { find, need, select, findByToken, conflictOf, register, drop } = registry;

  const put = (initial: InitialClient) => register(createMockClient(initial, false, parts));

  function remove(client: MockClientState): void {
    drop(client);
    onRemove(client.clientId);
  }

  /** Replaces the defaults, and ends the requests of no client. */
  function setDefaults(next: Readonly<ClockAndFaults>): void {
    Object.assign(defaults, next);
    epoch.abort(controlError('state_replaced'));
    epoch = createController();
  }

  /** Call it before the clients get their faults: those of a client are later, so they take precedence. */
  const initialDefaults = (initial: ResolvedMockOptions): ClockAndFaults => ({
    clock: { offsetMs: 0 },
    faults: initialDefaultFaults(initial).map(activate),
    randomCount: 0,
  });

  /** Starts with the clients of a scenario, and those of the options that it does not name. Changes nothing if it throws. */
  function start(scenario?: Scenario): void {
    const named = scenario?.clients ?? [];
    const ids = new Set(named.map(({ clientId }) => clientId));
    const all = [...named, ...options.clients.filter(({ clientId }) => !ids.has(clientId))];
    const problems = repeatedClients({ '/clients': all }, options.controlToken);
    if (problems.length > 0) throw invalidValue('The scenario', problems);
    const next = { ...options, ...(scenario && { scenario }) };
    const initial = initialDefaults(next);
    const created = all.map((client) => createMockClient(initialClient(parts, client), true, parts));
    for (const client of select({})) remove(client);
    for (const client of created) register(client);
    parts.options = next;
    setDefaults(initial);
  }

  /** Restores a snapshot. Without `defaults` it has one client, which exists. */
  function restore(snapshot: Snapshot): void {
    if (snapshot.defaults !== undefined) {
      setDefaults(snapshot.defaults);
      for (const client of select({})) if (!client.client.isConfigured) drop(client);
    }
    for (const state of snapshot.clients) {
      const { client, clock } = state;
      const existing = find(client.clientId) ?? put(initialClient(parts, client, clock));
      existing.restore(state);
    }
  }

  /**
   * Returns a client to add, with generated members in the place of those that are missing.
   * @throws `request_invalid`; `already_exists` for the id or the key of another client
   */
  function complete(client: NewMockClient): MockClientOptions {
    const completed: MockClientOptions = {
      clientId: `client-${randomBytes(6).toString('hex')}`,
      apiKey: `clk_test_${randomBytes(12).toString('hex')}`,
      // JSON removes members that are undefined.
      ...JSON.parse(JSON.stringify(client)),
    };
    const problems = settingsProblems(completed);
    if (registry.count() >= MAX_CLIENTS)
      problems.push(problemAt('', 'value', `is one more than ${MAX_CLIENTS}`));
    if (problems.length > 0) throw invalidValue('The client', problems);
    const conflict = conflictOf(completed);
    if (conflict !== undefined) throw new ClaimlinkError('already_exists', `${conflict}.`);
    return completed;
  }

  /** Serves requests that name no client of this mock. It knows every key, so that a valid one gets a 404, not a 401. */
  const serviceWithoutClient: MockService = composeClaimlink({
    storage: {
      ...createMemoryStorage(),
      findCredentials({ apiKeyHash }) {
        const clientId = registry.findId(apiKeyHash);
        return clientId === undefined ? {} : { apiKey: { clientId } };
      },
    },
    signer,
    publicUrl,
    now: () => readClock(defaults.clock, options.now()).now,
    ...parts.serviceOptions,
    // Its routes are those of every client.
    photos: { store: createMemoryPhotoStore() },
    recordSubmissions: true,
  });

  start(options.scenario);

  return {
    defaults,
    find,
    need,
    select,
    findByToken,
    serviceWithoutClient,
    /** Returns a signal that is aborted when the state of a client is replaced; without a client, that of the mock. */
    epochOf: (client?: MockClientState): AbortSignal => client?.epoch ?? epoch.signal,
    start,
    restore,
    /** Returns the JSON of a `Snapshot`. */
    take: (selection: ClientSelection): JsonPieces =>
      jsonObject({
        clients: jsonList(select(selection).map((client) => client.toJson())),
        ...(selection.clientId === undefined && { defaults: [toJson(defaults)] }),
      }),
    /** Continues where the last mock ended. @throws `options_invalid` */
    resume({ current }: SavedState): void {
      for (const { client } of current.clients) {
        const conflict = find(client.clientId) ? undefined : conflictOf(client);
        if (conflict !== undefined)
          throw persistError(`${options.persistFile} has the client ${client.clientId}: ${conflict}`);
      }
      restore(current);
    },
    /** Restores the initial state of the selected client, or of all. */
    reset(selection: ClientSelection): void {
      const isForAll = selection.clientId === undefined;
      if (isForAll) setDefaults(initialDefaults(parts.options));
      for (const client of select(selection)) {
        if (isForAll && !client.client.isConfigured) remove(client);
        else client.reset();
      }
    },

    methods: {
      clients: (): MockClient[] => select({}).map(({ client }) => client),
      /** @throws `already_exists`, `request_invalid` */
      addClient(newClient: NewMockClient = {}): MockClient {
        const { client } = put(initialClient(parts, complete(newClient), defaults.clock));
        onChange(client.clientId, 'clients');
        return client;
      },
      /** @throws `request_invalid` */
      updateClient({ clientId, ...change }: ClientChange & { clientId: string }): MockClient {
        const client = need(clientId);
        client.change(change);
        onChange(clientId, 'clients');
        return client.client;
      },
      /** Returns false for a configured or an unknown client. */
      removeClient({ clientId }: { clientId: string }): boolean {
        const client = find(clientId);
        if (client === undefined || client.client.isConfigured) return false;
        remove(client);
        onChange(clientId, 'clients');
        return true;
      },
    },
  };
}
