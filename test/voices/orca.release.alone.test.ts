// What the screen reader Orca says of the standalone pages, in Chromium and in Firefox: each text exactly once, in its order.
import type { Page } from 'playwright-core';
import t from 'tap';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { en } from '../../lib/widget/locales/en.js';
import { startHost } from '../browser/host.js';
import { makePhoto } from '../browser/photo-files.js';
import { isSaidOnce, startOrca } from './orca.js';
import { BROWSER_PACKAGES, openInChromium, openInFirefox } from './voice-browsers.js';

const { changed, fields, form, photos, script, steps, success } = en;

const host = await startHost(t, {}, { settings: { redirectAfterSeconds: 40 } });
const photoHost = await startHost(
  t,
  { photos: { store: createMemoryPhotoStore() } },
  { settings: { form: { photos: { need: 'optional' } } } },
);
const orca = await startOrca(t, BROWSER_PACKAGES);

for (const [name, openBrowser] of Object.entries({ Chromium: openInChromium, Firefox: openInFirefox }))
  if (orca !== undefined)
    await t.test(name, async (t) => {
      const page = await openBrowser(t, orca.desktop, await host.mint());
      await page.getByRole('heading', { name: form.title }).waitFor();
      await orca.heard('');

      /** Opens a new link, and waits until Orca has read it. */
      const open = async (config: Parameters<typeof host.mint>[0]) => {
        const url = await host.mint(config);
        await page.goto(url);
        await orca.heard();
        return url;
      };
      const focus = async (selector: string) => {
        await page.locator(selector).focus();
        await orca.heard();
      };
      /** Presses Enter on a button, and returns what Orca says. */
      const pressOn = async (selector: string, lastText: string) => {
        await focus(selector);
        await orca.press('Return');
        return orca.heard(lastText);
      };
      const next = '[data-current] [data-next]';

      await t.test('every step is said once, also after Back', async (t) => {
        const { policy, incident } = steps;
        isSaidOnce(t, await pressOn(next, incident.title), [incident.title]);
        isSaidOnce(t, await pressOn('[data-current] [data-back]', policy.title), [policy.title]);
      });

      await t.test('problems: each once, in the order of the form', async (t) => {
        await open({ policy: {} });
        const messages = [
          fields.policyNumber.missing,
          fields.validFrom.missing,
          fields.validTo.missing,
          fields.licensePlate.missing,
        ];
        const said = await pressOn(next, fields.licensePlate.missing);
        isSaidOnce(t, said, [form.problemsTitle, ...messages]);
      });

      if (name === 'Firefox')
        await t.test('a date says its label', async (t) => {
          await open({ policy: {} });
          await focus('[name="/policy/number"]');
          const said: string[] = [];
          for (let count = 0; count < 5; count++) {
            await orca.press('Tab');
            said.push(...(await orca.heard('')));
          }
          isSaidOnce(t, said, [form.coverPeriod, fields.validFrom.label, fields.validTo.label]);
        });

      await t.test('photos that are chosen together: each change once', async (t) => {
        await page.goto(await photoHost.mint({ initialStepKey: 'incident' }));
        await orca.heard();
        await page.locator('#incident-photos').focus();
        await orca.heard();
        const names = ['front.jpg', 'back.jpg'];
        const files = await Promise.all(names.map((name, noise) => makePhoto(page, name, { noise })));
        await page.locator('.photos [type=file]').setInputFiles(files);
        const said = await orca.heard(`back.jpg: ${photos.sent}`);
        isSaidOnce(t, said, [`front.jpg: ${script.sending}`, `back.jpg: ${script.sending}`]);
        isSaidOnce(t, said, [`front.jpg: ${photos.sent}`, `back.jpg: ${photos.sent}`]);
      });

      await t.test('a failure of sending is said once, and the button keeps the focus', async (t) => {
        await open({ initialStepKey: 'review' });
        await answerWhenSaid(page, 503);
        const said = await pressOn('#send', script.nothingLost);
        isSaidOnce(t, said, [script.sendingClaim, script.unknown, script.nothingLost]);
        t.equal(await page.evaluate('document.activeElement.id'), 'send');
      });

      await t.test('the receipt and its countdown', async (t) => {
        await open({ initialStepKey: 'review' });
        await answerWhenSaid(page);
        const start = success.secondsLeft;
        isSaidOnce(t, await pressOn('#send', start), [script.sendingClaim, success.title, start]);
        const last = await orca.heard(`${success.secondsLeft} 20`);
        isSaidOnce(t, last, [`${success.secondsLeft} 20`]);
        // A key of Orca, which does not reach the page: it moves the cursor.
        await orca.press('Down');
        const stayed = await orca.heard(script.stayed);
        isSaidOnce(t, stayed, [script.stayed]);
        t.equal(await page.locator('[data-countdown]').isVisible(), false);
        const copied = await pressOn('[data-copy]', script.copied);
        // Orca itself says the first one.
        t.same(
          copied.filter((line) => line !== 'Copied selection to clipboard.'),
          [script.copied],
        );
      });

      await t.test('changes that are not taken, and a text that is deleted', async (t) => {
        const url = await open({ initialStepKey: 'review' });
        const claim = await page.evaluate<string>(
          'new URLSearchParams(new FormData(document.querySelector("#claim"))).toString()',
        );
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const body = claim.replace('Lovelace', 'Byron');
        t.equal((await fetch(url, { method: 'POST', headers, body })).status, 200);
        await answerWhenSaid(page);
        isSaidOnce(t, await pressOn('#send', changed.title), [script.sendingClaim, changed.title]);
        // Orca says nothing of it in Firefox.
        if (name === 'Chromium')
          isSaidOnce(t, await pressOn('[data-delete]', script.deleted), [script.deleted]);
      });
    });

/** Lets the next claim go on, or answers it with a status, when Orca has said that it is sent. */
async function answerWhenSaid(page: Page, status?: number): Promise<void> {
  let isDone = false;
  await page.route('**/verify/**', async (route) => {
    if (isDone || route.request().method() !== 'POST') return route.fallback();
    isDone = true;
    await orca?.waitFor(script.sendingClaim);
    return status === undefined ? route.continue() : route.fulfill({ status, body: 'down' });
  });
}
