// The event log: the last events of each client, without the claims; and the methods that read it.
import { setImmediate } from 'node:timers';
import type { ClaimlinkEvent } from '../../lib/index.js';
import { controlError } from '../control/errors.js';
import type { ClientSelection, EventFilter, LoggedEvent } from '../control/types.js';
import { DEFAULT_LIMIT } from '../schemas/defaults.js';

const MAX_EVENTS = 1000;
const DEFAULT_TIMEOUT_MS = 5000;
/** Of each client, and of those who wait for events of all clients. */
const MAX_WAITS = 50;

/** A caller who waits. */
interface Wait {
  readonly filter: EventFilter;
  check(): void;
}

/** Returns an event as the log keeps it. The claim of a submission is a session: its reference finds it. */
function toLogged(id: number, event: ClaimlinkEvent): LoggedEvent {
  const { id: eventId, attempt: _, ...members } = event;
  if (members.type !== 'claim.submitted') return { id, eventId, ...members };
  const { session, ...submission } = members;
  return { id, eventId, ...submission, at: session.date, reference: session.reference };
}

function isMatch(event: LoggedEvent, { clientId, userId, type, linkId, after = 0 }: EventFilter): boolean {
  return (
    event.id > after &&
    (clientId === undefined || event.clientId === clientId) &&
    (userId === undefined || event.userId === userId) &&
    (type === undefined || event.type === type) &&
    (linkId === undefined || event.linkId === linkId || event.linkIds?.includes(linkId) === true)
  );
}

/** Creates an empty log. `onAdd` gets each event. */
export function createEventLog(onAdd: (event: LoggedEvent) => void) {
  const logs = new Map<string, LoggedEvent[]>();
  const waits = new Set<Wait>();
  let lastId = 0;

  const matching = (filter: EventFilter): LoggedEvent[] =>
    [...logs]
      .filter(([clientId]) => filter.clientId === undefined || filter.clientId === clientId)
      .flatMap(([, log]) => log.filter((event) => isMatch(event, filter)))
      .sort((a, b) => a.id - b.id);

  const serviceEvents = ({ limit = DEFAULT_LIMIT, ...filter }: EventFilter = {}): readonly LoggedEvent[] =>
    matching(filter).slice(-limit);

  return {
    /** Adds an event with its first attempt: a repetition is the same event. */
    add(event: ClaimlinkEvent): void {
      if (event.attempt > 1) return;
      const logged = Object.freeze(toLogged(++lastId, event));
      const log = logs.get(event.clientId) ?? [];
      log.push(logged);
      logs.set(event.clientId, log.slice(-MAX_EVENTS));
      onAdd(logged);
      for (const wait of [...waits]) if (isMatch(logged, wait.filter)) setImmediate(wait.check);
    },

    /** Forgets the events of one client, or all. */
    clear({ clientId }: ClientSelection = {}): void {
      if (clientId === undefined) logs.clear();
      else logs.delete(clientId);
    },

    methods: {
      serviceEvents,

      /** @throws `wait_timed_out` after `timeoutMs`; `too_many_waits`; the reason of the signal when it is aborted */
      async waitForEvents(
        filter: EventFilter & { count?: number; timeoutMs?: number } = {},
        signal?: AbortSignal,
      ): Promise<readonly LoggedEvent[]> {
        signal?.throwIfAborted();
        const { count = 1, timeoutMs = DEFAULT_TIMEOUT_MS, limit: maximum, ...others } = filter;
        const limit = maximum ?? Math.max(count, DEFAULT_LIMIT);
        const isEnough = () => matching(others).length >= count;
        const ofClient = [...waits].filter((wait) => wait.filter.clientId === others.clientId);
        if (!isEnough() && ofClient.length >= MAX_WAITS) throw controlError('too_many_waits');
        let end = () => {};
        try {
          await new Promise<void>((resolve, reject) => {
            const wait: Wait = { filter: others, check: () => isEnough() && resolve() };
            const onAbort = () => reject(signal?.reason);
            const timer = setTimeout(() => {
              const parts = Object.entries(others).map(([name, value]) => `${name} ${value}`);
              const selected = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
              const message = `${matching(others).length} of ${count} events${selected} occurred within ${timeoutMs} ms.`;
              reject(controlError('wait_timed_out', message));
            }, timeoutMs);
            end = () => {
              clearTimeout(timer);
              signal?.removeEventListener('abort', onAbort);
              waits.delete(wait);
            };
            signal?.addEventListener('abort', onAbort);
            waits.add(wait);
            wait.check();
          });
          return serviceEvents({ ...others, limit });
        } finally {
          end();
        }
      },
    },
  };
}
