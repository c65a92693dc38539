// Shows the results of a simulation to people.
import type { Failure, Kind, LoggedHistory, SeededPlan, TimedAction } from './kind.js';

/** Returns what broke, the steps and the history. */
export function formatFailure<P extends SeededPlan, H extends LoggedHistory>(
  { flags, describe }: Pick<Kind<P, H>, 'flags' | 'describe'>,
  { plan, history, violation }: Failure<P, H>,
): string {
  return [
    `Seed ${plan.seed} breaks a promise: ${violation.promise}.`,
    violation.detail,
    `Repeat it: npm run proof -- simulate ${flags}--seed ${plan.seed} --runs 1`,
    '',
    `Shortest plan (${plan.actions.length} steps, ${describe(plan)}):`,
    ...plan.actions.map(formatAction),
    '',
    'Its history:',
    ...formatLog(history),
    '',
  ].join('\n');
}

/** Returns the lines of a history. */
export function formatLog({ log }: LoggedHistory): string[] {
  return log.map(({ atMs, text }) => `${seconds(atMs)} ${text()}`);
}

/** Returns an action as one line. */
function formatAction({
  atMs,
  actor,
  hasFaults,
  step,
  ...action
}: TimedAction & { process?: number }): string {
  const { kind, ...members } = step;
  const text = Object.entries(members).map(([name, value]) => `${name} ${value}`);
  const place = action.process === undefined || kind === 'rotateSigningKeys' ? '' : ` in P${action.process}`;
  return `${seconds(atMs)} ${actor}: ${[kind, ...text].join(', ')}${place}${hasFaults ? ' (with faults)' : ''}`;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3).padStart(9)} s`;
}
