// Writes pictures of the standalone pages to a new folder, for people to look at: every state that the tests of the pages
// walk through, in some languages, at the width of a phone and of a desktop. On a phone, a line shows where its screen ends.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from './chromium.mjs';

const { values: flags } = parseArgs({
  options: {
    language: { type: 'string', multiple: true, default: ['en', 'de'] },
    dark: { type: 'boolean', default: false },
  },
});

/** What a phone shows of a page, without the bars of its browser. */
const SIZES = [
  { width: 390, height: 664 },
  { width: 1280, height: 800 },
];

/** Adds a line where the first screen ends. The policy of the page allows no style element. */
const SHOW_LINE = `(height) => {
  const line = document.createElement('i');
  line.id = 'screen-end';
  line.style.cssText = 'position:absolute;left:0;right:0;height:0;border-top:2px dashed #d400c4;top:' + height + 'px';
  document.documentElement.append(line);
}`;
const REMOVE_LINE = `() => document.getElementById('screen-end').remove()`;

// Also the states without JavaScript.
process.env.CLAIMLINK_TESTS = 'long';
const { startHost, EVERY_PART } = await import('../build/test/browser/host.js');
const { walkBothWays } = await import('../build/test/browser/page-walk.js');
const { walkSettings } = await import('../build/test/browser/settings-walk.js');

const folder = mkdtempSync(join(tmpdir(), 'claimlink-pages-'));
const browser = await launchChromium();
for (const locale of flags.language) {
  for (const viewport of SIZES) {
    const ends = [];
    const walk = { teardown: (end) => ends.push(end) };
    const options = { locale, viewport, reducedMotion: 'reduce', colorScheme: flags.dark ? 'dark' : 'light' };
    const prefix = `${locale}-${viewport.width}`;
    let count = 0;
    const take = async (page, state) => {
      count += 1;
      await page.setViewportSize(viewport);
      const path = join(
        folder,
        `${prefix}-${String(count).padStart(2, '0')}-${state.replaceAll(/\W+/g, '-')}.png`,
      );
      await page.evaluate(`(${SHOW_LINE})(${viewport.height})`);
      await page.screenshot({ path, fullPage: true });
      await page.evaluate(`(${REMOVE_LINE})()`);
      console.log(path);
    };
    await walkBothWays(
      walk,
      browser,
      await startHost(walk, EVERY_PART.options, EVERY_PART.client),
      take,
      options,
    );
    await walkSettings(walk, browser, options, take);
    for (const end of ends.reverse()) await end();
  }
}
await browser.close();
