// Defaults that the options, the flags and the help text share. Imports nothing: help must come at once.

/** Where the mock listens, unless told otherwise. */
export const DEFAULT_PORT = 4010;

/** The address the mock binds, unless told otherwise: reachable from this machine only. */
export const DEFAULT_HOST = '127.0.0.1';

/** What seeds a world, unless told otherwise. */
export const DEFAULT_SEED = 42;

/** "Today" of the seeded world, unless told otherwise: every seeded session lies before it. */
export const DEFAULT_REF_DATE = '2026-01-01T00:00:00.000Z';

/** The one client, unless told otherwise. */
export const DEFAULT_CLIENT = { clientId: 'demo', apiKey: 'clk_test_demo', name: 'Demo Insurance' } as const;

/** So many users of each client are named, unless told otherwise. */
export const DEFAULT_USER_COUNT = 5;

/** How the log is written: for people, as JSON lines, or not at all. */
export const LOG_FORMATS = ['pretty', 'json', 'silent'] as const;

/** One of `LOG_FORMATS`. */
export type LogFormat = (typeof LOG_FORMATS)[number];
