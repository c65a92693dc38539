// Turns the moments of JSON responses into Dates.
import type { ClockReading, LoggedRequest, MockEvent, MockLink, MockStateReport } from '../control.js';

/** Returns a copy whose named members are Dates. Other members stay as they are. */
export function withDates<T extends object>(value: T, names: readonly (keyof T)[]): T {
  const copy = { ...value };
  for (const name of names) {
    const moment: unknown = copy[name];
    if (typeof moment === 'string') Object.assign(copy, { [name]: new Date(moment) });
  }
  return copy;
}

export function reviveClock(clock: ClockReading): ClockReading {
  return withDates(clock, ['now']);
}

export function reviveRequest(request: LoggedRequest): LoggedRequest {
  return withDates(request, ['time']);
}

export function reviveLink(link: MockLink): MockLink {
  return withDates(link, ['createdAt', 'expiresAt', 'openedAt', 'submittedAt', 'revokedAt']);
}

export function reviveState(state: MockStateReport): MockStateReport {
  return {
    ...withDates(state, ['refDate']),
    clock: reviveClock(state.clock),
    clients: state.clients.map((client) => ({ ...client, clock: reviveClock(client.clock) })),
  };
}

export function reviveEvent(event: MockEvent): MockEvent {
  if (event.type === 'request') return { ...event, request: reviveRequest(event.request) };
  return event.type === 'link' ? { ...event, link: reviveLink(event.link) } : event;
}
