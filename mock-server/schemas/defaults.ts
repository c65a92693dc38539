// Defaults that options, flags and help texts share. Imports nothing, so that the help text loads fast.

export const DEFAULT_PORT = 4010;

/** Reachable from this machine only. */
export const DEFAULT_HOST = '127.0.0.1';

export const DEFAULT_SEED = 42;

/** Seeded sessions are older than this. */
export const DEFAULT_REF_DATE = '2026-01-01T00:00:00.000Z';

export const DEFAULT_CLIENT = { clientId: 'demo', apiKey: 'clk_test_demo', name: 'Demo Insurance' } as const;

/** Users that each client lists by name. Every other user id has sessions as well. */
export const DEFAULT_USER_IDS = ['user-1', 'user-2', 'user-3', 'user-4', 'user-5'] as const;

/** Speed of the effect `slow`. */
export const DEFAULT_BYTES_PER_SECOND = 1000;

/** Bytes of a body that arrive before the effect `cut-upload`. */
export const DEFAULT_AFTER_BYTES = 1000;

/** Formats of the log: for people, as JSON lines, or no log. */
export const LOG_FORMATS = ['pretty', 'json', 'silent'] as const;
/** Format of the log: for people, as JSON lines, or no log. */
export type LogFormat = (typeof LOG_FORMATS)[number];

/** A user id with a special meaning. Every client has these users. */
export interface SpecialUser {
  id: string;
  /** Number of seeded sessions. Absent: as for any user. */
  sessions?: number;
  /** Members of the fault that is set for this user from the start. */
  fault?: { status?: number; delayMs?: number };
}

export const SPECIAL_USERS: readonly SpecialUser[] = [
  { id: 'user-empty', sessions: 0 },
  { id: 'user-many', sessions: 250 },
  { id: 'user-slow', fault: { delayMs: 3000 } },
  { id: 'user-error', fault: { status: 500 } },
];

/** Entries of a list. */
export const DEFAULT_LIMIT = 100;
