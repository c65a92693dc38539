import t from 'tap';
import { sized } from '../size.js';
import { findViolation } from './checker.js';
import { createPlan, type Plan } from './plan.js';
import { formatFailure } from './report.js';
import { runPlan } from './run-plan.js';
import { type Failure, shrink } from './shrink.js';
import { simulate } from './simulate.js';

t.test('every history keeps the promises', async (t) => {
  const { counts, failure } = await simulate(1, sized(3000, 500));
  t.equal(failure && formatFailure(failure), undefined);
  t.ok(counts.attempts > counts.histories / 2, 'the histories have submissions');
});

t.test('a seed gives the same history to the byte', async (t) => {
  const history = async (seed: number) => JSON.stringify(await runPlan(createPlan(seed)));
  for (const seed of [1, 7, 42]) t.equal(await history(seed), await history(seed));
  t.not(await history(1), await history(2));
});

t.test('a broken promise is a violation', async (t) => {
  const history = await runPlan(createPlan(3));
  t.equal(findViolation(history), undefined);
  const undelivered = { ...history, final: { ...history.final, undelivered: 1 } };
  t.match(findViolation(undelivered), { promise: 'every submission is delivered at least once' });
});

t.test('a failure shrinks to the steps that it needs', async (t) => {
  // Calls each history with a submission a failure.
  const find = async (plan: Plan) => {
    const history = await runPlan(plan);
    const hasSubmission = history.operations.some(({ call, result }) => call.kind === 'submit' && result);
    const violation = { promise: 'one session per link', detail: 'a submission' } as const;
    return hasSubmission ? { plan, history, violation } : undefined;
  };
  let failure: Failure | undefined;
  for (let seed = 1; failure === undefined; seed++) failure = await find(createPlan(seed));
  const { plan } = await shrink(failure, find);
  t.same(
    plan.actions.map(({ step }) => step.kind),
    ['create', 'submit'],
  );
});
