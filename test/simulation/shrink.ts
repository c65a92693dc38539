// Finds the shortest history that breaks the same promise: without actions, without faults, one after another.
import type { Failure, LoggedHistory, SeededPlan } from './kind.js';

interface ShrinkOptions<P extends SeededPlan, H extends LoggedHistory> {
  /** Runs a plan. Returns undefined if it keeps all promises. */
  find: (plan: P) => Promise<Failure<P, H> | undefined>;
  /** Each makes a plan simpler, with the same actions. */
  simplifications: readonly ((plan: P) => P)[];
}

/** Returns a failure of the same promise with as few actions and faults as a greedy search finds. */
export async function shrink<P extends SeededPlan, H extends LoggedHistory>(
  failure: Failure<P, H>,
  { find, simplifications }: ShrinkOptions<P, H>,
): Promise<Failure<P, H>> {
  let smallest = failure;

  /** Keeps a smaller plan if it breaks the same promise. */
  async function attempt(plan: P): Promise<void> {
    const smaller = await find(plan);
    if (smaller?.violation.promise === smallest.violation.promise) smallest = smaller;
  }
  const attemptActions = (actions: P['actions']) => attempt({ ...smallest.plan, actions });

  for (let before = Number.POSITIVE_INFINITY; smallest.plan.actions.length < before; ) {
    before = smallest.plan.actions.length;
    for (let size = Math.ceil(before / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let start = smallest.plan.actions.length - size; start > -size; start -= size) {
        const { actions } = smallest.plan;
        await attemptActions(actions.filter((_, index) => index < start || index >= start + size));
      }
    }
  }
  for (const [index, action] of smallest.plan.actions.entries())
    if (action.hasFaults)
      await attemptActions(smallest.plan.actions.with(index, { ...action, hasFaults: false }));
  for (const simplify of simplifications) await attempt(simplify(smallest.plan));
  await attemptActions(smallest.plan.actions.map((action, index) => ({ ...action, atMs: index * 1000 })));
  return smallest;
}
