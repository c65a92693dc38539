// What the mock's pages are about: its clients, its users, its seed.
import type { MockClientOptions } from './options.js';
import type { Samples } from './samples.js';

/** What the dashboard shows. */
export interface World {
  publicUrl: string;
  seed: number | string;
  /** At least one. */
  clients: readonly MockClientOptions[];
  userIds: readonly string[];
  samples: Samples;
}
