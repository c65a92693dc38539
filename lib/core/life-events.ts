// The moments of links and their events, as every `LifeStorage` records them: pure functions.
import { randomUUID } from 'node:crypto';
import { linkState } from './link-state.js';
import type { EventChoice, LifeEvent } from './storage.js';
import type { DataDeletedEvent, LifeEventType, Link, LinkMoment } from './types.js';

/** Maximum number of links, and of sessions, that one event of `data.deleted` names. */
export const DELETED_BATCH = 500;

/**
 * Returns when the next `link.expiring` or `link.expired` of a new link is due. Returns undefined if none is chosen. A
 * link whose lifetime is not longer than the notice gets no `link.expiring`.
 */
export function noticeTime(
  { createdAt, expiresAt }: Pick<Link, 'createdAt' | 'expiresAt'>,
  choice: EventChoice,
): Date | undefined {
  const notice = new Date(expiresAt.getTime() - choice.expiryNoticeSeconds * 1000);
  if (choice.types.includes('link.expiring') && notice > createdAt) return notice;
  return choice.types.includes('link.expired') ? expiresAt : undefined;
}

/**
 * Returns the moment of a link that is due, and when the next one is. A link that has ended otherwise has none. If both
 * are due, the link has expired.
 * @param noticeAt The time that is due: that of `noticeTime`, or the `noticeAt` of the last call.
 */
export function dueMoment(
  link: Link,
  noticeAt: Date,
  at: Date,
  { types }: EventChoice,
): { moment?: LinkMoment; noticeAt?: Date } {
  const state = linkState(link, at);
  if (state === 'submitted' || state === 'revoked') return {};
  const type = state === 'expired' ? 'link.expired' : 'link.expiring';
  const followsExpiry = type === 'link.expiring' && types.includes('link.expired');
  return {
    ...(types.includes(type) && { moment: { type, at: state === 'expired' ? link.expiresAt : noticeAt } }),
    ...(followsExpiry && { noticeAt: link.expiresAt }),
  };
}

/** Returns the event of a moment. Returns undefined if its type is not chosen. */
export function toLinkEvent(
  { accessCodeHash: linkId, clientId, userId, expiresAt }: Link,
  { type, at, why }: LinkMoment,
  sequence: number,
  { types }: EventChoice,
): LifeEvent | undefined {
  if (type === 'link.unlocked' || type === 'claim.repeated' || !types.includes(type)) return undefined;
  const event = { id: randomUUID(), type, at, clientId, userId, linkId, sequence, expiresAt };
  return why === undefined ? event : { ...event, why };
}

/** A deleted record: a session with its link, or a link whose session is not there. */
export interface DeletedRecord {
  clientId: string;
  linkId?: string;
  reference?: string;
}

/** Returns the events of deleted records. Returns none if `data.deleted` is not chosen. */
export function toDeletedEvents(
  records: readonly DeletedRecord[],
  why: DataDeletedEvent['why'],
  at: Date,
  { types }: EventChoice,
): LifeEvent[] {
  const type: LifeEventType = 'data.deleted';
  if (!types.includes(type)) return [];
  const byClient = new Map<string, DeletedRecord[]>();
  for (const record of records) {
    const deleted = byClient.get(record.clientId) ?? [];
    deleted.push(record);
    byClient.set(record.clientId, deleted);
  }
  return [...byClient].flatMap(([clientId, deleted]) =>
    batches(deleted).map((batch) => ({
      id: randomUUID(),
      type,
      at,
      clientId,
      why,
      linkIds: present(batch.map(({ linkId }) => linkId)),
      references: present(batch.map(({ reference }) => reference)),
    })),
  );
}

function batches<T>(values: readonly T[]): T[][] {
  const count = Math.ceil(values.length / DELETED_BATCH);
  return Array.from({ length: count }, (_, index) =>
    values.slice(index * DELETED_BATCH, (index + 1) * DELETED_BATCH),
  );
}

function present(values: readonly (string | undefined)[]): string[] {
  return values.filter((value) => value !== undefined);
}
