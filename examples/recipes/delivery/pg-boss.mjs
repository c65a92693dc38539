// Hands submissions over to a queue: pg-boss.
import PgBoss from 'pg-boss';

const THREE_DAYS_SECONDS = 3 * 24 * 60 * 60;

/** Returns an onSubmit that adds a job to the queue, and the queue. */
export async function createQueue(connectionString, queue) {
  // pg-boss recognises the id of a job while it has the job: longer than claimlink repeats an event.
  const boss = new PgBoss({ connectionString, archiveCompletedAfterSeconds: THREE_DAYS_SECONDS });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(queue);
  const onSubmit = async ({ id, clientId, userId, linkId, session }) => {
    // The id of the event is the id of the job: pg-boss ignores a second job with that id.
    const data = { clientId, userId, linkId, session };
    await boss.send(queue, data, { id, retryLimit: 10, retryBackoff: true });
  };
  return { boss, onSubmit };
}
