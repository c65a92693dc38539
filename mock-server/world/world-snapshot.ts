// The shape of a world that lives in memory, as it is copied for snapshots, resets and the persist file.
import type { MemoryStorageSeed } from '../../lib/index.js';
import type { MockClientOptions } from '../options.js';

/** What a client's clock is set to. */
export interface ClockSetting {
  /** Ahead of the real time by so many milliseconds; unused while frozen. */
  offsetMs: number;
  /** Stands still at this moment. */
  frozenAt?: Date;
}

/** What the mock knows of a link besides what its storage holds. */
export interface LinkRecord {
  accessCodeHash: string;
  /** With access code and token: a secret. */
  url: string;
  /** Was let expire on purpose, from this moment on. */
  expiredAt?: Date;
}

/** One client with everything it has. Immutable; its parts are shared with the running world. */
export interface ClientSnapshot {
  client: MockClientOptions;
  /** false: added while the mock ran. */
  isConfigured: boolean;
  /** Exactly one client, this one; its keys, links, and the sessions that are not made up on demand. */
  storage: MemoryStorageSeed;
  /** Users who have exactly the sessions of `storage`; every other one has seeded sessions besides. */
  namedUsers: readonly string[];
  clock: ClockSetting;
  /** Links that it is no longer known for are in `storage` alone. */
  links: readonly LinkRecord[];
}

/** A whole world. */
export interface WorldSnapshot {
  /** What new clients' clocks begin with. */
  clock: ClockSetting;
  clients: readonly ClientSnapshot[];
}
