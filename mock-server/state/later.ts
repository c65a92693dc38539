// The changes of sessions that a scenario announces with `later`: they are made by the clock of their client.
import type { Session, SessionChanges } from '../../lib/index.js';
import type { LaterChange, ScenarioSession } from '../control/scenario.js';
import { formatDuration, MAX_DURATION_MS, parseDuration } from '../schemas/moment.js';

/** A change of a session at a moment of the clock of its client. */
export interface PlannedChange extends Readonly<SessionChanges> {
  readonly reference: string;
  readonly at: Date;
}

/**
 * Returns the changes of sessions, earliest first. `after` counts from `start`.
 * @param completed the sessions with their references, in the order of `sessions`
 */
export function planChanges(
  sessions: readonly ScenarioSession[],
  completed: readonly Session[],
  start: Date,
): PlannedChange[] {
  const planned = completed.flatMap(({ reference }, index) =>
    (sessions[index]?.later ?? []).map(({ after, status, camsReference }) => ({
      reference,
      at: new Date(start.getTime() + (parseDuration(after) ?? 0)),
      ...(status !== undefined && { status }),
      ...(camsReference !== undefined && { camsReference }),
    })),
  );
  return inOrder(planned);
}

/** Sorts changes. Of the same moment, the first one comes first. */
export function inOrder(changes: readonly PlannedChange[]): PlannedChange[] {
  return [...changes].sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** Returns sessions with the changes that are still to come, in the form of a scenario. */
export function withLater<S extends Session>(
  sessions: readonly S[],
  changes: readonly PlannedChange[],
  now: Date,
): (S & { later?: readonly LaterChange[] })[] {
  const byReference = new Map<string, LaterChange[]>();
  for (const { reference, at, ...change } of changes) {
    const later = byReference.get(reference) ?? [];
    const ms = Math.min(Math.max(0, at.getTime() - now.getTime()), MAX_DURATION_MS);
    const after = formatDuration(ms);
    byReference.set(reference, [...later, { after, ...change }]);
  }
  return sessions.map((session) => {
    const later = byReference.get(session.reference);
    return later === undefined ? session : { ...session, later };
  });
}
