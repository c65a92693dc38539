// Continue on your phone: a reader that is not the encoder reads the code of the page, where a window is wide.
import { randomBytes } from 'node:crypto';
import jsqr from 'jsqr';
import type { Page } from 'playwright-core';
import t from 'tap';
import { createLinkSigner } from '../../lib/index.js';
import { axeViolations } from './axe.js';
import { launchEngines } from './engines.js';
import { startHost } from './host.js';
import { openPage } from './page-walk.js';

const settings = { continueOnPhone: true };
const WIDE = { viewport: { width: 1280, height: 800 } };
/** Colours with hardly more contrast than a brand needs, and the default. */
const BRANDS = { 'a light brand': '#757575', 'a brand': '#b3261e', 'no brand': undefined };

/** Returns what a reader sees on a page, in a picture of its whole window. */
async function read(page: Page): Promise<string | undefined> {
  const picture = (await page.screenshot()).toString('base64');
  const blank = await page.context().newPage();
  const { width, height, pixels } = await blank.evaluate<{ width: number; height: number; pixels: string }>(
    `(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${picture}';
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let pixels = '';
      for (let start = 0; start < data.length; start += 10000)
        pixels += String.fromCharCode(...data.subarray(start, start + 10000));
      return { width: image.width, height: image.height, pixels: btoa(pixels) };
    })()`,
  );
  await blank.close();
  const bytes = new Uint8ClampedArray(Buffer.from(pixels, 'base64'));
  return jsqr.default(bytes, width, height)?.data;
}

for (const engine of await launchEngines(t)) {
  for (const [name, primaryColor] of Object.entries(BRANDS))
    t.test(`a phone reads the compact link of ${name} from 200 pixels${engine.suffix}`, async (t) => {
      const signer = createLinkSigner({
        keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }],
        issuer: 'https://claims.example.com',
        format: 'compact',
      });
      const branding = primaryColor === undefined ? {} : { branding: { primaryColor } };
      const host = await startHost(t, { signer }, { settings, ...branding });
      const url = await host.mint();
      const page = await openPage(t, engine, url, WIDE);
      const code = page.getByRole('img', { name: 'Continue on your phone' });
      t.equal(await code.isVisible(), false);
      await page.getByText('Continue on your phone').click();
      const box = await code.boundingBox();
      t.match(box, { width: 200, height: 200 });
      t.equal(await read(page), url);
      if (engine.name !== 'Firefox') t.same(await axeViolations(page), []);
    });

  t.test(`a phone has no code, nor has a print${engine.suffix}`, async (t) => {
    const host = await startHost(t, {}, { settings });
    const url = await host.mint();
    const viewport = { width: 390, height: 800 };
    const narrow = await openPage(t, engine, url, { viewport });
    const button = narrow.getByText('Continue on your phone');
    t.equal(await button.isVisible(), false);
    const wide = await openPage(t, engine, url, { ...WIDE, javaScriptEnabled: false });
    await wide.getByText('Continue on your phone').press('Enter');
    t.ok(await wide.getByRole('img', { name: 'Continue on your phone' }).isVisible(), 'without JavaScript');
    // Firefox lacks print media over WebDriver BiDi.
    if (engine.name === 'Firefox') return;
    await wide.emulateMedia({ media: 'print' });
    t.equal(await wide.getByText('Continue on your phone').isVisible(), false);
  });
}
