// The state of a mock as a scenario.
import { linkState } from '../../lib/core/link-state.js';
import type { Scenario, ScenarioClient } from '../control/scenario.js';
import type { ActiveFault } from '../control/types.js';
import { SPECIAL_USERS } from '../schemas/defaults.js';
import type { ClientState } from './client-records.js';
import { withLater } from './later.js';

/** Returns a scenario. The faults that each mock sets for its special users are not in it. */
export function toScenario(clients: readonly object[], faults: readonly ActiveFault[]): Scenario {
  const isSpecial = ({ userId, route, delayMs, status }: ActiveFault) =>
    SPECIAL_USERS.some(
      ({ id, fault }) => id === userId && !route && fault?.delayMs === delayMs && fault?.status === status,
    );
  const others = faults.filter((fault) => !isSpecial(fault)).map(withoutId);
  // As JSON, so that moments are text.
  return JSON.parse(JSON.stringify({ clients, ...(others.length > 0 && { faults: others }) }));
}

/**
 * Returns a client with its data. Moments are Dates. A submitted link whose session was removed is left out, because a
 * scenario would add one.
 */
export function toScenarioClient(
  { client, settings, storedUsers, sessions, changes = [], links, answers = {}, clock, faults }: ClientState,
  userIds: readonly string[],
  now: Date,
): { [K in keyof ScenarioClient]: unknown } {
  const { clientId, apiKey, controlToken, ...initialSettings } = client;
  const isStored = new Set(storedUsers);
  const stored = withLater(sessions, changes, now);
  return {
    clientId,
    apiKey,
    controlToken,
    ...(settings ?? initialSettings),
    users: [...new Set([...userIds, ...storedUsers])].map((userId) => ({
      userId,
      ...(isStored.has(userId) && {
        sessions: stored
          .filter((session) => session.userId === userId)
          .map(({ clientId: _client, userId: _user, ...session }) => session),
      }),
    })),
    links: links.flatMap(({ link, session, life }) => {
      const { accessCodeHash, clientId: _client, createdBy: _key, config, ...others } = link;
      const { currentUserId: _user, ...settable } = config;
      const state = linkState(link, now);
      if (state === 'submitted' && session === undefined) return [];
      const moments = life && life.moments.length > 0 ? { moments: life.moments } : {};
      const recipientAnswer = answers[accessCodeHash];
      const reference = session?.reference;
      return [{ ...others, state, config: settable, recipientAnswer, reference, ...moments }];
    }),
    ...((clock.offsetMs !== 0 || clock.frozenAt !== undefined) && {
      clock: { now, isFrozen: clock.frozenAt !== undefined },
    }),
    faults: faults.map(withoutId),
  };
}

function withoutId({ id: _, hits: _hits, clientId: _client, ...fault }: ActiveFault): object {
  return fault;
}
