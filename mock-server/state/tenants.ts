// The clients of a mock: the state of each, as it can be saved and restored, and how they are found.
import { randomBytes } from 'node:crypto';
import {
  ClaimlinkError,
  createMemoryStorage,
  hashApiKey,
  isClaimlinkError,
  type Session,
  type SessionRecord,
} from '../../lib/index.js';
import type {
  ActiveFault,
  ClientChange,
  ClientSettings,
  MockClient,
  MockClientOptions,
  MockEvent,
  NewMockClient,
} from '../control.js';
import { invalidValue, problemAt } from '../problems.js';
import { settingsProblems } from '../scenario/scenario-check.js';
import { checkWith } from '../scenario/schema-check.js';
import { type ClockSetting, readClock } from './clock.js';
import { createLinkStore, type StoredLink } from './links.js';

/** The clock and the faults of one client, or those of all clients. */
export interface ScopeState {
  clock: ClockSetting;
  faults: readonly ActiveFault[];
  /** Random numbers that faults have drawn. */
  draws: number;
}

/** One client with its state. Immutable: it shares its parts with the running mock. */
export interface ClientSnapshot extends Readonly<ScopeState> {
  readonly client: MockClientOptions;
  /** The settings, if they were changed while the mock runs. */
  readonly settings?: ClientSettings;
  /** Users who have exactly the sessions in `sessions`. All others have seeded sessions as well. */
  readonly exactUsers: readonly string[];
  readonly sessions: readonly SessionRecord[];
  readonly links: readonly StoredLink[];
}

/** A client with the function that creates its initial state. */
export interface InitialClient {
  client: MockClientOptions;
  userIds: readonly string[];
  /** Creates the state anew in each call, because its moments are relative to the clock. */
  createInitial: () => ClientSnapshot;
}

export type Tenant = ReturnType<typeof createTenant>;

/** Creates a client without state. */
function createTenant(
  { client, userIds, createInitial }: InitialClient,
  isConfigured: boolean,
  systemNow: () => Date,
  emit: (event: MockEvent) => void,
) {
  const { clientId, apiKey, ...initialSettings } = client;
  const users = { userIds: Object.freeze(userIds.slice(0, 100)), userCount: userIds.length };
  const own: ScopeState = { clock: { offsetMs: 0 }, faults: [], draws: 0 };
  const now = () => readClock(own.clock, systemNow()).now;
  const links = createLinkStore(now, insertSession, (link) => emit({ type: 'link', clientId, link }));
  let sessions = openSessions([]);
  let exactUsers: ReadonlySet<string> = new Set();
  let settings: ClientSettings | undefined;

  function openSessions(records: readonly SessionRecord[]) {
    return createMemoryStorage({ clients: [{ clientId }], sessions: records });
  }

  /** @throws `already_exists` for a reference that the client has already */
  function addSession(session: SessionRecord): void {
    sessions.insertSession(session);
    emit({ type: 'sessions', clientId, userId: session.userId });
  }

  function insertSession(userId: string, session: Session): boolean {
    try {
      addSession({ clientId, userId, ...session });
      return true;
    } catch (error) {
      if (isClaimlinkError(error) && error.code === 'already_exists') return false;
      throw error;
    }
  }

  function restore({ clock, faults, draws, ...snapshot }: ClientSnapshot): void {
    settings = snapshot.settings;
    sessions = openSessions(snapshot.sessions);
    exactUsers = new Set(snapshot.exactUsers);
    links.restore(snapshot.links);
    Object.assign(own, { clock, faults, draws });
  }

  return {
    links,
    own,
    addSession,
    restore,
    /** Restores the initial state. */
    reset: () => restore(createInitial()),
    get client(): MockClient {
      return { clientId, apiKey, ...(settings ?? initialSettings), ...users, isConfigured };
    },
    /** Sessions that are not seeded. */
    get sessions() {
      return sessions;
    },
    /** Users without seeded sessions. */
    get exactUsers() {
      return exactUsers;
    },
    /** Replaces the sessions of a user. @throws `already_exists` for a reference of another user */
    setSessions(userId: string, records: readonly SessionRecord[]) {
      const others = sessions.snapshot().sessions.filter((session) => session.userId !== userId);
      sessions = openSessions([...others, ...records]);
      exactUsers = new Set([...exactUsers, userId]);
      emit({ type: 'sessions', clientId, userId });
    },
    /** Changes the settings. @throws `request_invalid` */
    change(change: ClientChange) {
      const changed = mergePatch(settings ?? initialSettings, change) as ClientSettings;
      const problems = settingsProblems({ clientId, ...changed });
      if (problems.length > 0) throw invalidValue('The client', problems);
      settings = changed;
    },
    save: (): ClientSnapshot => ({
      client,
      ...(settings && { settings }),
      exactUsers: [...exactUsers],
      sessions: sessions.snapshot().sessions,
      links: links.save(),
      ...own,
    }),
  };
}

/** Applies a JSON Merge Patch (RFC 7396). */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged = new Map<string, unknown>(Object.entries(Object(target)));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

const MAX_CLIENTS = 10_000;

export type Tenants = ReturnType<typeof createTenants>;

/** Creates a registry without clients. */
export function createTenants(systemNow: () => Date, emit: (event: MockEvent) => void) {
  const tenants = new Map<string, Tenant>();
  const idsByKeyHash = new Map<string, string>();

  /** @throws `client_not_found` */
  function need(clientId: string): Tenant {
    const tenant = tenants.get(clientId);
    if (tenant === undefined) throw new ClaimlinkError('client_not_found');
    return tenant;
  }

  return {
    need,
    all: () => [...tenants.values()],
    find: (clientId: string | null | undefined) => tenants.get(clientId ?? ''),
    /** Returns the client of the scope, or all. @throws `client_not_found` */
    select: ({ clientId }: { clientId?: string | undefined }) =>
      clientId === undefined ? [...tenants.values()] : [need(clientId)],
    /** Returns the id of the client with this key. */
    keyOwner: (apiKeyHash: string) => idsByKeyHash.get(apiKeyHash),
    /** Adds a client in its initial state. */
    put(initial: InitialClient, isConfigured: boolean): Tenant {
      const { clientId, apiKey } = initial.client;
      const tenant = createTenant(initial, isConfigured, systemNow, emit);
      tenants.set(clientId, tenant);
      idsByKeyHash.set(hashApiKey(apiKey), clientId);
      tenant.reset();
      return tenant;
    },
    drop({ client: { clientId, apiKey } }: Tenant) {
      tenants.delete(clientId);
      idsByKeyHash.delete(hashApiKey(apiKey));
    },
  };
}

/**
 * Returns a client to add, with generated members in the place of those that are missing.
 * @throws `request_invalid`; `already_exists` for the id or the key of another client
 */
export function completeClient(client: NewMockClient, tenants: Tenants): MockClientOptions {
  const complete: MockClientOptions = {
    clientId: `tenant-${randomBytes(6).toString('hex')}`,
    apiKey: `clk_test_${randomBytes(12).toString('hex')}`,
    // JSON removes members that are undefined.
    ...JSON.parse(JSON.stringify(client)),
  };
  const problems = [...checkWith('client', complete)];
  if (problems.length === 0) problems.push(...settingsProblems(complete));
  if (tenants.all().length >= MAX_CLIENTS)
    problems.push(problemAt('', 'value', `is one more than ${MAX_CLIENTS}`));
  if (problems.length > 0) throw invalidValue('The client', problems);
  if (tenants.find(complete.clientId) !== undefined) throw alreadyExists('A client with this id');
  if (tenants.keyOwner(hashApiKey(complete.apiKey)) !== undefined)
    throw alreadyExists('A client with this API key');
  return complete;
}

/** Returns the error of a value that occurs twice. */
export function alreadyExists(subject: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${subject} exists already.`);
}
