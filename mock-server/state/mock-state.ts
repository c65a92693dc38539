// The state of a mock: its clients, and what they share. It knows nothing of HTTP.
import { randomBytes } from 'node:crypto';
import {
  ClaimlinkError,
  createLinkSigner,
  hashAccessCode,
  hashApiKey,
  isClaimlinkError,
  type LinkSigner,
} from '../../lib/index.js';
import type {
  ClientChange,
  LinkFilter,
  MockClient,
  MockEvent,
  MockLink,
  NewMockClient,
  Scope,
} from '../control.js';
import type { ResolvedMockOptions } from '../options.js';
import { persistError } from '../problems.js';
import { createSeeder } from '../seed/seed.js';
import { createClocks } from './clocks.js';
import { createEventBus, type OnChange } from './events.js';
import { createFaults } from './faults.js';
import { type InitialContext, initialClient, initialSharedFaults } from './initial.js';
import { DEFAULT_LIMIT } from './links.js';
import type { PersistFile } from './persist-file.js';
import { createRequestLog } from './request-log.js';
import { createSnapshots, readState, type SavedState, type Snapshot, stringifyState } from './snapshots.js';
import { createSessionControl, createStateStorage } from './storage.js';
import { completeClient, createTenants, type ScopeState, type Tenant } from './tenants.js';

const SECRET_BYTES = 32;

/** Everything that a running mock knows. Methods throw ClaimlinkErrors: `client_not_found` for an unknown client. */
export type MockState = ReturnType<typeof createMockState>;

/**
 * Opens the state of a mock. With a persist file it continues where the last mock ended.
 * @param publicUrl start of links, without a trailing slash
 * @throws `options_invalid` for a persist file that is in use, damaged, or of another seed
 */
export async function openMockState(options: ResolvedMockOptions, publicUrl: string): Promise<MockState> {
  if (options.persistFile === undefined) return createMockState(options, publicUrl);
  const { openPersistFile } = await import('./persist-file.js');
  const file = await openPersistFile(options.persistFile);
  try {
    const saved = file.text === undefined ? undefined : readState(options, options.persistFile, file.text);
    const state = createMockState(options, publicUrl, file, saved);
    // The first write shows whether the file can be written, and saves the secret of the links.
    file.changed();
    await state.saved();
    return state;
  } catch (error) {
    await file.release();
    if (isClaimlinkError(error)) throw error;
    throw persistError(error instanceof Error ? error.message : String(error), error);
  }
}

function createMockState(
  options: ResolvedMockOptions,
  publicUrl: string,
  file?: PersistFile,
  saved?: SavedState,
) {
  const { sessionCount, seed, refDate } = options;
  const count = sessionCount === undefined ? {} : { sessions: sessionCount };
  const seeder = createSeeder({ seed, refDate, ...count });
  const secret = saved === undefined ? randomBytes(SECRET_BYTES) : Buffer.from(saved.secret, 'base64url');
  const baseSigner = createLinkSigner({
    keys: [{ kid: 'mock', algorithm: 'HS256', secret }],
    issuer: publicUrl,
  });
  const events = createEventBus();
  const shared: ScopeState = { clock: { offsetMs: 0 }, faults: [], draws: 0 };

  function emit(event: MockEvent): void {
    file?.changed();
    events.emit(event);
  }

  const onChange: OnChange = (clientId, part) => emit({ type: 'changed', clientId, part });

  const tenants = createTenants(options.now, emit);
  const clocks = createClocks(options.now, tenants, shared, onChange);
  const { activate, reserveIds, ...faults } = createFaults(seed, tenants, shared, onChange);
  const { all, forget, ...snapshots } = createSnapshots(saved?.snapshots ?? [], tenants, {
    take: takeCurrent,
    restore,
    now: (scope) => clocks.clock(scope).now,
    onChange,
  });
  const requests = createRequestLog({
    onAdd: (request) => events.emit({ type: 'request', clientId: request.clientId, request }),
    onClear: (clientId) => onChange(clientId, 'requests'),
  });
  /** Remembers the URL of each link that it signs. */
  const signer: LinkSigner = {
    ...baseSigner,
    sign(claims) {
      const token = baseSigner.sign(claims);
      const { accessCode, clientId } = claims;
      const url = `${publicUrl}/verify/${accessCode}?token=${token}`;
      tenants.find(clientId)?.links.setUrl(hashAccessCode(accessCode), url);
      return token;
    },
  };
  const context: InitialContext = { options, publicUrl, seeder, signer: baseSigner, activate };

  /** Removes an added client, and what belongs to it. */
  function remove(tenant: Tenant): void {
    const { clientId } = tenant.client;
    tenants.drop(tenant);
    requests.clear({ clientId });
    forget(clientId);
  }

  function takeCurrent(scope: Scope): Snapshot {
    const clients = tenants.select(scope).map((tenant) => tenant.save());
    return { clients, ...(scope.clientId === undefined && { shared: { ...shared } }) };
  }

  /** Restores a snapshot. Without `shared` it has one client, which exists. */
  function restore({ clients, shared: restored }: Snapshot): void {
    if (restored !== undefined) {
      Object.assign(shared, restored);
      for (const tenant of tenants.all()) if (!tenant.client.isConfigured) tenants.drop(tenant);
    }
    for (const snapshot of clients) {
      const { client, clock } = snapshot;
      const tenant =
        tenants.find(client.clientId) ?? tenants.put(initialClient(context, client, clock), false);
      tenant.restore(snapshot);
    }
  }

  function resetShared(): void {
    const initialFaults = initialSharedFaults(options).map(activate);
    Object.assign(shared, { clock: { offsetMs: 0 }, faults: initialFaults, draws: 0 });
  }

  /** Continues where the last mock ended. */
  function resume({ current, snapshots: named }: SavedState): void {
    for (const { client } of current.clients) {
      const keyOwner = tenants.keyOwner(hashApiKey(client.apiKey));
      if (tenants.find(client.clientId) === undefined && keyOwner !== undefined) {
        const detail = `has the client ${client.clientId} with the API key of the client ${keyOwner}`;
        throw persistError(`${options.persistFile} ${detail}`);
      }
    }
    restore(current);
    for (const { clients, shared = { faults: [] } } of [current, ...named.map(({ content }) => content)]) {
      for (const each of [...clients, shared]) reserveIds(each.faults);
    }
  }

  resetShared();
  const { scenario, clients } = options;
  for (const client of [...(scenario?.clients ?? []), ...clients])
    tenants.put(initialClient(context, client), true);
  if (saved !== undefined) resume(saved);

  const produce = () =>
    stringifyState({
      seed: String(seed),
      refDate,
      secret: secret.toString('base64url'),
      current: takeCurrent({}),
      snapshots: all(),
    });

  return {
    options,
    publicUrl,
    seeder,
    signer,
    /** Hands each call to its client. For `createClaimlink`. */
    storage: createStateStorage(tenants, seeder),
    requests,
    events,
    // Without scope these methods apply to all clocks, and to the clock of clients to come.
    ...clocks,
    ...faults,
    ...snapshots,
    ...createSessionControl(tenants, seeder),

    clients: (): MockClient[] => tenants.all().map(({ client }) => client),
    tenants: tenants.all,
    findClient: tenants.find,
    needClient: tenants.need,
    /** @throws `already_exists`, `request_invalid` */
    addClient(newClient: NewMockClient = {}): MockClient {
      const client = completeClient(newClient, tenants);
      const added = tenants.put(initialClient(context, client, shared.clock), false);
      onChange(client.clientId, 'clients');
      return added.client;
    },
    /** @throws `request_invalid` */
    updateClient(clientId: string, change: ClientChange): MockClient {
      const tenant = tenants.need(clientId);
      tenant.change(change);
      onChange(clientId, 'clients');
      return tenant.client;
    },
    /** Returns false for a configured or an unknown client. */
    removeClient(clientId: string): boolean {
      const tenant = tenants.find(clientId);
      if (tenant === undefined || tenant.client.isConfigured) return false;
      remove(tenant);
      onChange(clientId, 'clients');
      return true;
    },

    /** Finds a link of any client by its URL or id. @throws `link_not_found` */
    findLink(link: string): { client: Tenant; link: MockLink } {
      for (const client of tenants.all()) {
        const found = client.links.find(link);
        if (found !== undefined) return { client, link: found };
      }
      throw new ClaimlinkError(
        'link_not_found',
        'This mock has no such link; use its URL, or its id in the list of links.',
      );
    },
    links: ({ limit = DEFAULT_LIMIT, ...filter }: LinkFilter = {}): MockLink[] =>
      tenants
        .select(filter)
        .flatMap(({ links }) => links.list(filter, limit))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .slice(0, limit),
    countLinks: (filter: LinkFilter = {}): number =>
      tenants.select(filter).reduce((count, { links }) => count + links.count(filter), 0),

    reset(scope: Scope = {}): void {
      for (const tenant of tenants.select(scope)) {
        if (scope.clientId === undefined && !tenant.client.isConfigured) remove(tenant);
        else tenant.reset();
      }
      if (scope.clientId === undefined) resetShared();
      requests.clear(scope);
      onChange(scope.clientId ?? null, 'everything');
    },

    /**
     * Resolves when every change up to now is on disk; immediately without a persist file. Rejects if the write failed.
     * Await it before the response to every request that may have changed the state, then what is acknowledged is saved.
     */
    saved: async (): Promise<void> => file?.save(produce),
    /** Ends subscriptions, writes what is not saved yet, and releases the persist file. */
    async close(): Promise<void> {
      events.close();
      try {
        await file?.save(produce);
      } finally {
        await file?.release();
      }
    },
  };
}
