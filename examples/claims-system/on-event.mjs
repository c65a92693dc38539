// What an insurer does with each event of claimlink. Each handler may run again for the same event, with the same result.

/** Creates the `onEvent` of a service. `log` gets lines without personal data. */
export function createOnEvent({ claims, tasks, log }) {
  const handlers = {
    async 'claim.submitted'(event) {
      const { isRepeated } = await claims.openClaim(event);
      log(`claim ${event.session.reference} ${isRepeated ? 'was opened before' : 'is opened'}`);
      // A claim that an older version of claimlink stored names no link.
      if (event.linkId !== undefined) tasks.set(event, 'none');
    },

    // The recipient reports no claim. A wrong recipient means that the address of the customer is wrong.
    'link.declined'(event) {
      tasks.set(event, event.why === 'wrong_person' ? 'check the address' : 'none');
    },

    'link.expired'(event) {
      tasks.set(event, 'remind');
    },

    // The recipient of an expired link asks for another one.
    'link.renewal_requested'(event) {
      tasks.set(event, 'send a new link');
    },

    // claimlink has deleted the claims of these links with their photos, or links without a claim. The claims system has a
    // retention period of its own.
    'data.deleted'({ linkIds }) {
      for (const linkId of linkIds) tasks.delete(linkId);
    },
  };

  return async (event) => {
    await handlers[event.type](event);
    log(`${event.type} ${event.id} is handled, attempt ${event.attempt}`);
  };
}

/** The kinds of events that `createOnEvent` handles: the option `events`. */
export const EVENTS = [
  'claim.submitted',
  'link.declined',
  'link.expired',
  'link.renewal_requested',
  'data.deleted',
];
