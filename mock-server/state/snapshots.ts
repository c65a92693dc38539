// The state of a mock as data: named snapshots with their methods, and the text of the persist file.
import { createHash, webcrypto } from 'node:crypto';
import { invalidOptions } from '../../lib/core/errors.js';
import { controlError, invalidValue, persistError, problemAt } from '../control/errors.js';
import type { ClientSelection, SnapshotInfo } from '../control/types.js';
import { type DatesOf, MOMENT, withDates } from '../schemas/dates.js';
import type { ClientState, ClockAndFaults } from './client-records.js';
import type { OnChange } from './event-bus.js';
import { type JsonPieces, jsonList, jsonObject, toJson } from './json-pieces.js';
import type { ResolvedMockOptions } from './options.js';
import { MIB } from './space.js';

/** The whole mock, or (without `defaults`) one client. */
export interface Snapshot {
  readonly clients: readonly ClientState[];
  /** The clock of new clients, and the faults of all clients. */
  readonly defaults?: Readonly<ClockAndFaults>;
}

interface SavedSnapshot extends Readonly<SnapshotInfo> {
  readonly content: Snapshot;
}

/** A snapshot as JSON: it has a size, and a later change of the state does not change it. */
interface NamedSnapshot extends Readonly<SnapshotInfo> {
  readonly content: Buffer;
}

export interface SnapshotSelection extends ClientSelection {
  name: string;
}

interface SnapshotSource {
  /** @throws `client_not_found` */
  select(selection: ClientSelection): unknown;
  /** Returns the JSON of a `Snapshot`. */
  take(selection: ClientSelection): Buffer;
  restore(snapshot: Snapshot): void;
  now(selection: ClientSelection): Date;
  onChange: OnChange;
}

/** Of each client, and of the whole mock. */
const MAX_SNAPSHOTS = 1000;
/** Of all snapshots of a client. */
const MAX_CLIENT_BYTES = 16 * MIB;
/** Of all snapshots of the whole mock. */
const MAX_MOCK_BYTES = 96 * MIB;

/** Creates the snapshots. One of a client and one of the whole mock may have the same name. */
export function createSnapshots(
  saved: readonly SavedSnapshot[],
  { select, take, restore, now, onChange }: SnapshotSource,
) {
  const keyOf = (name: string, { clientId }: { clientId?: string | null }) => `${clientId ?? ''}\0${name}`;
  const named = new Map<string, NamedSnapshot>(
    saved.map(({ content, ...info }) => [keyOf(info.name, info), { ...info, content: toJson(content) }]),
  );

  /** @throws `request_invalid` if the client or the mock has too many snapshots beside this one */
  function assertSpace(key: string, clientId: string | null, { length }: Buffer): void {
    const others = [...named].filter(([other, each]) => other !== key && each.clientId === clientId);
    const bytes = others.reduce((sum, [, { content }]) => sum + content.length, length);
    const maxBytes = clientId === null ? MAX_MOCK_BYTES : MAX_CLIENT_BYTES;
    const isOneMore = others.length >= MAX_SNAPSHOTS;
    if (!isOneMore && bytes <= maxBytes) return;
    const limit = isOneMore ? `${MAX_SNAPSHOTS} snapshots` : `${maxBytes / MIB} MiB of snapshots`;
    throw invalidValue('The snapshot', [
      problemAt('', 'value', `is one more than ${limit}; delete some first`),
    ]);
  }

  const methods = {
    /** Replaces the snapshot of the same client and name. @throws `request_invalid` */
    snapshot({ name, ...selection }: SnapshotSelection): SnapshotInfo {
      const content = take(selection);
      const key = keyOf(name, selection);
      const { clientId = null } = selection;
      assertSpace(key, clientId, content);
      const info = { name, clientId, takenAt: now(selection) };
      named.set(key, { ...info, content });
      onChange(info.clientId, 'snapshots');
      return info;
    },
    /** @throws `snapshot_not_found` */
    restore({ name, ...selection }: SnapshotSelection): void {
      select(selection);
      const snapshot = named.get(keyOf(name, selection));
      if (snapshot === undefined) throw controlError('snapshot_not_found');
      restore(withDates(SAVED_SNAPSHOT, JSON.parse(snapshot.content.toString())) as Snapshot);
      onChange(snapshot.clientId, 'everything');
    },
    snapshots(selection: ClientSelection = {}): SnapshotInfo[] {
      select(selection);
      return [...named.values()]
        .filter(({ clientId }) => selection.clientId === undefined || selection.clientId === clientId)
        .map(({ content: _, ...info }) => info);
    },
    /** Returns false for an unknown name. */
    deleteSnapshot({ name, ...selection }: SnapshotSelection): boolean {
      select(selection);
      const isDeleted = named.delete(keyOf(name, selection));
      if (isDeleted) onChange(selection.clientId ?? null, 'snapshots');
      return isDeleted;
    },
  };

  return {
    methods,
    /** Returns the JSON of each `SavedSnapshot`. */
    all: (): JsonPieces[] =>
      [...named.values()].map(({ content, ...info }) =>
        jsonObject({ ...toPieces(info), content: [content] }),
      ),
    forget(clientId: string) {
      for (const [key, snapshot] of named) if (snapshot.clientId === clientId) named.delete(key);
    },
  };
}

export interface SavedState {
  readonly seed: string;
  readonly refDate: Date;
  /** Signs the links: base64url. */
  readonly secret: string;
  readonly current: Snapshot;
  readonly snapshots: readonly SavedSnapshot[];
}

/** A `SavedState` whose large parts are JSON. */
export interface StateToSave extends Omit<SavedState, 'current' | 'snapshots'> {
  readonly current: JsonPieces;
  readonly snapshots: readonly JsonPieces[];
}

const datesOf = <const N extends string>(...names: N[]) =>
  Object.fromEntries(names.map((name) => [name, MOMENT])) as Record<N, typeof MOMENT>;
const listOf = <T>(items: T) => ({ items });

const SESSION = {
  properties: { ...datesOf('date', 'createdAt'), notice: { properties: datesOf('at') } },
};
const ATTEMPTS = datesOf('nextAttemptAt', 'failedAt');
const LINK = { properties: datesOf('createdAt', 'expiresAt', 'openedAt', 'submittedAt', 'revokedAt') };
const LIFE = { properties: { ...datesOf('noticeAt'), moments: listOf({ properties: datesOf('at') }) } };

// A file has the same JSON since version 3: each Date is a text.
const SAVED_SNAPSHOT = {
  properties: {
    clients: listOf({
      properties: {
        sessions: listOf(SESSION),
        changes: listOf({ properties: datesOf('at') }),
        events: listOf({ properties: { ...ATTEMPTS, ...datesOf('at', 'expiresAt') } }),
        lifeEvents: listOf({
          properties: { ...ATTEMPTS, event: { properties: datesOf('at', 'expiresAt') } },
        }),
        links: listOf({ properties: { link: LINK, session: SESSION, life: LIFE } }),
      },
    }),
  },
} satisfies DatesOf<Snapshot>;

const SAVED_STATE = {
  properties: {
    ...datesOf('refDate'),
    current: SAVED_SNAPSHOT,
    snapshots: listOf({ properties: { ...datesOf('takenAt'), content: SAVED_SNAPSHOT } }),
  },
} satisfies DatesOf<SavedState>;

const FORMAT = 'claimlink-mock-state';
const VERSION = 3;

/** What JavaScript can read as one text, with a reserve. */
const MAX_FILE_BYTES = 500 * MIB;

/**
 * Returns the content of a persist file: the JSON of a state, with its version and a checksum. The state is that of the call.
 * @throws `options_invalid` for a state that a later start could not read
 */
export async function stringifyState({ current, snapshots, ...others }: StateToSave): Promise<Buffer> {
  const state = jsonObject({ ...toPieces(others), current, snapshots: jsonList(snapshots) });
  const json = Buffer.concat(state);
  if (json.length > MAX_FILE_BYTES)
    throw persistError(
      `would have more than ${MAX_FILE_BYTES / MIB} MiB; delete snapshots or sessions first`,
    );
  // In a thread of its own: a large state does not delay requests.
  const digest = await webcrypto.subtle.digest('SHA-256', json);
  const start = JSON.stringify({
    format: FORMAT,
    version: VERSION,
    checksum: Buffer.from(digest).toString('base64url'),
  });
  return Buffer.concat([Buffer.from(`${start.slice(0, -1)},"state":`), json, Buffer.from('}\n')]);
}

function toPieces(members: object): Record<string, JsonPieces> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, [toJson(value)]]));
}

/**
 * Reads the text of a persist file.
 * @throws `options_invalid` for a text that is damaged, or of another seed or reference date
 */
export function readState(options: ResolvedMockOptions, path: string, text: string): SavedState {
  let file: { format?: unknown; version?: unknown; checksum?: unknown; state?: unknown };
  try {
    file = Object(JSON.parse(text));
  } catch (error) {
    throw persistError(`${path} is not JSON`, error);
  }
  if (file.format !== FORMAT) throw persistError(`${path} is not a persist file of the mock`);
  if (file.version !== VERSION)
    throw persistError(
      `${path} has version ${Number(file.version)}; this claimlink reads version ${VERSION}: delete it or name another file, and the mock starts with new data`,
    );
  // Every later check would only find what an edit or a damaged disk has changed.
  if (file.checksum !== checksum(JSON.stringify(file.state)))
    throw persistError(`${path} is damaged or was edited`);
  const state = withDates(SAVED_STATE, file.state) as SavedState;
  const mustBe = (name: string, value: string) =>
    invalidOptions([problemAt(`/${name}`, 'value', `must be ${value}, as in the persist file`)]);
  const { seed, refDate } = options;
  if (state.seed !== String(seed)) throw mustBe('seed', state.seed);
  if (state.refDate.getTime() !== refDate.getTime()) throw mustBe('refDate', state.refDate.toISOString());
  return withoutFormerClients(options, state);
}

/** Removes the clients that options or scenario configured before and no longer do. Their API keys must not stay valid. */
function withoutFormerClients({ clients, scenario }: ResolvedMockOptions, state: SavedState): SavedState {
  const configured = new Set([...clients, ...(scenario?.clients ?? [])].map(({ clientId }) => clientId));
  const filter = (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    clients: snapshot.clients.filter(
      ({ client, isConfigured = false }) => !isConfigured || configured.has(client.clientId),
    ),
  });
  return {
    ...state,
    current: filter(state.current),
    snapshots: state.snapshots
      .map((snapshot) => ({ ...snapshot, content: filter(snapshot.content) }))
      .filter(({ clientId, content }) => clientId === null || content.clients.length > 0),
  };
}

function checksum(json: string): string {
  return createHash('sha256').update(json).digest('base64url');
}
