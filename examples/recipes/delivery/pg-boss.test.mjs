// Submissions as jobs of pg-boss. Run it: DATABASE_URL=postgres://... node --test
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createQueue } from './pg-boss.mjs';
import { createService, submitClaim } from './submit.mjs';

const { boss, onSubmit } = await createQueue(process.env.DATABASE_URL, 'submissions');
after(() => boss.stop());

test('a submission is one job, also if it is delivered twice', async () => {
  const { claimlink, advance } = createService(async (event) => {
    await onSubmit(event);
    if (event.attempt === 1) throw new Error('The process ended after it added the job.');
  });
  const reference = await submitClaim(claimlink);
  advance(10);
  assert.deepEqual(await claimlink.deliverPending(), {
    delivered: 1,
    failedAttempts: 0,
    pending: 0,
    failed: 0,
  });
  const jobs = await boss.fetch('submissions', { batchSize: 10 });
  assert.deepEqual(
    jobs.map(({ data }) => data.session.reference),
    [reference],
  );
});
