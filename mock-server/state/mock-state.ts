// Opens the state of a mock: its clients, and what they share.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { parseId } from '../../lib/core/validators.js';
import {
  ClaimlinkError,
  createLinkSigner,
  hashAccessCode,
  hashApiKey,
  isClaimlinkError,
  type LinkSigner,
  type SessionRecord,
  type Storage,
} from '../../lib/index.js';
import type { ActiveFault, Fault, MockEvent, NewMockClient, Scope } from '../control.js';
import { faultSchema } from '../fault-schema.js';
import { clientSchema, type MockClientOptions, type ResolvedMockOptions } from '../options.js';
import { invalidMockOptions, invalidValue, problemAt } from '../problems.js';
import { isInClockRange, parseInstant } from '../scenario/moment.js';
import { checkSessions } from '../scenario/scenario-check.js';
import { checkWith } from '../scenario/schema-check.js';
import { randomAt } from '../seed/random.js';
import { createSeeder } from '../seed/seed.js';
import { createSeededSessions } from '../seed/seeded-storage.js';
import { createTenant, type Tenant } from './client-state.js';
import { createClock, type SavedClock } from './clock.js';
import { createEventBus } from './events.js';
import { createFaultList, decideFault } from './faults.js';
import { completeSession } from './fill.js';
import {
  type InitialClient,
  type InitialContext,
  initialClients,
  initialSharedFaults,
  plainClient,
} from './initial.js';
import { openPersistFile, type PersistFile, persistError } from './persist-file.js';
import { createRequestLog } from './request-log.js';
import {
  type ClientSnapshot,
  type NamedSnapshot,
  parseState,
  type SavedState,
  type Snapshot,
  stringifyState,
} from './snapshot.js';
import type { ClientStorage, MockState } from './types.js';

const MAX_CLIENTS = 10_000;
const MAX_FAULTS = 1000;
const MAX_SNAPSHOTS = 1000;
const SECRET_BYTES = 32;
const DEFAULT_LIMIT = 100;

/**
 * Opens the state of a mock. With a persist file it continues where the last mock ended.
 * @param publicUrl start of links, without a trailing slash
 * @throws `options_invalid` for a persist file that is in use, damaged, or of another seed
 */
export async function openMockState(options: ResolvedMockOptions, publicUrl: string): Promise<MockState> {
  if (options.persistFile === undefined) return createMockState(options, publicUrl);
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

/** @throws `options_invalid` */
function readState(options: ResolvedMockOptions, path: string, text: string): SavedState {
  let state: SavedState;
  try {
    state = parseState(text);
  } catch (error) {
    throw persistError(`${path} ${error instanceof Error ? error.message : ''}`, error);
  }
  const mustBe = (name: string, value: string) =>
    invalidMockOptions([problemAt(`/${name}`, 'persisted', `must be ${value}, as in the persist file`)]);
  if (state.seed !== String(options.seed)) throw mustBe('seed', state.seed);
  if (state.refDate !== options.refDate.toISOString()) throw mustBe('refDate', state.refDate);
  return state;
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

  const tenants = new Map<string, Tenant>();
  const clientIdsByKeyHash = new Map<string, string>();
  const snapshots = new Map<string, NamedSnapshot>();
  const current = new AsyncLocalStorage<string | null>();
  const defaultClock = createClock(options.now);
  const events = createEventBus();
  const sharedFaults = createFaultList(() => emitChanged(null, 'faults'));
  let sharedDraws = 0;
  let lastFaultNumber = 0;

  function emit(event: MockEvent): void {
    file?.changed();
    events.emit(event);
  }

  function emitChanged(clientId: string | null, part: Extract<MockEvent, { type: 'changed' }>['part']): void {
    emit({ type: 'changed', clientId, part });
  }

  const requests = createRequestLog({
    now: (clientId) => clockOf(clientId).now(),
    onAdd: (request) => events.emit({ type: 'request', clientId: request.clientId, request }),
    onClear: (clientId) => emitChanged(clientId, 'requests'),
  });

  function need(clientId: string): Tenant {
    const tenant = tenants.get(clientId);
    if (tenant === undefined) throw new ClaimlinkError('client_not_found');
    return tenant;
  }

  function selectTenants({ clientId }: Scope): Tenant[] {
    return clientId === undefined ? [...tenants.values()] : [need(clientId)];
  }

  function clockOf(clientId: string | null | undefined): SavedClock {
    return (typeof clientId === 'string' && tenants.get(clientId)?.clock) || defaultClock;
  }

  // Storage

  const stored: Storage & { insertSession(session: SessionRecord): void } = {
    findCredentials({ apiKeyHash, clientId }) {
      const owner = clientIdsByKeyHash.get(apiKeyHash);
      const client = tenants.get(clientId)?.client;
      return { ...(owner !== undefined && { apiKey: { clientId: owner } }), ...(client && { client }) };
    },
    findClient: (clientId) => tenants.get(clientId)?.client,
    listSessions: (query) => tenants.get(query.clientId)?.sessions.listSessions(query) ?? { sessions: [] },
    insertLink: (link) => need(link.clientId).links.insertLink(link),
    findLink({ clientId, accessCodeHash }) {
      const tenant = tenants.get(clientId);
      const entry = tenant?.links.get(accessCodeHash);
      if (tenant === undefined || entry === undefined) return undefined;
      return { link: entry.link, client: tenant.client, ...(entry.session && { session: entry.session }) };
    },
    markLinkOpened: (query) => tenants.get(query.clientId)?.links.markLinkOpened(query),
    submitLink: (submission) =>
      tenants.get(submission.clientId)?.links.submitLink(submission) ?? { outcome: 'not_found' },
    revokeLink: (query) => tenants.get(query.clientId)?.links.revokeLink(query) ?? false,
    async deleteExpiredLinks(before) {
      let deleted = 0;
      for (const { links } of tenants.values()) deleted += await links.deleteExpiredLinks(before);
      if (deleted > 0) file?.changed();
      return deleted;
    },
    insertSession: (session) => need(session.clientId).addSession(session),
  };
  const seeded = createSeededSessions({
    storage: stored,
    seeder,
    isExact: (clientId, userId) => tenants.get(clientId)?.exactUsers.has(userId) === true,
  });
  const storage: ClientStorage = {
    ...stored,
    listSessions: seeded.listSessions,
    insertSession: async (session) => seeded.insertSession(session),
  };

  const signer: LinkSigner = {
    sign(claims) {
      const token = baseSigner.sign(claims);
      const { accessCode, clientId } = claims;
      const url = `${publicUrl}/verify/${accessCode}?token=${token}`;
      tenants.get(clientId)?.links.setUrl(hashAccessCode(accessCode), url);
      return token;
    },
    verify: (token, now) => baseSigner.verify(token, now),
  };

  // Clients

  function put(
    { client, userIds, createInitial }: InitialClient,
    isConfigured: boolean,
    state?: ClientSnapshot,
  ): Tenant {
    const tenant = createTenant({
      client,
      userIds,
      createInitial,
      isConfigured,
      systemNow: options.now,
      storage,
      emit,
    });
    tenant.restore(state ?? createInitial());
    tenants.set(client.clientId, tenant);
    clientIdsByKeyHash.set(tenant.apiKeyHash, client.clientId);
    return tenant;
  }

  function putAdded(client: MockClientOptions, state?: ClientSnapshot): Tenant {
    return put(plainClient(context, client, state?.clock ?? defaultClock.setting), false, state);
  }

  function drop({ client, apiKeyHash }: Tenant): void {
    tenants.delete(client.clientId);
    clientIdsByKeyHash.delete(apiKeyHash);
  }

  /** Removes what belongs to a client that is gone. */
  function forget(clientId: string): void {
    requests.clear({ clientId });
    for (const [key, snapshot] of snapshots) if (snapshot.clientId === clientId) snapshots.delete(key);
  }

  // Faults

  function activate(fault: Fault): ActiveFault {
    return Object.freeze({ id: `fault-${++lastFaultNumber}`, ...structuredClone(fault), hits: 0 });
  }

  function faultLists(scope: Scope) {
    const lists = selectTenants(scope).map(({ faults }) => faults);
    return scope.clientId === undefined ? [sharedFaults, ...lists] : lists;
  }

  /** Each client has numbers of its own: requests of other clients do not change them. */
  function drawFor(clientId: string | null): number {
    const tenant = clientId === null ? undefined : tenants.get(clientId);
    const index = tenant === undefined ? sharedDraws++ : tenant.draws++;
    return randomAt(JSON.stringify(['faults', String(seed), clientId]), index);
  }

  // Clocks

  /** Changes the selected clocks, and checks all of them first. */
  function changeClocks(
    scope: Scope,
    change: (clock: SavedClock) => void,
    check?: (clock: SavedClock) => void,
  ) {
    const clocks = selectTenants(scope).map(({ clock }) => clock);
    if (scope.clientId === undefined) clocks.unshift(defaultClock);
    if (check) clocks.forEach(check);
    clocks.forEach(change);
    emitChanged(scope.clientId ?? null, 'clock');
    return clockOf(scope.clientId).read();
  }

  // Snapshots

  function takeCurrent({ clientId }: Scope): Snapshot {
    const clients = selectTenants({ ...(clientId !== undefined && { clientId }) }).map((tenant) =>
      tenant.save(),
    );
    if (clientId !== undefined) return { clients };
    return {
      clients,
      shared: { clock: defaultClock.setting, faults: sharedFaults.list(), draws: sharedDraws },
    };
  }

  /** Restores a snapshot. Without `shared` it has one client, which exists. */
  function restore({ clients, shared }: Snapshot): void {
    if (shared !== undefined) {
      defaultClock.restore(shared.clock);
      sharedFaults.restore(shared.faults);
      sharedDraws = shared.draws;
      for (const tenant of [...tenants.values()]) if (!tenant.client.isConfigured) drop(tenant);
    }
    for (const snapshot of clients) {
      const tenant = tenants.get(snapshot.client.clientId);
      if (tenant === undefined) putAdded(snapshot.client, snapshot);
      else tenant.restore(snapshot);
    }
  }

  function snapshotKey(name: string, { clientId }: Scope): string {
    if (clientId !== undefined) need(clientId);
    return `${clientId ?? ''}\0${parseId(name, 'name')}`;
  }

  const describeSnapshot = ({ name, clientId, takenAt }: NamedSnapshot) => ({ name, clientId, takenAt });

  const context: InitialContext = { options, publicUrl, seeder, signer: baseSigner, activate };
  open();

  /** Creates the clients of the options, with the saved state if there is one. */
  function open(): void {
    for (const initial of initialClients(context)) put(initial, true);
    sharedFaults.restore(initialSharedFaults(options).map(activate));
    if (saved === undefined) return;
    for (const { client } of saved.current.clients) {
      const keyOwner = clientIdsByKeyHash.get(hashApiKey(client.apiKey));
      if (!tenants.has(client.clientId) && keyOwner !== undefined) {
        const detail = `has the client ${client.clientId} with the API key of the client ${keyOwner}`;
        throw persistError(`${options.persistFile} ${detail}`);
      }
    }
    restore(saved.current);
    for (const snapshot of saved.snapshots)
      snapshots.set(`${snapshot.clientId ?? ''}\0${snapshot.name}`, snapshot);
    const faults = [saved.current, ...saved.snapshots.map(({ content }) => content)].flatMap(
      ({ clients, shared }) => [...(shared?.faults ?? []), ...clients.flatMap((client) => client.faults)],
    );
    for (const { id } of faults)
      lastFaultNumber = Math.max(lastFaultNumber, Number(id.slice('fault-'.length)));
  }

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

  const produce = () =>
    stringifyState({
      seed: String(seed),
      refDate: refDate.toISOString(),
      secret: secret.toString('base64url'),
      current: takeCurrent({}),
      snapshots: [...snapshots.values()],
    });

  return {
    options,
    publicUrl,
    seeder,
    signer,
    storage,
    requests,
    events,

    clients: () => [...tenants.values()].map(({ client }) => client),
    clientStates: () => [...tenants.values()],
    clientState: (clientId) => tenants.get(clientId),
    needClient: need,
    addClient(newClient = {}) {
      const client = completeClient(newClient);
      if (tenants.size >= MAX_CLIENTS)
        throw invalidValue('The client', [problemAt('', 'limit', `is one more than ${MAX_CLIENTS}`)]);
      if (tenants.has(client.clientId)) throw alreadyExists('A client with this id');
      if (clientIdsByKeyHash.has(hashApiKey(client.apiKey)))
        throw alreadyExists('A client with this API key');
      const tenant = putAdded(client);
      emitChanged(client.clientId, 'clients');
      return tenant.client;
    },
    removeClient(clientId) {
      const tenant = tenants.get(clientId);
      if (tenant === undefined || tenant.client.isConfigured) return false;
      drop(tenant);
      forget(clientId);
      emitChanged(clientId, 'clients');
      return true;
    },

    now: () => clockOf(current.getStore()).now(),
    runFor: (clientId, run) => current.run(clientId, run),
    clock({ clientId } = {}) {
      if (clientId !== undefined) need(clientId);
      return clockOf(clientId).read();
    },
    setClock({ now, isFrozen }, scope = {}) {
      const moment = now === undefined ? undefined : parseInstant(now);
      if (now !== undefined && moment === undefined)
        throw invalidClock('now', 'must be a moment in the years 1980 to 9000');
      return changeClocks(scope, (clock) => {
        if (isFrozen === true) clock.freeze();
        if (isFrozen === false) clock.resume();
        if (moment !== undefined) clock.set(moment);
      });
    },
    advanceClock: (ms, scope = {}) =>
      changeClocks(
        scope,
        (clock) => clock.advance(ms),
        (clock) => {
          if (!isInClockRange(clock.now().getTime() + ms))
            throw invalidClock('ms', 'must lead to a moment in the years 1980 to 9000');
        },
      ),
    resetClock: (scope = {}) => changeClocks(scope, (clock) => clock.reset()),

    setSessions(clientId, userId, sessions) {
      const tenant = need(clientId);
      parseId(userId, 'userId');
      const problems = checkSessions(sessions);
      if (problems.length > 0) throw invalidValue('The list of sessions', problems);
      const records = sessions.map((session, index) => ({
        clientId,
        userId,
        ...completeSession(session, seeder.extraSessionOf(clientId, userId, index + 1)),
      }));
      tenant.setSessions(userId, records);
    },
    addSession(clientId, userId, session) {
      const tenant = need(clientId);
      parseId(userId, 'userId');
      const problems = checkSessions([session]).map((problem) => ({
        ...problem,
        pointer: problem.pointer?.replace(/^\/0/, '') ?? '',
      }));
      if (problems.length > 0) throw invalidValue('The session', problems);
      const references = new Set(tenant.save().sessions.map(({ reference }) => reference));
      if (!tenant.exactUsers.has(userId))
        for (const { reference } of seeder.sessionsOf(clientId, userId)) references.add(reference);
      let ordinal = 1;
      let extra = seeder.extraSessionOf(clientId, userId, ordinal);
      while (references.has(extra.reference)) extra = seeder.extraSessionOf(clientId, userId, ++ordinal);
      const complete = completeSession(session, extra);
      if (references.has(complete.reference)) throw alreadyExists('A session with this reference');
      tenant.addSession({ clientId, userId, ...complete });
      return complete.reference;
    },

    addFault(fault) {
      const problems = checkWith(faultSchema, fault);
      if (problems.length > 0) throw invalidValue('The fault', problems);
      const list = fault.clientId === undefined ? sharedFaults : need(fault.clientId).faults;
      if (list.list().length >= MAX_FAULTS)
        throw invalidValue('The fault', [
          problemAt('', 'limit', `is one more than ${MAX_FAULTS}; clear some first`),
        ]);
      const active = activate(fault);
      list.add(active);
      return active;
    },
    faults: (scope = {}) => faultLists(scope).flatMap((list) => list.list()),
    clearFaults: ({ id, ...scope } = {}) =>
      faultLists(scope).reduce((cleared, list) => cleared + list.clear(id), 0),
    decideFault(target, asked = {}) {
      const { clientId } = target;
      const own = clientId === null ? undefined : tenants.get(clientId)?.faults;
      const lists = own === undefined ? [sharedFaults] : [sharedFaults, own];
      return decideFault(lists, target, asked, () => drawFor(clientId));
    },

    findLink(link) {
      for (const client of tenants.values()) {
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
      return selectTenants({ ...(clientId !== undefined && { clientId }) })
        .flatMap(({ links }) => links.list(filter))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .slice(0, limit);
    },
    countLinks: ({ clientId, ...filter } = {}) =>
      selectTenants({ ...(clientId !== undefined && { clientId }) }).reduce(
        (count, { links }) => count + links.count(filter),
        0,
      ),

    reset(scope = {}) {
      for (const tenant of selectTenants(scope)) {
        if (scope.clientId !== undefined || tenant.client.isConfigured) {
          tenant.restore(tenant.createInitial());
        } else {
          drop(tenant);
          forget(tenant.client.clientId);
        }
      }
      if (scope.clientId === undefined) {
        defaultClock.reset();
        sharedFaults.restore(initialSharedFaults(options).map(activate));
        sharedDraws = 0;
      }
      requests.clear(scope);
      emitChanged(scope.clientId ?? null, 'everything');
    },
    takeSnapshot(name, scope = {}) {
      const key = snapshotKey(name, scope);
      const clientId = scope.clientId ?? null;
      if (!snapshots.has(key) && snapshots.size >= MAX_SNAPSHOTS)
        throw invalidValue('The snapshot', [
          problemAt('', 'limit', `is one more than ${MAX_SNAPSHOTS}; delete some first`),
        ]);
      const snapshot = { name, clientId, takenAt: clockOf(clientId).now(), content: takeCurrent(scope) };
      snapshots.set(key, snapshot);
      emitChanged(clientId, 'snapshots');
      return describeSnapshot(snapshot);
    },
    restoreSnapshot(name, scope = {}) {
      const snapshot = snapshots.get(snapshotKey(name, scope));
      if (snapshot === undefined)
        throw invalidValue('The snapshot', [problemAt('/name', 'unknown', 'is not the name of a snapshot')]);
      restore(snapshot.content);
      emitChanged(scope.clientId ?? null, 'everything');
    },
    snapshots(scope = {}) {
      if (scope.clientId !== undefined) need(scope.clientId);
      return [...snapshots.values()]
        .filter(({ clientId }) => scope.clientId === undefined || clientId === scope.clientId)
        .map(describeSnapshot);
    },
    deleteSnapshot(name, scope = {}) {
      const isDeleted = snapshots.delete(snapshotKey(name, scope));
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

/**
 * Generates the members that are missing.
 * @throws `request_invalid`
 */
function completeClient(client: NewMockClient): MockClientOptions {
  const complete = {
    clientId: `tenant-${randomBytes(6).toString('hex')}`,
    apiKey: `clk_test_${randomBytes(12).toString('hex')}`,
    // JSON removes members that are undefined.
    ...JSON.parse(JSON.stringify(client)),
  };
  const problems = checkWith(clientSchema, complete);
  if (problems.length > 0) throw invalidValue('The client', problems);
  return complete;
}

function alreadyExists(subject: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${subject} exists already.`);
}

function invalidClock(member: 'now' | 'ms', detail: string): ClaimlinkError {
  return invalidValue('The clock', [problemAt(`/${member}`, 'range', detail)]);
}
