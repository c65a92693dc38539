// Broken storages of events: each breaks one rule of OutboxStorage or LifeStorage, for events of both kinds if both have it.
import { setImmediate } from 'node:timers/promises';
import type {
  EventKey,
  LinkRef,
  OutboxStorage,
  StoredEvent,
  StoredLifeEvent,
} from '../../lib/core/storage.js';
import { EVENT_TYPES } from '../../lib/core/types.js';
import { changeInput, changeResult, type Defect, shift, type Working } from './break-storage.js';

/** Keys complete the sentence "a storage that ...". Each case with a matching name detects the defect. */
export const BROKEN_EVENTS: Readonly<Record<string, Defect>> = {
  'does not record events': [
    changeInput('submitLink', ({ event: _, ...submission }) => submission),
    /^submitLink records the event|^concurrent submissions of one link record the event/,
  ],
  'records an event for each submission': [
    changeInput('submitLink', (submission) => ({
      event: { id: 'event', attempts: 0, nextAttemptAt: submission.at },
      ...submission,
    })),
    /^submitLink without an event records none/,
  ],
  'records the event of a rejected submission': [
    (working) => {
      let rejected = 0;
      return {
        submitLink(submission) {
          const result = working.submitLink(submission);
          if (submission.event && result.outcome !== 'submitted') rejected++;
          return result;
        },
        countEvents: addToCount(working, () => rejected),
      };
    },
    /^a rejected or repeated submission records no event/,
  ],
  'counts more events than the limit': [
    changeInput('countEvents', (query) => ({ ...query, limit: 1000 })),
    /retryEvents makes failed events pending|a limit counts both/,
  ],
  'leases more events than the limit': [
    changeInput('leaseEvents', (query) => ({ ...query, limit: 1000 })),
    /leaseEvents returns up to limit|a limit counts both/,
  ],
  'leases events before they are due': [
    changeInput('leaseEvents', (query) => ({ ...query, at: shift(query.at, 1) })),
    /leaseEvents returns events that are due/,
  ],
  'leases without counting the attempt': [
    changeResult('leaseEvents', (leased) =>
      leased.map((event) => ({ ...event, attempts: event.attempts - 1 })),
    ),
    /leaseEvents counts the attempt/,
  ],
  'reads the due events before it leases them': [
    (working) => ({
      async leaseEvents(query) {
        const pending = await working.listEvents({ state: 'pending', limit: 1000 });
        const due = pending.filter(({ nextAttemptAt }) => nextAttemptAt <= query.at).slice(0, query.limit);
        await setImmediate();
        await working.leaseEvents(query);
        return due.map((event) => ({
          ...event,
          attempts: event.attempts + 1,
          nextAttemptAt: query.leaseUntil,
        }));
      },
    }),
    /concurrent calls of leaseEvents lease each event once/,
  ],
  'leases failed events': [
    changeResult('leaseEvents', (leased, working) => [
      ...leased,
      ...working.listEvents({ state: 'failed', limit: 1000 }),
    ]),
    /an event with failedAt is not leased/,
  ],
  'settles the events of all clients with that reference': [
    (working) => ({
      settleEvent({ reference }) {
        for (const event of working.listEvents({ state: 'pending', limit: 1000 }))
          if (referenceOf(event) === reference) working.settleEvent(event);
      },
    }),
    /^settleEvent deletes the event of one client/,
  ],
  'settles another event than an unknown one': [
    (working) => ({
      settleEvent(key) {
        const pending = working.listEvents({ state: 'pending', limit: 1000 });
        const event = pending.find(({ id }) => id === key.id) ?? pending[0];
        if (event) working.settleEvent(event);
      },
    }),
    /settleEvent deletes the event of one client/,
  ],
  'settles an event by the reference of its session': [
    changeInput('settleEvent', (key, working) => {
      const pending = working.listEvents({ state: 'pending', clientId: key.clientId, limit: 1000 });
      return pending.find((event) => referenceOf(event) === key.reference) ?? key;
    }),
    /^settleEvent and postponeEvent do not change the event of a later session/,
  ],
  'does not store the reason of a failure': [
    changeInput('postponeEvent', (failure) => ({ ...failure, reason: '' })),
    /postponeEvent stores the reason/,
  ],
  'stores 100 characters of the reason of a failure': [
    changeInput('postponeEvent', ({ reason, ...failure }) => ({ ...failure, reason: reason.slice(0, 100) })),
    /^an event(?: of a link)? with each text at its maximum length|postponeEvent stores the reason/,
  ],
  'ignores the time of the next attempt': [
    changeInput('postponeEvent', (failure, working) => ({
      ...failure,
      nextAttemptAt: pendingEvent(working, failure)?.nextAttemptAt ?? failure.nextAttemptAt,
    })),
    /postponeEvent sets the time of the next attempt/,
  ],
  'postpones an event whose lease another process has': [
    changeInput('postponeEvent', (failure, working) => ({
      ...failure,
      attempts: pendingEvent(working, failure)?.attempts ?? failure.attempts,
    })),
    /postponeEvent changes nothing if the event has another number/,
  ],
  'records the failure of an event that was settled': [
    (working) => {
      let recorded = 0;
      return {
        postponeEvent(failure) {
          if (pendingEvent(working, failure) === undefined) recorded++;
          return working.postponeEvent(failure);
        },
        countEvents: addToCount(working, () => recorded),
      };
    },
    /postponeEvent ignores an event that was settled/,
  ],
  'lists the last event first': [
    changeResult('listEvents', (events) => [...events].reverse()),
    /listEvents returns the events in their order|events of both kinds come in one order/,
  ],
  'retries the failed events of all clients': [
    changeInput('retryEvents', ({ at }) => ({ at })),
    /retryEvents makes (?:failed events|the failed event)/,
  ],
  'keeps the events of deleted sessions': [
    (working) => {
      const kept: StoredEvent[] = [];
      const keep = () =>
        kept.push(...working.listEvents({ state: 'pending', kind: 'submission', limit: 1000 }));
      return {
        deleteSessions(before, at) {
          keep();
          return working.deleteSessions(before, at);
        },
        deleteClient(clientId, at) {
          keep();
          return working.deleteClient(clientId, at);
        },
        listEvents(query) {
          const ids = new Set(kept.map(({ id }) => id));
          return [...kept, ...working.listEvents(query).filter(({ id }) => !ids.has(id))];
        },
      };
    },
    /^deleting sessions or a client deletes their events|^deleteSessions deletes the events of its submissions/,
  ],
  'leases the events of every kind': [
    changeInput('leaseEvents', ({ kind: _, ...query }) => query),
    /^leaseEvents, listEvents and countEvents select/,
  ],
  'lists the events of every kind': [
    changeInput('listEvents', ({ kind: _, ...query }) => query),
    /^leaseEvents, listEvents and countEvents select/,
  ],
  'counts the events of every kind': [
    changeInput('countEvents', ({ kind: _, ...query }) => query),
    /^leaseEvents, listEvents and countEvents select/,
  ],
  'leases the events of submissions first, and the limit of each kind': [
    (working) => ({
      leaseEvents: (query) => [
        ...working.leaseEvents({ ...query, kind: 'submission' }),
        ...working.leaseEvents({ ...query, kind: 'life' }),
      ],
    }),
    /^without a kind, events of both kinds come in one order/,
  ],
  'retries the events of links with the one of a session': [
    changeInput('retryEvents', ({ reference: _, ...query }) => query),
    /^retryEvents makes failed events of both kinds pending|^retryEvents makes the failed event of one session/,
  ],
  'retries the events of submissions alone': [
    (working) => ({
      retryEvents({ at, ...selection }) {
        const failed = working.listEvents({ state: 'failed', kind: 'submission', limit: 1000, ...selection });
        const references = failed.flatMap((event) => referenceOf(event) ?? []);
        const selected = references.filter((each) => each === (selection.reference ?? each));
        for (const reference of selected) working.retryEvents({ ...selection, reference, at });
        return selected.length;
      },
    }),
    /retryEvents makes failed events of both kinds pending|^events of links: retryEvents makes failed events/,
  ],
  // Moments of links, and their events
  'returns the choice that it got': [
    changeResult('chooseEvents', (_, __, choice) => choice),
    /^chooseEvents returns nothing, or the choice/,
  ],
  'returns the moments of a link by their time': [
    changeResult(
      'listMoments',
      (moments) => moments && [...moments].sort((a, b) => a.at.getTime() - b.at.getTime()),
    ),
    /^listMoments returns the moments of one link/,
  ],
  'does not store the API key that created a link': [
    changeInput('insertLink', ({ createdBy: _, ...link }) => link),
    /^findLink returns the id of the API key/,
  ],
  'adds a moment at any position': [
    changeInput('addMoment', (query, working) => ({ ...query, sequence: nextSequence(working, query) })),
    /^addMoment adds nothing at another position/,
  ],
  'reads the moments of a link before it adds one': [
    (working) => ({
      async addMoment(query) {
        if (query.sequence !== nextSequence(working, query)) return false;
        await setImmediate();
        return working.addMoment({ ...query, sequence: nextSequence(working, query) });
      },
    }),
    /concurrent calls of addMoment at one position exactly one/,
  ],
  'records events without the members of their type': [
    changeResult('listEvents', (events) =>
      events.map(({ ...event }) => ('why' in event ? omitWhy(event) : event)),
    ),
    /^a moment whose type is chosen is an event with every member/,
  ],
  'records an event of each type': [
    changeInput('chooseEvents', (choice) => ({
      ...choice,
      types: EVENT_TYPES.filter((type) => type !== 'claim.submitted'),
    })),
    /^a moment whose type is not chosen is no event|^a deletion records nothing without data.deleted/,
  ],
  'lets the recipient decline a link that has ended': [
    (working) => ({
      addMoment: ({ revoke = false, ...query }) =>
        working.addMoment({ ...query, revoke }) || working.addMoment(query),
    }),
    /^addMoment with revoke revokes a usable link/,
  ],
  'reads the state of a link before it declines it': [
    (working) => ({
      async addMoment(query) {
        const { submittedAt, revokedAt } = working.findLink(query)?.link ?? {};
        await setImmediate();
        return !submittedAt && !revokedAt && addAnyway(working, query);
      },
      async submitLink(submission) {
        await setImmediate();
        return working.submitLink(submission);
      },
    }),
    /concurrent submissions and declines of one link exactly one/,
  ],
  'does not record that a link was revoked': [
    changeResult('listMoments', (moments) => moments?.filter(({ type }) => type !== 'link.revoked')),
    /^revokeLinks? adds the moment link.revoked/,
  ],
  'records the end of a link before it is due': [
    changeInput('addDueMoments', (query) => ({ ...query, at: shift(query.at, 1) })),
    /^a link expires with one link.expiring/,
  ],
  'announces the end of a link that has ended': [
    (working) => ({
      addDueMoments({ at, limit }) {
        const announced = working.addDueMoments({ at: shift(at, -1), limit });
        return Math.max(announced, working.addDueMoments({ at, limit }));
      },
    }),
    /^a link whose end is the first time that is looked at/,
  ],
  'never replaces its choice': [
    (working) => {
      let isChosen = false;
      return {
        chooseEvents(choice) {
          if (!isChosen) working.chooseEvents(choice);
          isChosen = true;
        },
      };
    },
    /^only chosen ends of a link are events/,
  ],
  'records that a submitted link expires': [
    (working) => {
      const submitted: LinkRef[] = [];
      return {
        submitLink(submission) {
          submitted.push(submission);
          return working.submitLink(submission);
        },
        addDueMoments(query) {
          const moment = { type: 'link.expired', at: query.at } as const;
          const added = submitted
            .splice(0)
            .filter((link) =>
              working.addMoment({ ...linkOf(link), moment, sequence: nextSequence(working, link) }),
            );
          return working.addDueMoments(query) + added.length;
        },
      };
    },
    /^a link that is submitted, revoked or declined does not expire/,
  ],
  'reads the due links before it records their ends': [
    (working) => ({
      async addDueMoments({ at, limit }) {
        const expired = working.listLinks({ clientId: 'acme', state: 'expired', at, limit: 1000 }).links;
        const due = expired.filter(({ link }) => working.listMoments(link)?.length === 0).slice(0, limit);
        await setImmediate();
        for (const { link } of due)
          working.addMoment({
            ...linkOf(link),
            moment: { type: 'link.expired', at: link.expiresAt },
            sequence: nextSequence(working, link),
          });
        return due.length;
      },
    }),
    /^concurrent calls of addDueMoments tell each/,
  ],
  'deletes the events of deleted links': [
    (working) => ({
      deleteExpiredLinks(before, at) {
        const count = working.deleteExpiredLinks(before, at);
        settleLinkEvents(working, (link) => working.findLink(link) === undefined);
        return count;
      },
    }),
    /^deleteExpiredLinks deletes the moments of a link, and leaves its events/,
  ],
  'names a deleted link whose session remains': [
    (working) => {
      const submitted = new Map<string, LinkRef>();
      return {
        submitLink(submission) {
          submitted.set(submission.accessCodeHash, submission);
          return working.submitLink(submission);
        },
        listEvents: (query) =>
          working.listEvents(query).map((event) => {
            if (!isDeletion(event)) return event;
            const ofClient = [...submitted.values()].filter(({ clientId }) => clientId === event.clientId);
            const left = ofClient.map(({ accessCodeHash }) => accessCodeHash);
            return { ...event, linkIds: [...new Set([...event.linkIds, ...left])] };
          }),
      };
    },
    /^deleteExpiredLinks names a link without a claim, and none whose session remains/,
  ],
  'records a deletion without a time': [
    (working) => ({
      deleteExpiredLinks: (before, at = before) => working.deleteExpiredLinks(before, at),
    }),
    /^a deletion records nothing without data.deleted, without a time/,
  ],
  'names all records of a deletion in one event': [
    changeResult('listEvents', (events) => {
      const [first, ...others] = events.filter(isDeletion);
      if (first === undefined) return events;
      const linkIds = [first, ...others].flatMap((event) => event.linkIds);
      return [...events.filter((event) => !isDeletion(event)), { ...first, linkIds }];
    }),
    /^a deletion of more than 500 links has an event for each 500/,
  ],
  'counts the events of deleted submissions alone': [
    changeResult('deleteUser', (records) => ({
      ...records,
      events: Math.min(records.events, records.sessions),
    })),
    /^deleteUser deletes the events of the user/,
  ],
  'deletes the events of links with the sessions': [
    (working) => ({
      deleteSessions(before, at) {
        settleLinkEvents(working, () => true);
        return working.deleteSessions(before, at);
      },
    }),
    /^deleteSessions deletes the events of its submissions, and leaves those of links/,
  ],
  'names no link with its session': [
    changeResult('listEvents', (events) =>
      events.map((event) =>
        isDeletion(event) && event.references.length > 0 ? { ...event, linkIds: [] } : event,
      ),
    ),
    /^deleteSessions names sessions and their links/,
  ],
  'deletes the events of deletions with their client': [
    (working) => ({
      deleteClient(clientId, at) {
        for (const event of working.listEvents({ state: 'pending', clientId, limit: 1000 }))
          if (isDeletion(event)) working.settleEvent(event);
        return working.deleteClient(clientId, at);
      },
    }),
    /^deleteClient deletes the events of the client.* leaves earlier deletions/,
  ],
};

function pendingEvent(working: Working, { clientId, id }: EventKey): StoredEvent | undefined {
  return working.listEvents({ state: 'pending', clientId, limit: 1000 }).find((event) => event.id === id);
}

function referenceOf(event: StoredEvent): string | undefined {
  return 'session' in event ? event.reference : undefined;
}

function isDeletion(event: StoredEvent): event is Extract<StoredLifeEvent, { type: 'data.deleted' }> {
  return event.type === 'data.deleted';
}

function omitWhy({ why: _, ...event }: StoredEvent & { why?: unknown }): StoredEvent {
  return event as StoredEvent;
}

function linkOf({ clientId, accessCodeHash }: LinkRef): LinkRef {
  return { clientId, accessCodeHash };
}

/** Returns the position of the next moment of a link. */
function nextSequence(working: Working, link: LinkRef): number {
  return (working.listMoments(linkOf(link))?.length ?? 0) + 1;
}

/** Adds a moment whatever the state of the link is. */
function addAnyway(working: Working, { revoke, ...query }: Parameters<Working['addMoment']>[0]): boolean {
  return working.addMoment(query);
}

/** Deletes the events of the selected links. */
function settleLinkEvents(working: Working, selects: (link: LinkRef) => boolean): void {
  for (const event of working.listEvents({ state: 'pending', kind: 'life', limit: 1000 }))
    if ('linkId' in event && selects({ clientId: event.clientId, accessCodeHash: event.linkId }))
      working.settleEvent(event);
}

/** Counts some pending events more. */
function addToCount(working: Working, getNumber: () => number): OutboxStorage['countEvents'] {
  return (query) => {
    const { pending, failed } = working.countEvents(query);
    return { pending: pending + getNumber(), failed };
  };
}
