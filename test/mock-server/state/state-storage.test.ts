// The storage of a mock follows the rules of the storage port.
import t from 'tap';
import type { Storage } from '../../../lib/index.js';
import { storageSuite } from '../../../lib/testing/index.js';
import type { MockState } from '../../../mock-server/state/mock-state.js';
import { openState } from './set-up.js';

/** A client of a mock has one key, without an expiry. These rules are about keys that a storage is given. */
const RULES_ABOUT_KEYS = /^findCredentials (?!does not find a key by its hash)/;

const states = new WeakMap<Storage, MockState>();

async function createStorage(): Promise<Storage> {
  // Without seeded sessions, as in an empty storage.
  const { state } = await openState({ sessionCount: 0, clients: [{ clientId: 'unused', apiKey: 'unused' }] });
  states.set(state.storage, state);
  return state.storage;
}

const cases = storageSuite(createStorage, async (storage, { clients, sessions }) => {
  const state = states.get(storage);
  for (const client of clients) state?.addClient(client);
  for (const session of sessions) await state?.storage.insertSession(session);
});

for (const { name, run } of cases) {
  if (!RULES_ABOUT_KEYS.test(name)) t.test(name, () => run());
}
