// axe in the browser: the rules of WCAG 2.2 AA and the good practice that a program can check.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Run in the page, so that only the violations leave it. axe then does not describe the elements that pass. */
const RUN = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;

/** Returns what axe finds on a page: the rule, and the elements that break it. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, so that the policy of the page need not allow it. A document keeps it for the next look.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe.source);
  return page.evaluate<string[]>(RUN);
}
