// Opens the state of a mock: its clients, and what they share.
import { randomBytes } from 'node:crypto';
import {
  ClaimlinkError,
  createLinkSigner,
  hashAccessCode,
  isClaimlinkError,
  type LinkSigner,
} from '../../lib/index.js';
import type { MockClientOptions, MockEvent, Scope } from '../control.js';
import type { ResolvedMockOptions } from '../options.js';
import { persistError } from '../problems.js';
import { createSeeder } from '../seed/seed.js';
import { createClocks } from './clocks.js';
import { createEventBus } from './events.js';
import { createFaultControl } from './fault-control.js';
import { type InitialContext, initialClients, plainClient } from './initial.js';
import type { PersistFile } from './persist-file.js';
import { createRequestLog } from './request-log.js';
import { createSessionControl } from './session-control.js';
import {
  type ClientSnapshot,
  readState,
  type SavedState,
  type Snapshot,
  stringifyState,
} from './snapshot.js';
import { createSnapshotStore } from './snapshot-store.js';
import { createStateStorage } from './state-storage.js';
import { changeSettings, completeClient, createTenants } from './tenants.js';
import type { MockState } from './types.js';

const SECRET_BYTES = 32;
const DEFAULT_LIMIT = 100;

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
): MockState {
  const { sessionCount, seed, refDate } = options;
  const seeder = createSeeder({
    seed,
    refDate,
    ...(sessionCount !== undefined && { sessions: sessionCount }),
  });
  const secret = saved === undefined ? randomBytes(SECRET_BYTES) : Buffer.from(saved.secret, 'base64url');
  const baseSigner = createLinkSigner({
    keys: [{ kid: 'mock', algorithm: 'HS256', secret }],
    issuer: publicUrl,
  });
  const events = createEventBus();
  const snapshots = createSnapshotStore(saved?.snapshots);

  function emit(event: MockEvent): void {
    file?.changed();
    events.emit(event);
  }

  function emitChanged(clientId: string | null, part: Extract<MockEvent, { type: 'changed' }>['part']): void {
    emit({ type: 'changed', clientId, part });
  }

  const tenants = createTenants({ systemNow: options.now, emit });
  const clocks = createClocks(options.now, tenants, (clientId) => emitChanged(clientId, 'clock'));
  const faults = createFaultControl(options, tenants, () => emitChanged(null, 'faults'));
  const requests = createRequestLog({
    now: (clientId) => clocks.of(clientId).now(),
    onAdd: (request) => events.emit({ type: 'request', clientId: request.clientId, request }),
    onClear: (clientId) => emitChanged(clientId, 'requests'),
  });
  const signer: LinkSigner = {
    sign(claims) {
      const token = baseSigner.sign(claims);
      const { accessCode, clientId } = claims;
      const url = `${publicUrl}/verify/${accessCode}?token=${token}`;
      tenants.find(clientId)?.links.setUrl(hashAccessCode(accessCode), url);
      return token;
    },
    verify: (token, now) => baseSigner.verify(token, now),
  };
  const context: InitialContext = {
    options,
    publicUrl,
    seeder,
    signer: baseSigner,
    activate: faults.activate,
  };

  function putAdded(client: MockClientOptions, state?: ClientSnapshot) {
    return tenants.put(
      plainClient(context, client, state?.clock ?? clocks.defaultClock.setting),
      false,
      state,
    );
  }

  /** Removes what belongs to a client that was removed. */
  function forget(clientId: string): void {
    requests.clear({ clientId });
    snapshots.forget(clientId);
  }

  function takeCurrent(scope: Scope): Snapshot {
    const clients = tenants.select(scope).map((tenant) => tenant.save());
    if (scope.clientId !== undefined) return { clients };
    return { clients, shared: { clock: clocks.defaultClock.setting, ...faults.saveShared() } };
  }

  /** Restores a snapshot. Without `shared` it has one client, which exists. */
  function restore({ clients, shared }: Snapshot): void {
    if (shared !== undefined) {
      clocks.defaultClock.restore(shared.clock);
      faults.restoreShared(shared);
      for (const tenant of tenants.all()) if (!tenant.client.isConfigured) tenants.drop(tenant);
    }
    for (const snapshot of clients) {
      const tenant = tenants.find(snapshot.client.clientId);
      if (tenant === undefined) putAdded(snapshot.client, snapshot);
      else tenant.restore(snapshot);
    }
  }

  /** Creates the clients of the options, with the saved state if there is one. */
  function open(): void {
    faults.resetShared();
    for (const initial of initialClients(context)) tenants.put(initial, true);
    if (saved === undefined) return;
    for (const { client } of saved.current.clients) {
      const keyOwner = tenants.keyOwner(client.apiKey);
      if (tenants.find(client.clientId) === undefined && keyOwner !== undefined) {
        const detail = `has the client ${client.clientId} with the API key of the client ${keyOwner}`;
        throw persistError(`${options.persistFile} ${detail}`);
      }
    }
    restore(saved.current);
    for (const { clients, shared } of [saved.current, ...saved.snapshots.map(({ content }) => content)]) {
      faults.reserveIds(shared?.faults ?? []);
      for (const client of clients) faults.reserveIds(client.faults);
    }
  }

  const produce = () =>
    stringifyState({
      seed: String(seed),
      refDate: refDate.toISOString(),
      secret: secret.toString('base64url'),
      current: takeCurrent({}),
      snapshots: snapshots.all(),
    });

  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    requests.close();
    events.close();
    try {
      await file?.save(produce);
    } finally {
      await file?.release();
    }
  }

  open();

  const { now, runFor, clock, setClock, advanceClock, resetClock } = clocks;
  const { addFault, clearFaults, decideFault } = faults;
  return {
    options,
    publicUrl,
    seeder,
    signer,
    storage: createStateStorage(tenants, seeder),
    requests,
    events,
    ...{ now, runFor, clock, setClock, advanceClock, resetClock },
    ...{ addFault, faults: faults.faults, clearFaults, decideFault },
    ...createSessionControl(tenants, seeder),

    clients: () => tenants.all().map(({ client }) => client),
    clientStates: () => tenants.all(),
    clientState: (clientId) => tenants.find(clientId),
    needClient: (clientId) => tenants.need(clientId),
    addClient(newClient = {}) {
      const client = completeClient(newClient, tenants);
      const added = putAdded(client);
      emitChanged(client.clientId, 'clients');
      return added.client;
    },
    updateClient(clientId, change) {
      const tenant = tenants.need(clientId);
      tenant.setSettings(changeSettings(tenant, change));
      emitChanged(clientId, 'clients');
      return tenant.client;
    },
    removeClient(clientId) {
      const tenant = tenants.find(clientId);
      if (tenant === undefined || tenant.client.isConfigured) return false;
      tenants.drop(tenant);
      forget(clientId);
      emitChanged(clientId, 'clients');
      return true;
    },

    findLink(link) {
      for (const client of tenants.all()) {
        const found = client.links.find(link);
        if (found !== undefined) return { client, link: found };
      }
      throw new ClaimlinkError(
        'link_not_found',
        'This mock has no such link; use its URL, or its id in the list of links.',
      );
    },
    links({ clientId, ...filter } = {}) {
      const { limit = DEFAULT_LIMIT } = filter;
      return tenants
        .select({ ...(clientId !== undefined && { clientId }) })
        .flatMap(({ links }) => links.list(filter))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .slice(0, limit);
    },
    countLinks: ({ clientId, ...filter } = {}) =>
      tenants
        .select({ ...(clientId !== undefined && { clientId }) })
        .reduce((count, { links }) => count + links.count(filter), 0),

    reset(scope = {}) {
      for (const tenant of tenants.select(scope)) {
        if (scope.clientId !== undefined || tenant.client.isConfigured) {
          tenant.restore(tenant.createInitial());
        } else {
          tenants.drop(tenant);
          forget(tenant.client.clientId);
        }
      }
      if (scope.clientId === undefined) {
        clocks.defaultClock.reset();
        faults.resetShared();
      }
      requests.clear(scope);
      emitChanged(scope.clientId ?? null, 'everything');
    },
    takeSnapshot(name, scope = {}) {
      const clientId = scope.clientId ?? null;
      const content = takeCurrent(scope);
      const info = snapshots.put({ name, clientId, takenAt: clocks.of(clientId).now(), content });
      emitChanged(clientId, 'snapshots');
      return info;
    },
    restoreSnapshot(name, scope = {}) {
      if (scope.clientId !== undefined) tenants.need(scope.clientId);
      const snapshot = snapshots.find(name, scope);
      if (snapshot === undefined) return false;
      restore(snapshot.content);
      emitChanged(scope.clientId ?? null, 'everything');
      return true;
    },
    snapshots(scope = {}) {
      if (scope.clientId !== undefined) tenants.need(scope.clientId);
      return snapshots.list(scope);
    },
    deleteSnapshot(name, scope = {}) {
      if (scope.clientId !== undefined) tenants.need(scope.clientId);
      const isDeleted = snapshots.delete(name, scope);
      if (isDeleted) emitChanged(scope.clientId ?? null, 'snapshots');
      return isDeleted;
    },

    saved: async () => file?.save(produce),
    close() {
      closing ??= close();
      return closing;
    },
  };
}
