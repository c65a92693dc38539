// Axe in every state of the standalone pages. accessibility.test.ts has what axe cannot see.
import t from 'tap';
import { sized } from '../size.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { startHost } from './host.js';
import { walkBothWays } from './page-walk.js';

/** Axe takes some 0.3 s for one page. The short run has one look; brand.test.ts has the dark one. */
const LOOKS = sized(
  [320, 390, 1280].flatMap((width) => [
    { width, colorScheme: 'light' as const },
    { width, colorScheme: 'dark' as const },
  ]),
  [{ width: 320, colorScheme: 'light' as const }],
);

const browser = await launchChromium(t);
if (browser !== undefined) {
  const host = await startHost(t);

  t.test('axe finds nothing, in light and dark, on narrow and wide pages', async (t) => {
    await walkBothWays(t, browser, host, async (page, state) => {
      for (const { width, colorScheme } of LOOKS) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        t.same(await axeViolations(page), [], `${state}, ${width} px, ${colorScheme}`);
      }
    });
  });
}
