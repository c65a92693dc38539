// One event to several receivers.
/**
 * Returns an onSubmit or an onEvent that gives each event to all receivers: functions by name. `done` remembers who has it: in
 * production, a table with the columns event_id and receiver, which are unique together.
 */
export function createFanOut(receivers, done) {
  return async (event) => {
    const failed = {};
    await Promise.all(
      Object.entries(receivers).map(async ([name, deliver]) => {
        try {
          if (await done.has(event.id, name)) return;
          await deliver(event);
          await done.add(event.id, name);
        } catch (error) {
          failed[name] = error;
        }
      }),
    );
    const names = Object.keys(failed);
    if (names.length === 0) return;
    // The code is a part of the reason that `claimlink deliveries list` shows.
    throw Object.assign(new Error('Not all receivers have the event.', { cause: failed[names[0]] }), {
      code: names.join('.'),
    });
  };
}
