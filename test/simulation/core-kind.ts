// Histories of hosts that call the core, in up to three processes.
import { findViolation } from './checker.js';
import type { History } from './history.js';
import type { Kind } from './kind.js';
import { createPlan, type Plan } from './plan.js';
import { runPlan } from './run-plan.js';

export const CORE: Kind<Plan, History> = {
  name: 'core',
  flags: '',
  createPlan,
  runPlan,
  findViolation,
  count: ({ operations, attempts, told, crashes }) => ({
    calls: operations.length,
    deliveries: attempts.length,
    events: new Set(told.map(({ event }) => event.id)).size,
    crashes,
  }),
  essential: 'deliveries',
  simplifications: [
    (plan) => ({ ...plan, processes: 1, actions: plan.actions.map((action) => ({ ...action, process: 0 })) }),
  ],
  describe: ({ processes, isMock }) => `${processes} processes${isMock ? ' of a mock' : ''}`,
};
