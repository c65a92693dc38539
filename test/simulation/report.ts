// Shows the results of a simulation to people.
import { formatAction, formatLog } from './history.js';
import type { Failure } from './shrink.js';

/** Returns what broke, the steps and the history. */
export function formatFailure({ plan, history, violation }: Failure): string {
  return [
    `Seed ${plan.seed} breaks a promise: ${violation.promise}.`,
    violation.detail,
    `Repeat it: npm run simulate -- --seed ${plan.seed} --runs 1`,
    '',
    `Shortest plan (${plan.actions.length} steps, ${plan.processes} processes${plan.isMock ? ' of a mock' : ''}):`,
    ...plan.actions.map(formatAction),
    '',
    'Its history:',
    ...formatLog(history),
    '',
  ].join('\n');
}
