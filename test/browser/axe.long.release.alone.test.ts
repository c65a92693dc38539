// Axe in every state of the standalone pages. The tests of accessibility have what axe cannot see.
import t from 'tap';
import { sized } from '../size.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { EVERY_PART, startHost } from './host.js';
import { skipsShortRun } from './launch.js';
import { type Check, STILL, walkBothWays } from './page-walk.js';
import { walkSettings } from './settings-walk.js';

/** Axe takes some 0.3 s for one look. The short run has axe on the branded pages only. */
const LOOKS = (
  [
    { width: 320, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
    { width: 390, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
  ] as const
).slice(0, sized(2, 2, 4));

const browser = skipsShortRun(t, 'axe') ? undefined : await launchChromium(t);
if (browser !== undefined) {
  const host = await startHost(t, EVERY_PART.options, EVERY_PART.client);

  t.test('axe finds nothing, in light and dark, on narrow and wide pages', async (t) => {
    const check: Check = async (page, state) => {
      for (const { width, colorScheme } of LOOKS) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        t.same(await axeViolations(page), [], `${state}, ${width} px, ${colorScheme}`);
      }
    };
    await walkBothWays(t, browser, host, check);
    await walkSettings(t, browser, STILL, check);
  });
}
