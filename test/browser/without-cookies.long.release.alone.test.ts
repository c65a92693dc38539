// The question to a recipient in browsers that keep no cookie of the page: in a frame of another site, and with cookies off.
import type { Frame, Page } from 'playwright-core';
import t from 'tap';
import { serve } from '../listen.js';
import { launchChromium } from './chromium.js';
import { replaceText } from './engines.js';
import { launchFirefox } from './firefox.js';
import { COMPLETE_POLICY, startHost } from './host.js';
import { openPage } from './page-walk.js';

const PLATE = COMPLETE_POLICY.vehicle.licensePlate;
const QUESTION = 'Please confirm that this link is for you';
const settings = { recipientCheck: ['/policy/vehicle/licensePlate'] } as const;

async function sendClaim(page: Page | Frame): Promise<void> {
  for (const _step of ['contact', 'review']) await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Send claim' }).click();
  await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
}

async function answer(page: Page | Frame): Promise<void> {
  await page.getByRole('heading', { name: QUESTION }).waitFor();
  await page.getByLabel('Licence plate').fill(PLATE);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Report a claim' }).waitFor();
}

const chromium = await launchChromium(t, ['--test-third-party-cookie-phaseout']);
if (chromium !== undefined) {
  t.test('a frame of another site without cookies: answer, reload with the text, and claim', async (t) => {
    let framed = '';
    const portal = await serve(t, (_req, res) => {
      res.setHeader('content-type', 'text/html');
      res.end(
        `<!doctype html><iframe width="600" height="900" src="${framed.replaceAll('&', '&amp;')}"></iframe>`,
      );
    });
    const outside = portal.replace('127.0.0.1', 'localhost');
    const host = await startHost(t, {}, { settings, frameAncestors: [outside] });
    framed = await host.mint({ initialStepKey: 'incident' });
    const page = await openPage(t, chromium, outside);
    const frame = () => page.frames()[1] as Frame;
    await answer(frame());
    t.same(await page.context().cookies(), []);
    await frame().getByLabel('Description').fill('A stone hit the windscreen.');
    await page.reload();
    await answer(frame());
    t.equal(await frame().getByLabel('Description').inputValue(), 'A stone hit the windscreen.');
    await sendClaim(frame());
    const { sessions } = await host.exportUser();
    t.equal(sessions.length, 1);
    t.notMatch(JSON.stringify(sessions), 'proof');
  });
}

for (const javaScriptEnabled of [true, false]) {
  const firefox = await launchFirefox(t, { javaScriptEnabled, keepsCookies: false });
  if (firefox === undefined) continue;
  t.test(
    `Firefox with cookies off, JavaScript ${javaScriptEnabled ? 'on' : 'off'}: answer and claim`,
    async (t) => {
      const host = await startHost(t, {}, { settings });
      const page = await openPage(t, firefox, await host.mint({ initialStepKey: 'incident' }));
      await page.getByRole('heading', { name: QUESTION }).waitFor();
      await replaceText(page.getByLabel('Licence plate'), PLATE);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Report a claim' }).waitFor();
      if (javaScriptEnabled) await sendClaim(page);
      else {
        await page.getByLabel('Last name').first().focus();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      }
      t.equal((await host.exportUser()).sessions.length, 1);
    },
  );
}
