// What the page tells its user of a claim is true, and nothing that was typed is lost.
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { launchChromium } from './chromium.js';
import { openPolicy } from './engines.js';
import { COMPLETE_POLICY, startHost } from './host.js';
import { openPage } from './page-walk.js';

const browser = await launchChromium(t);
let time = Date.now();
// It moves, so that the newest session of the listing is the last one.
const now = () => {
  time += 10;
  return new Date(time);
};
const host = await startHost(t, { now });
const REVIEW = { initialStepKey: 'review' };

/** A policy that differs from that of the links. */
const OTHER_CLAIM = {
  '/policy/provider': 'Other',
  '/policy/number': 'B-2',
  '/policy/validFrom': '2026-01-01',
  '/policy/validTo': '2026-12-31',
  '/policy/holder/firstName': 'Ada',
  '/policy/holder/lastName': 'Lovelace',
  '/policy/holder/email': 'ada@example.com',
  '/policy/holder/phone': '1234567',
  '/policy/vehicle/licensePlate': 'AB1',
};

const SENT = 'Your claim has been sent';
const NOT_TAKEN = 'Your changes were not saved';

if (browser !== undefined) {
  const open = (t: Test, url: string, options: BrowserContextOptions = {}) =>
    openPage(t, browser, url, options);

  /** Loses the response to the next submission: the service gets it, the page does not. */
  const loseResponse = (page: Page) =>
    page.route(
      '**/verify/**',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
  const send = (page: Page, name = 'Send claim') => page.getByRole('button', { name }).click();
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const entered = (page: Page) => page.locator('[data-entered-text]').innerText();

  /** Changes the description on its step and comes back to the review. */
  async function correct(page: Page, description: string): Promise<void> {
    await page.getByRole('button', { name: 'Change: What happened' }).click();
    await page.locator('[name="/incident/description"]').fill(description);
    for (let step = 0; step < 2; step++) await page.getByRole('button', { name: 'Next' }).click();
  }

  for (const callbackOnSubmit of [false, true]) {
    t.test(
      `a correction after a lost response is not shown as sent, callbackOnSubmit ${callbackOnSubmit}`,
      async (t) => {
        const url = await host.mint(REVIEW, { callbackOnSubmit });
        const page = await open(t, url);
        await loseResponse(page);
        await send(page);
        await page.getByText('We do not know whether your claim arrived.').waitFor();
        await correct(page, 'Corrected.');
        await send(page, 'Send again');
        await heading(page, NOT_TAKEN);
        t.match(await page.title(), NOT_TAKEN);
        t.match(await entered(page), 'Description: Corrected.');
        t.equal(await page.getByText(SENT).filter({ visible: true }).count(), 0);
        t.equal(await page.getByRole('link', { name: 'help@acme.example' }).count(), 1, 'whom to call');
        t.equal(await page.evaluate('sessionStorage.length'), 1, 'the text stays in the tab');
        await page.reload();
        t.match(await entered(page), 'Description: Corrected.');
        await page.goBack();
        await page.getByText('Delete the text').click();
        t.equal(await page.evaluate('sessionStorage.length'), 0, 'until its user deletes it');
      },
    );
  }

  t.test(
    'what differs is on the page and in a mail, and goes with the text that the user deletes',
    async (t) => {
      const page = await open(t, await host.mint(REVIEW));
      await loseResponse(page);
      await send(page);
      await page.getByText('Changes that you make now may not be saved.').waitFor();
      await correct(page, 'Corrected.');
      await send(page, 'Send again');
      await heading(page, NOT_TAKEN);
      t.equal(await page.locator('[data-differences]').innerText(), 'What happened\nDescription: Corrected.');
      const mail = page.locator('a[href*="Corrected"]');
      t.match(
        await mail.getAttribute('href'),
        /^mailto:help@acme\.example\?subject=Insurance%20claims%3A%20S-\w+&body=What%20happened%0D%0A/,
      );
      await page.getByText('Delete the text').click();
      await page.getByText('The text was deleted.').waitFor();
      for (const part of [mail, page.locator('[data-differences]')])
        await part.waitFor({ state: 'detached' });
    },
  );

  t.test('the same claim after a lost response is a success, with its redirect', async (t) => {
    const page = await open(t, await host.mint(REVIEW, { callbackOnSubmit: true }));
    await loseResponse(page);
    await send(page);
    await send(page, 'Send again');
    await page.waitForURL(`${host.callbackOrigin}/done?**`);
  });

  for (const callbackOnSubmit of [false, true]) {
    t.test(
      `without JavaScript, a correction is not shown as sent, callbackOnSubmit ${callbackOnSubmit}`,
      async (t) => {
        const url = await host.mint({}, { callbackOnSubmit });
        const page = await open(t, url, { javaScriptEnabled: false });
        const other = await open(t, url, { javaScriptEnabled: false });
        await page.locator('[name="/incident/description"]').fill('First.');
        await other.locator('[name="/incident/description"]').fill('Second.');
        await send(page);
        await page.waitForURL(callbackOnSubmit ? `${host.callbackOrigin}/done?**` : url);
        await send(other);
        await heading(other, NOT_TAKEN);
        t.match(await entered(other), 'Description: Second.');
        await other.getByRole('link', { name: 'Continue' }).click();
        await other.waitForURL(`${host.callbackOrigin}/done?**`);
      },
    );
  }

  t.test('of two tabs with other texts, one says that its text was not taken', async (t) => {
    const url = await host.mint();
    const tabs = await Promise.all([open(t, url), open(t, url)]);
    for (const [index, tab] of tabs.entries()) {
      await openPolicy(tab);
      await tab.locator('[name="/policy/number"]').fill(`tab-${index}`);
      for (let step = 0; step < 3; step++) await tab.getByRole('button', { name: 'Next' }).click();
    }
    const [first, second] = tabs;
    await send(first);
    await heading(first, SENT);
    await send(second);
    await heading(second, NOT_TAKEN);
    t.match(await entered(second), 'Policy number: tab-1');
    t.match((await host.list())[0], { selectedPolicy: { number: 'tab-0' } });
  });

  t.test('a link that expires while its user types keeps the text, also after a reload', async (t) => {
    const page = await open(t, await host.mint(REVIEW));
    t.match(await page.getByText('This link works until').innerText(), /\d/);
    await correct(page, 'A long story.');
    time += 86_400_000;
    await send(page);
    await heading(page, 'This link has expired');
    t.match(await page.locator('#main').innerText(), 'Your claim was not sent.');
    t.match(await entered(page), 'Description: A long story.');
    t.equal(await page.getByRole('link', { name: 'help@acme.example' }).count(), 1);
    await page.reload();
    await heading(page, 'This link has expired');
    t.match(await entered(page), 'Description: A long story.');
  });

  t.test('without JavaScript, an expired link gives the text back', async (t) => {
    const page = await open(t, await host.mint(), { javaScriptEnabled: false });
    await page.locator('[name="/incident/description"]').fill('A long story.');
    time += 86_400_000;
    await send(page);
    await heading(page, 'This link has expired');
    t.match(await entered(page), 'Description: A long story.');
  });

  t.test('a request that hangs: the page says that it takes longer, then that it cannot know', async (t) => {
    const page = await open(t, await host.mint(REVIEW));
    await page.clock.install();
    await page.reload();
    await page.route('**/verify/**', () => new Promise(() => {}), { times: 1 });
    await send(page);
    t.equal(
      await page.locator('[name="/incident/description"]').isDisabled(),
      true,
      'nothing can be changed',
    );
    await page.clock.runFor(8_000);
    await page.getByText('This takes longer than usual.').waitFor();
    await page.clock.runFor(22_000);
    await page.getByText('We do not know whether your claim arrived.').waitFor();
    t.equal(await page.getByText('This takes longer than usual.').count(), 0);
    await page.unroute('**/verify/**');
    await send(page, 'Send again');
    await heading(page, SENT);
  });

  t.test('a browser that calls itself offline sends, and says so only if no response arrives', async (t) => {
    const page = await open(t, await host.mint(REVIEW));
    const setOnline = (isOnline: boolean) =>
      page.evaluate(
        `Object.defineProperty(navigator, 'onLine', { value: ${isOnline}, configurable: true });
        dispatchEvent(new Event('${isOnline ? 'online' : 'offline'}'))`,
      );
    await setOnline(false);
    await page.route('**/verify/**', (route) => route.abort(), { times: 1 });
    await send(page);
    const words = page.locator('#failure');
    await words.getByText('You seem to be offline.').waitFor();
    await setOnline(true);
    t.equal(await words.getByText('You seem to be offline.').count(), 0);
    t.match(await words.innerText(), 'We do not know whether your claim arrived.', 'as before');
    await setOnline(false);
    await send(page, 'Send again');
    await heading(page, SENT);
  });

  for (const status of [404, 410])
    t.test(`a ${status} of a proxy keeps the form with what was typed`, async (t) => {
      const page = await open(t, await host.mint(REVIEW));
      await correct(page, 'A long story.');
      const body = '<h1>Not here</h1>';
      await page.route('**/verify/**', (route) => route.fulfill({ status, body }), { times: 1 });
      await send(page);
      await page.getByText('We do not know whether your claim arrived.').waitFor();
      t.match(await page.locator('#review').innerText(), 'A long story.');
      t.equal(await page.getByRole('link', { name: 'help@acme.example' }).count(), 1);
      await send(page, 'Send again');
      await heading(page, SENT);
    });

  const ACTIVITIES: Record<string, (page: Page) => Promise<unknown>> = {
    'a key': (page) => page.keyboard.press('Tab'),
    'a touch': (page) => page.mouse.click(2, 2),
    'a scroll': (page) => page.evaluate('scrollTo(0, 50)'),
    'a selection': (page) =>
      page.evaluate('getSelection().selectAllChildren(document.querySelector("[data-reference]"))'),
    'a focus that moves without a key': (page) =>
      page.evaluate('document.querySelector("[data-print]").focus()'),
    'a screen reader that reads on': (page) =>
      page.evaluate('getSelection().collapse(document.querySelector(".success h1 + p").firstChild, 1)'),
    'a hidden tab': (page) =>
      page.evaluate(
        'Object.defineProperty(document, "hidden", { value: true }); document.dispatchEvent(new Event("visibilitychange"))',
      ),
  };
  for (const [name, act] of Object.entries(ACTIVITIES)) {
    t.test(`${name} ends the countdown for good`, async (t) => {
      const page = await open(t, await host.mint(REVIEW), { viewport: { width: 390, height: 500 } });
      await page.clock.install();
      await page.reload();
      await send(page);
      await page.locator('[data-countdown]').waitFor();
      await page.clock.runFor(20_000);
      t.equal(await page.locator('[data-seconds]').innerText(), '40', 'it runs');
      await act(page);
      await page.locator('[data-countdown]').waitFor({ state: 'hidden' });
      await page.clock.runFor(120_000);
      t.equal(await page.getByRole('heading', { name: SENT }).isVisible(), true);
      await page.getByRole('link', { name: 'Continue' }).click();
      await page.waitForURL(`${host.callbackOrigin}/done?**`);
    });
  }

  t.test('reload and Back show the receipt with its answers, and it stays', async (t) => {
    const page = await open(t, await host.mint(REVIEW));
    await send(page);
    await heading(page, SENT);
    const receipt = await page.locator('.success').innerText();
    t.match(receipt, COMPLETE_POLICY.number);
    const reference = await page.locator('[data-reference]').innerText();
    t.equal(reference, (await host.list())[0]?.['reference']);
    await page.reload();
    await heading(page, SENT);
    const reloaded = await page.locator('.success').innerText();
    for (const line of ['Policy number', COMPLETE_POLICY.number, 'Ada', reference]) t.match(reloaded, line);
    t.equal(await page.locator('[data-countdown]').count(), 0);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(`${host.callbackOrigin}/done?**`);
    await page.goBack();
    t.match(await page.locator('.success').innerText(), COMPLETE_POLICY.number);
  });

  t.test(
    'what takes the focus takes it before the element with the focus goes, so that Orca says it',
    async (t) => {
      const page = await open(t, await host.mint());
      await page.clock.install();
      await page.reload();
      await page.clock.pauseAt(Date.now() + 60_000);
      const focused = () => page.evaluate('document.activeElement.textContent');
      const isThere = async (selector: string) => (await page.locator(selector).boundingBox()) !== null;
      await page.getByRole('button', { name: 'Next' }).click();
      await page.goBack();
      t.equal(await focused(), 'Your policy');
      t.equal(await isThere('[data-step="incident"]'), true);
      const unseen = page.locator('.step.vh');
      t.equal(await unseen.count(), 1);
      await page.goForward();
      t.equal(await focused(), 'What happened');
      t.equal(await unseen.getAttribute('data-step'), 'policy', 'a step that is shown again is seen at once');
      await page.goBack();
      await page.clock.runFor(1000);
      t.equal(await isThere('[data-step="incident"]'), false);
      for (let step = 0; step < 3; step++) await page.locator('[data-current] [data-next]').click();
      const body = new URLSearchParams(OTHER_CLAIM);
      const { status } = await fetch(page.url(), {
        method: 'POST',
        headers: { accept: 'application/json' },
        body,
      });
      t.equal(status, 200);
      await send(page);
      await heading(page, NOT_TAKEN);
      t.equal(await focused(), NOT_TAKEN);
      t.equal(await isThere('#claim'), true);
      t.equal(await page.locator('#claim').evaluate((form) => form.classList.contains('vh')), true, 'unseen');
      await page.clock.runFor(1000);
      t.equal(await page.locator('#claim').count(), 0);
      await page.getByText('Delete the text').click();
      t.equal(await focused(), 'The text was deleted.');
      t.equal(await page.locator('[data-delete]').count(), 1);
      await page.clock.runFor(1000);
      t.equal(await page.locator('[data-delete]').count(), 0);
    },
  );

  t.test('a response without a page shows a receipt in words, and loads the page', async (t) => {
    const page = await open(t, await host.mint(REVIEW));
    let loaded = (_method: string) => {};
    const load = new Promise<string>((resolve) => {
      loaded = resolve;
    });
    await page.route('**/verify/**', async (route) => {
      if (route.request().isNavigationRequest()) {
        // The page never arrives.
        await route.fulfill({ status: 204 });
        return loaded(route.request().method());
      }
      const response = await route.fetch();
      const { reference, date } = (await response.json()).data;
      return route.fulfill({ response, json: { data: { reference, date } } });
    });
    await send(page);
    t.equal(await load, 'POST');
    const [session] = await host.list();
    // A locator would wait for the page.
    const words = await page.evaluate(`document.querySelector('#main').innerText`);
    t.match(words, SENT);
    t.match(words, `Your reference: ${session?.['reference']}`);
    t.match(words, 'Need help?');
    t.match(words, 'help@acme.example');
    t.equal(await page.evaluate('document.activeElement.textContent'), SENT);
  });

  t.test('a page without its style and script shows no button that does nothing', async (t) => {
    const page = await open(t, await host.mint(REVIEW));
    await page.route('**/verify/**', async (route) => {
      const response = await route.fetch();
      const { style, script, ...data } = (await response.json()).data;
      t.match(style, '.reference');
      t.match(script, 'clipboard');
      await route.fulfill({ response, json: { data } });
    });
    await send(page);
    await heading(page, SENT);
    t.equal(await page.locator('[data-reference]').innerText(), (await host.list())[0]?.['reference']);
    for (const part of ['[data-copy]', '[data-print]', '[data-countdown]'])
      t.equal(await page.locator(part).isVisible(), false, part);
    t.equal(await page.getByRole('link', { name: 'Continue' }).isVisible(), true);
  });

  t.test('no script of the content of the page runs: only the constant beside it does', async (t) => {
    const page = await open(t, await host.mint(REVIEW));
    await page.route('**/verify/**', async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      data.page +=
        '<script>ran = 1</script><img src="x:" onerror="ran = 2"><script nonce="n">ran = 3</script>';
      await route.fulfill({ response, json: { data } });
    });
    await send(page);
    await page.getByRole('button', { name: 'Copy' }).waitFor();
    t.equal(await page.evaluate('typeof ran'), 'undefined');
  });

  t.test('a client whose page never goes on shows no countdown', async (t) => {
    const quiet = await startHost(t, {}, { settings: { redirectAfterSeconds: 'never' } });
    const page = await open(t, await quiet.mint(REVIEW));
    await send(page);
    await heading(page, SENT);
    t.equal(await page.locator('[data-countdown]').count(), 0);
    t.equal(await page.getByRole('link', { name: 'Continue' }).count(), 1);
  });

  t.test('Copy gives the reference without gaps, and Print prints', async (t) => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    t.teardown(() => context.close());
    const page = await context.newPage();
    await page.addInitScript('window.print = () => { window.printed = true; };');
    await page.goto(await host.mint(REVIEW));
    await send(page);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    t.equal(await page.evaluate('navigator.clipboard.readText()'), (await host.list())[0]?.['reference']);
    await page.getByRole('button', { name: 'Print' }).click();
    t.equal(await page.evaluate('window.printed'), true);
  });

  t.test('another browser that has the link sees reference and time, and no answer', async (t) => {
    const url = await host.mint(REVIEW);
    const page = await open(t, url);
    await send(page);
    await heading(page, SENT);
    const reference = await page.locator('[data-reference]').innerText();
    const other = await open(t, url);
    await heading(other, 'This claim has been sent already');
    t.equal(await other.locator('[data-reference]').innerText(), reference);
    const html = await other.content();
    const { holder, vehicle, number } = COMPLETE_POLICY;
    for (const answer of [number, vehicle.licensePlate, holder.email, holder.phone, holder.lastName])
      t.notMatch(html, answer);
  });

  t.test('a submitted link tells reference and time after an hour and after its end', async (t) => {
    const url = await host.mint(REVIEW);
    const page = await open(t, url);
    await send(page);
    await heading(page, SENT);
    const reference = await page.locator('[data-reference]').innerText();
    for (const wait of [3_600_000, 86_400_000]) {
      time += wait;
      await page.reload();
      await heading(page, 'This claim has been sent already');
      t.equal(await page.locator('[data-reference]').innerText(), reference);
      t.equal(await page.getByText(COMPLETE_POLICY.number).count(), 0);
    }
  });
}
