// axe in the browser: the rules of WCAG 2.2 AA and the good practice that a program can check.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns what axe finds on a page: the rule, and the elements that break it. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, so that the policy of the page need not allow it.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
