import t from 'tap';
import { sized } from '../size.js';
import { findViolation } from './checker.js';
import { CORE } from './core-kind.js';
import type { History } from './history.js';
import type { Failure } from './kind.js';
import { type Action, createPlan, type Plan } from './plan.js';
import { createRandom } from './random.js';
import { formatFailure, formatLog } from './report.js';
import { runPlan } from './run-plan.js';
import { shrink } from './shrink.js';
import { runTasks, type Seeds, type SeedsResult, simulate } from './simulate.js';

t.test('every history keeps the promises', async (t) => {
  const { histories, counts, failure } = await simulate(CORE, { seed: 1, runs: sized(600, 100, 5000) });
  t.equal(failure && formatFailure(CORE, failure), undefined);
  t.ok((counts['deliveries'] ?? 0) > histories / 2, 'the histories have submissions');
});

t.test('the result is that of the lowest failing seed, however many threads run', async (t) => {
  // Each history takes one call. The seeds 1100 and 2100 fail, and lower seeds take longer.
  const run = async ({ seed, runs }: Seeds): Promise<SeedsResult> => {
    await new Promise((resolve) => setTimeout(resolve, (3000 - seed) / 30));
    const failingSeed = [1100, 2100].find((failing) => failing >= seed && failing < seed + runs);
    const histories = failingSeed === undefined ? runs : failingSeed - seed + 1;
    return { histories, counts: { calls: histories }, failingSeed };
  };
  for (const threads of [1, 2, 5]) {
    const result = await runTasks({ seed: 1, runs: 2800 }, Array(threads).fill(run));
    t.same(result, { histories: 1100, counts: { calls: 1100 }, failingSeed: 1100 });
  }
  const whole = await runTasks({ seed: 3000, runs: 700 }, [run, run]);
  t.same(whole.histories, 700);
  t.equal(whole.failingSeed, undefined);
});

t.test('a seed gives the same history to the byte', async (t) => {
  const history = async (seed: number) => {
    const record = await runPlan(createPlan(seed));
    return JSON.stringify([record, formatLog(record)]);
  };
  for (const seed of [1, 7, 42]) t.equal(await history(seed), await history(seed));
  t.not(await history(1), await history(2));
});

t.test('a broken promise is a violation', async (t) => {
  const history = await runPlan(createPlan(3));
  t.equal(findViolation(history), undefined);
  const undelivered = { ...history, final: { ...history.final, undelivered: 1 } };
  t.match(findViolation(undelivered), { promise: 'every submission is delivered at least once' });
});

t.test('1,000 moves of the clocks tell the end of each link once', async (t) => {
  const random = createRandom(1);
  const links = ['L1', 'L2', 'L3', 'L4'];
  const common = { actor: 'host', hasFaults: false };
  const moves = Array.from({ length: 1000 }, (_, index): Omit<Action, 'id'>[] => {
    const process = random.below(3);
    // The first move leads to the notice of each link.
    const byMs = index === 0 ? 31_000 : random.pick([-3_600_000, -60_000, -1000, 1000, 30_000, 3_600_000]);
    const atMs = 1000 + index * 10;
    return [
      { ...common, atMs, process, step: { kind: 'jump', byMs } },
      { ...common, atMs: atMs + 1, process, step: { kind: 'deliver' } },
    ];
  });
  const creations = links.map((link): Omit<Action, 'id'> => {
    const step = { kind: 'create', link, client: 'acme', user: 'ann', key: 0 } as const;
    return { ...common, atMs: 0, process: 0, step };
  });
  const { told, final, ...others } = await runPlan({
    seed: 1,
    isMock: false,
    asksRecipients: false,
    events: ['link.expiring', 'link.expired'],
    processes: 3,
    actions: [...creations, ...moves.flat()].map((action, id) => ({ ...action, id })),
  });
  t.equal(findViolation({ told, final, ...others }), undefined);
  for (const type of ['link.expiring', 'link.expired'] as const) {
    const ofType = told.map(({ event }) => event).filter((event) => event.type === type);
    t.equal(ofType.length, links.length, `one delivery of ${type} for each link`);
  }
  t.equal(final.links.flatMap(({ moments }) => moments).length, 2 * links.length);
});

t.test('a failure shrinks to the steps that it needs', async (t) => {
  // Calls each history with a submission a failure.
  const find = async (plan: Plan) => {
    const history = await runPlan(plan);
    const hasSubmission = history.operations.some(({ call, result }) => call.kind === 'submit' && result);
    const violation = { promise: 'one session per link', detail: 'a submission' } as const;
    return hasSubmission ? { plan, history, violation } : undefined;
  };
  let failure: Failure<Plan, History> | undefined;
  for (let seed = 1; failure === undefined; seed++) failure = await find(createPlan(seed));
  const { plan } = await shrink(failure, { find, simplifications: CORE.simplifications });
  t.same(
    plan.actions.map(({ step }) => step.kind),
    ['create', 'submit'],
  );
});
