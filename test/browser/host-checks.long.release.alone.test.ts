// What a host adds to the checks of the form: validateClaim and the confirmation of the privacy policy.
import type { Page } from 'playwright-core';
import t from 'tap';
import type { ValidateClaim } from '../../lib/index.js';
import { axeViolations } from './axe.js';
import { launchEngines, replaceText } from './engines.js';
import { startHost } from './host.js';
import { openPage } from './page-walk.js';

/** Sends the form with the keyboard: in Firefox without JavaScript, clicks wait forever. */
async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send claim' }).press('Enter');
}

const findProblems: ValidateClaim = ({ policy }) => {
  if (policy.number !== 'NW-2026-1') return [];
  return [
    {
      pointer: '/policy/number',
      rule: 'policy_unknown',
      detail: 'We have no policy with this number',
      messages: { de: 'Wir kennen diese <Police> nicht' },
    },
    { pointer: '/policy/holder/id', rule: 'person_unknown', detail: 'We do not know this person' },
  ];
};

for (const engine of await launchEngines(t)) {
  for (const javaScriptEnabled of [true, false]) {
    const suffix = `${javaScriptEnabled ? 'with' : 'without'} JavaScript${engine.suffix}`;

    t.test(`problems of validateClaim are at their fields and in the summary, ${suffix}`, async (t) => {
      const host = await startHost(t, { validateClaim: findProblems });
      const url = await host.mint({ initialStepKey: 'review' });
      const page = await openPage(t, engine, url, { javaScriptEnabled });
      await send(page);
      const summary = page.getByRole('group', { name: 'There is a problem' });
      await summary.waitFor();
      t.same(await page.locator('#problem-list li').allInnerTexts(), [
        'We have no policy with this number',
        'We do not know this person',
      ]);
      const number = page.locator('[name="/policy/number"]');
      t.equal(await number.getAttribute('aria-invalid'), 'true');
      t.equal(await number.isVisible(), true, 'the step of the first problem is open');
      const error = await page.locator('#policy-number-error').innerText();
      t.match(error, 'We have no policy with this number');
      t.same(await host.list(), []);
      if (javaScriptEnabled) t.same(await axeViolations(page), []);

      await number.press('ControlOrMeta+a');
      await number.pressSequentially('NW-1');
      if (javaScriptEnabled)
        for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Next' }).click();
      await send(page);
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      t.match(await host.list(), [{ selectedPolicy: { number: 'NW-1' } }]);
    });

    t.test(`a problem of validateClaim has the language of the page, ${suffix}`, async (t) => {
      const host = await startHost(t, { validateClaim: findProblems });
      const url = `${await host.mint({ initialStepKey: 'review' })}&lang=de`;
      const page = await openPage(t, engine, url, { javaScriptEnabled });
      await page.locator('#send').press('Enter');
      await page.locator('#problem-list li').first().waitFor();
      t.same(await page.locator('#problem-list li').allInnerTexts(), [
        'Wir kennen diese <Police> nicht',
        'We do not know this person',
      ]);
    });

    t.test(`after a failure of validateClaim the page says that nothing was sent, ${suffix}`, async (t) => {
      let isDown = true;
      const host = await startHost(t, {
        validateClaim() {
          if (isDown) throw new Error('policy system down');
        },
        onError: () => {},
      });
      const page = await openPage(t, engine, await host.mint({ initialStepKey: 'review' }), {
        javaScriptEnabled,
      });
      await send(page);
      await page.getByText('Your claim was not sent.').first().waitFor();
      t.equal(await page.getByText('We do not know whether your claim arrived.').count(), 0);
      t.same(await host.list(), []);
      isDown = false;
      if (!javaScriptEnabled) await page.getByRole('link', { name: 'Try again' }).press('Enter');
      await send(page);
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      t.equal((await host.list()).length, 1);
    });

    t.test(`the privacy policy is confirmed by a checkbox that is not ticked, ${suffix}`, async (t) => {
      const host = await startHost(t, {}, { settings: { form: { noticeConfirmation: true } } });
      const url = await host.mint({ initialStepKey: 'review' });
      const page = await openPage(t, engine, url, { javaScriptEnabled });
      const checkbox = page.getByRole('checkbox', { name: 'I have read the privacy policy' });
      t.equal(await checkbox.isChecked(), false);
      const review = page.locator('[data-step="review"]');
      t.equal(await review.getByRole('link', { name: /privacy policy/ }).isVisible(), true);
      await send(page);
      await page.locator('#problem-list li').first().waitFor();
      t.same(await page.locator('#problem-list li').allInnerTexts(), [
        'Confirm that you have read the privacy policy',
      ]);
      t.equal(await checkbox.getAttribute('aria-invalid'), 'true');
      t.equal(await checkbox.isChecked(), false);
      t.same(await host.list(), []);
      if (javaScriptEnabled) t.same(await axeViolations(page), []);

      // Another problem: a form without JavaScript keeps the tick that its user has sent.
      await checkbox.press('Space');
      if (javaScriptEnabled) {
        t.equal(await page.locator('#review').getByText('privacy policy').count(), 0, 'it is no answer');
        await page.reload();
        t.equal(await checkbox.isChecked(), false, 'a reload ticks nothing');
        await checkbox.press('Space');
      } else {
        const plate = page.locator('[name="/policy/vehicle/licensePlate"]');
        await replaceText(plate, '');
        await send(page);
        await page.getByText('Enter your licence plate').first().waitFor();
        t.equal(await checkbox.isChecked(), true);
        await replaceText(plate, 'XY 1');
      }
      await send(page);
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      t.match((await host.exportUser()).sessions, [
        { notice: { url: 'https://acme.example/privacy', at: Date, accepted: true } },
      ]);
    });
  }
}
