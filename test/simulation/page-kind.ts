// Histories of customers at the pages of one link.
import type { Kind } from './kind.js';
import { findPageViolation } from './page-checker.js';
import type { PageHistory } from './page-history.js';
import { createPagePlan, type PagePlan } from './page-plan.js';
import { runPagePlan } from './run-page-plan.js';

export const PAGES: Kind<PagePlan, PageHistory> = {
  name: 'pages',
  flags: '--pages ',
  createPlan: createPagePlan,
  runPlan: runPagePlan,
  findViolation: findPageViolation,
  count({ events, requests }) {
    const told = events.flatMap((event) => (event.kind === 'told' ? [event.told.kind] : []));
    const count = (kind: (typeof told)[number]) => told.filter((other) => other === kind).length;
    return {
      requests,
      'stored claims': events.filter(({ kind }) => kind === 'stored').length,
      'told stored': count('stored'),
      'told submitted': count('submitted'),
      'told changed': count('changed'),
      'told not sent': count('not sent'),
      'told no claim': count('no claim'),
      'told unknown': count('unknown'),
    };
  },
  essential: 'stored claims',
  simplifications: [
    (plan) => ({ ...plan, hasScript: { A: true, B: true } }),
    (plan) => ({ ...plan, callbackOnSubmit: false }),
    (plan) => ({ ...plan, keepDraft: 'tab' }),
  ],
  describe: ({ hasScript, callbackOnSubmit, keepDraft }) =>
    [
      `browser A ${hasScript.A ? 'with' : 'without'} JavaScript`,
      `browser B ${hasScript.B ? 'with' : 'without'} JavaScript`,
      ...(callbackOnSubmit ? ['callbackOnSubmit'] : []),
      ...(keepDraft === 'device' ? ['keepDraft device'] : []),
    ].join(', '),
};
