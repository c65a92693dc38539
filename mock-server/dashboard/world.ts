// What the mock's pages are about besides what can be turned: its address, its seed, examples to call it.
import type { Samples } from './samples.js';

/** What stays the same while a mock runs. */
export interface World {
  publicUrl: string;
  seed: number | string;
  samples: Samples;
}
