// What people type and paste, in real browsers: the form takes what they mean, or says what is wrong.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type { ClientForm } from '../../lib/index.js';
import { axeViolations } from './axe.js';
import { launchEngines, newWatchedPage } from './engines.js';
import { COMPLETE_POLICY, startHost } from './host.js';

const FORM: ClientForm = {
  emailSuggestion: true,
  questions: [{ key: 'since', step: 'policy', kind: 'date', texts: { en: { label: 'Living there since' } } }],
};

const engines = await launchEngines(t);
const host = await startHost(t, {}, { settings: { form: FORM } });

const DATES = [
  ['/policy/validFrom', 'Valid from'],
  ['/incident/answers/since', 'Living there since'],
  ['/incident/date', 'Date of the incident'],
] as const;

for (const engine of engines) {
  const open = async (t: Test, isScripted: boolean) => {
    const options = { javaScriptEnabled: isScripted };
    const { page, complaints } = await newWatchedPage(t, engine, options, /status of 400/);
    const { validFrom: _, ...policy } = COMPLETE_POLICY;
    await page.goto(await host.mint({ policy }));
    return { page, complaints, field: (pointer: string) => page.locator(`[name="${pointer}"]`) };
  };

  /** Types two digits of each part, which is 3 March in every order of day and month. */
  const typeShortDate = async (page: Page, pointer: string): Promise<void> => {
    await page.locator(`[name="${pointer}"]`).focus();
    for (const key of '030326') await page.keyboard.press(key);
    await page.keyboard.press('Tab');
  };

  t.test(`a year of two digits is a mistake that the form shows${engine.suffix}`, async (t) => {
    const { page, complaints, field } = await open(t, true);
    const next = () => page.getByRole('button', { name: 'Next' }).click();
    for (const [pointer, label] of DATES) {
      if (!(await field(pointer).isVisible())) await next();
      await typeShortDate(page, pointer);
      t.equal(await field(pointer).inputValue(), '0026-03-03', 'what the browser makes of it');
      await next();
      t.match(
        await page.locator('#problem-list').innerText(),
        `${label}: enter a date that exists, with four digits`,
      );
      await field(pointer).fill('2026-01-03');
    }
    await next();
    t.match(await page.locator('h2:visible').first().innerText(), 'How we reach you');
    t.same(complaints, []);
  });

  t.test(`a year of two digits is a mistake, also without JavaScript${engine.suffix}`, async (t) => {
    const { page } = await open(t, false);
    for (const [pointer] of DATES) await typeShortDate(page, pointer);
    await page.locator('#send').press('Enter');
    await page.locator('#problem-list li').first().waitFor();
    const problems = await page.locator('#problem-list').innerText();
    for (const [, label] of DATES)
      t.match(problems, `${label}: enter a date that exists, with four digits of the year`);
    t.same(await host.list(), []);
  });

  t.test(`a date that is not complete says what it needs${engine.suffix}`, async (t) => {
    const { page, field } = await open(t, true);
    for (const [pointer, label] of DATES.slice(0, 1)) {
      await field(pointer).focus();
      await page.keyboard.press('0');
      await page.keyboard.press('3');
      await page.getByRole('button', { name: 'Next' }).click();
      t.match(
        await page.locator('#problem-list').innerText(),
        `${label}: day, month and year are all needed, and the day must exist`,
      );
    }
  });

  t.test(`a date is marked as empty until a part of it is typed${engine.suffix}`, async (t) => {
    const { page, field } = await open(t, true);
    const date = field('/policy/validFrom');
    const isEmpty = async () => (await date.getAttribute('data-empty')) !== null;
    t.equal(await isEmpty(), true);
    await date.focus();
    await page.keyboard.press('0');
    await page.keyboard.press('3');
    t.equal(await isEmpty(), false);
    await date.fill('2026-01-03');
    t.equal(await isEmpty(), false);
    await date.fill('');
    t.equal(await isEmpty(), true);
  });

  t.test(`an address with a typing error gets a button with the common one${engine.suffix}`, async (t) => {
    const { page, complaints } = await newWatchedPage(t, engine, {}, /(?!)/);
    const { holder: _, ...policy } = COMPLETE_POLICY;
    await page.goto(await host.mint({ policy, initialStepKey: 'contact' }));
    const email = page.locator('[name="/policy/holder/email"]');
    const offer = page.getByRole('button', { name: 'Did you mean' });
    const type = async (text: string) => {
      await email.fill('');
      await email.pressSequentially(text);
      t.equal(await offer.count(), 0, 'nothing while the person types');
      await page.keyboard.press('Tab');
    };
    for (const text of ['ada@mailw.com', 'ada@ymail.com', 'ada', 'ada@']) {
      await type(text);
      t.equal(await offer.count(), 0, text);
    }
    await type('ada+$&@gmial.con');
    t.equal(await offer.innerText(), 'Did you mean ada+$&@gmail.com?');
    t.equal(await page.locator('#status').innerText(), 'Did you mean ada+$&@gmail.com?');
    t.same(await axeViolations(page), []);
    await page.keyboard.press('Shift+Tab');
    t.equal(await page.locator(':focus').innerText(), await offer.innerText(), 'one key away');
    await page.keyboard.press('Enter');
    t.equal(await email.inputValue(), 'ada+$&@gmail.com');
    t.equal(await page.locator(':focus').getAttribute('name'), '/policy/holder/email');
    t.equal(await offer.count(), 0);
    await page.reload();
    t.equal(await email.inputValue(), 'ada+$&@gmail.com', 'the text of this tab');
    t.same(complaints, []);
  });
}
