// The state of a mock in one answer: what a person or a script wants to know first.
import type { ClockReading, MockClient } from '../control.js';
import type { Mock } from '../mock.js';

/** Users of a client that are named in one answer; there may be 100,000. */
const SHOWN_USERS = 100;

/** The answer of `GET /__mock/state`. */
export interface MockState {
  publicUrl: string;
  seed: number | string;
  refDate: Date;
  clock: ClockReading;
  clients: readonly (MockClient & { isConfigured: boolean; clock: ClockReading })[];
  faults: ReturnType<Mock['control']['faults']>;
  /** What `--latency` and `--error-rate` have set. */
  base: Mock['faults']['base'];
  /** Where the world lives. */
  keptIn: 'memory' | 'file' | 'database';
}

/** Puts it together. */
export function stateOf({ control, tenants, faults, publicUrl, seed, refDate, keptIn }: Mock): MockState {
  return {
    publicUrl,
    seed,
    refDate,
    clock: control.clock.read(),
    clients: control.clients.map((client) => {
      return {
        ...client,
        ...shortened(client),
        isConfigured: tenants.isConfigured(client.clientId),
        clock: control.clock.read({ clientId: client.clientId }),
      };
    }),
    faults: control.faults(),
    base: faults.base,
    keptIn,
  };
}

/** What is needed to call the API as a client; the first of its users only, where there are very many. */
export function shortened({ clientId, apiKey, userIds }: MockClient): MockClient {
  return { clientId, apiKey, userIds: userIds.slice(0, SHOWN_USERS) };
}
