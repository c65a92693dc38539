// Finds the shortest history that breaks the same promise: without actions, without faults, one after another.
import { findViolation, type Violation } from './checker.js';
import type { History } from './history.js';
import type { Plan } from './plan.js';
import { runPlan } from './run-plan.js';

/** A plan that breaks a promise. */
export interface Failure {
  plan: Plan;
  history: History;
  violation: Violation;
}

/** Runs a plan. Returns undefined if it keeps all promises. */
export async function findFailure(plan: Plan): Promise<Failure | undefined> {
  const history = await runPlan(plan);
  const violation = findViolation(history);
  return violation && { plan, history, violation };
}

/** Returns a failure of the same promise with as few actions and faults as a greedy search finds. */
export async function shrink(failure: Failure, find = findFailure): Promise<Failure> {
  let smallest = failure;

  /** Keeps a smaller plan if it breaks the same promise. */
  async function attempt(actions: Plan['actions'], processes = smallest.plan.processes): Promise<boolean> {
    const smaller = await find({ ...smallest.plan, actions, processes });
    if (smaller?.violation.promise !== smallest.violation.promise) return false;
    smallest = smaller;
    return true;
  }

  for (let before = Number.POSITIVE_INFINITY; smallest.plan.actions.length < before; ) {
    before = smallest.plan.actions.length;
    for (let size = Math.ceil(before / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let start = smallest.plan.actions.length - size; start > -size; start -= size) {
        const { actions } = smallest.plan;
        await attempt(actions.filter((_, index) => index < start || index >= start + size));
      }
    }
  }
  for (const [index, action] of smallest.plan.actions.entries())
    if (action.hasFaults) await attempt(smallest.plan.actions.with(index, { ...action, hasFaults: false }));
  await attempt(
    smallest.plan.actions.map((action) => ({ ...action, process: 0 })),
    1,
  );
  await attempt(smallest.plan.actions.map((action, index) => ({ ...action, atMs: index * 1000 })));
  return smallest;
}
