// A scenario becomes a world: its clients as snapshots.
import type { SessionRecord } from '../../lib/index.js';
import type { MockClientOptions } from '../options.js';
import { storageOfNew } from '../world/memory-world.js';
import type { ClientSnapshot } from '../world/world-snapshot.js';
import type { Scenario, ScenarioClient } from './scenario.js';
import { toSessions } from './scenario-sessions.js';

/** The clients of a scenario that has been checked, as they begin at `now`: no links, clocks at the real time. */
export function scenarioToSnapshots(scenario: Scenario, now: Date): ClientSnapshot[] {
  return scenario.clients.map((client) => {
    const options = optionsOf(client);
    return {
      client: options,
      isConfigured: true,
      storage: { ...storageOfNew(options, now), sessions: recordsOf(client), links: [] },
      namedUsers: client.users.map(({ userId }) => userId),
      clock: { offsetMs: 0 },
      links: [],
    };
  });
}

function optionsOf({ clientId, apiKey, name, callbackOrigins }: ScenarioClient): MockClientOptions {
  return {
    clientId,
    apiKey,
    ...(name !== undefined && { name }),
    ...(callbackOrigins && { callbackOrigins: [...callbackOrigins] }),
  };
}

function recordsOf({ clientId, users }: ScenarioClient): SessionRecord[] {
  return users.flatMap(({ userId, sessions }) =>
    toSessions(sessions).map((session) => ({ clientId, userId, ...session })),
  );
}
