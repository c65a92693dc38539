// The whole way in real Chromium: mint over HTTP, open, fill in, submit, be on the callback, find the session.
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { launchChromium } from './chromium.js';
import { startHost } from './host.js';

const browser = await launchChromium(t);
if (browser !== undefined) {
  const host = await startHost(t);

  /** A page of a context of its own; `assertClean` at the end of the test holds its console against it. */
  const open = async (t: Test, url: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext(options);
    t.teardown(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const complaints: string[] = [];
    page.on('console', (message) => {
      // Chromium itself reports a page that is answered with 4xx: that is the answer under test.
      const isExpected = /status of (?:400|410|503)/.test(message.text());
      if (['error', 'warning'].includes(message.type()) && !isExpected) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    const assertClean = () => t.same(complaints, [], 'the console shows no error and no policy violation');
    return { page, assertClean };
  };

  t.test('with JavaScript, callbackOnSubmit true: from a mistake to the callback', async (t) => {
    const url = await host.mint(
      {
        initialStepKey: 'contact',
        policy: {
          provider: 'Northwind Mutual',
          number: 'NW-2026-1',
          validFrom: '2026-01-01',
          validTo: '2026-12-31',
          holder: { firstName: 'Ada' },
          linkedContacts: [
            { firstName: 'Charles', lastName: 'Babbage', email: 'charles@example.com', phone: '123' },
          ],
          vehicle: { licensePlate: 'AB12 CDE' },
        },
      },
      { callbackOnSubmit: true },
    );
    const { page, assertClean } = await open(t, url);
    t.equal(await page.getByRole('banner').innerText(), 'Acme <Insurance>', 'the client’s name, escaped');
    await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
    t.equal(await page.getByLabel('Policy number').isVisible(), false, 'it starts at the given step');
    t.equal(
      await page.getByRole('link', { name: 'help@acme.example' }).getAttribute('href'),
      'mailto:help@acme.example',
    );
    t.match(await page.getByRole('link', { name: '+49 30 5678' }).getAttribute('href'), /^tel:\+4930/);
    t.equal(
      await page.getByRole('link', { name: 'acme.example/help' }).getAttribute('href'),
      'https://acme.example/help',
    );

    const field = (pointer: string) => page.locator(`[name="${pointer}"]`);
    t.equal(await field('/policy/holder/firstName').inputValue(), 'Ada');
    t.equal(await field('/policy/linkedContacts/0/email').inputValue(), 'charles@example.com');
    await field('/policy/holder/lastName').fill('Lovelace');
    await field('/policy/holder/phone').fill('+44 7700 900123');
    await field('/policy/holder/email').fill('ada at example.com');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
    t.equal(await field('/policy/holder/email').getAttribute('aria-invalid'), 'true');
    const described = await field('/policy/holder/email').getAttribute('aria-describedby');
    t.match(
      await page.locator(`[id="${described?.split(' ').at(-1)}"]`).innerText(),
      /enter an address such as/,
    );
    await field('/policy/holder/email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Add a person' }).click();
    for (const [member, value] of Object.entries({
      firstName: 'Grace',
      lastName: 'Hopper',
      email: 'grace@example.com',
    })) {
      await field(`/policy/linkedContacts/1/${member}`).fill(value);
    }
    await page.getByRole('button', { name: 'Next' }).click();

    await page.getByRole('heading', { name: 'Check and send' }).waitFor();
    t.equal(
      await page.getByRole('link', { name: /privacy/i }).getAttribute('href'),
      'https://acme.example/privacy',
    );
    t.match(await page.locator('#review').innerText(), /NW-2026-1[\s\S]*Grace Hopper/);
    await page.getByRole('button', { name: 'Change: What happened' }).click();
    await field('/incident/date').fill('2026-05-01');
    await field('/incident/description').fill('A stone\nhit the windscreen.');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Send claim' }).click();
    await page.waitForURL(`${host.callbackOrigin}/done?**`);

    const [session] = await host.list();
    t.match(page.url(), `?reference=${session?.['reference']}&status=submitted`);
    t.match(session, {
      status: 'submitted',
      selectedPolicy: {
        number: 'NW-2026-1',
        provider: 'Northwind Mutual',
        holder: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          id: 'user-1',
          phone: '+44 7700 900123',
          email: 'ada@example.com',
        },
        validFrom: '2026-01-01',
        validTo: '2026-12-31',
        linkedContacts: [
          { firstName: 'Charles', lastName: 'Babbage', email: 'charles@example.com' },
          { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com' },
        ],
        vehicle: { licensePlate: 'AB12 CDE' },
      },
    });

    const again = await page.goto(url);
    t.equal(again?.status(), 410);
    await page.getByRole('heading', { name: 'This claim has been sent already' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'help@acme.example' }).count(), 1, 'it says whom to ask');
    assertClean();
  });

  t.test(
    'with JavaScript, callbackOnSubmit false: the success page first, which goes on by itself',
    async (t) => {
      const { page, assertClean } = await open(t, await host.mint());
      await page.clock.install();
      await page.reload();
      await sendPrefilled(page);
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      const [session] = await host.list();
      t.equal(await page.locator('[data-reference]').innerText(), session?.['reference']);
      await page.clock.runFor(21_000);
      await page.waitForURL(
        `${host.callbackOrigin}/done?reference=${session?.['reference']}&status=submitted`,
      );
      assertClean();
    },
  );

  t.test('the success page stays when asked to, and goes on by its button', async (t) => {
    const { page, assertClean } = await open(t, await host.mint());
    await page.clock.install();
    await page.reload();
    await sendPrefilled(page);
    await page.getByRole('button', { name: 'Stay on this page' }).click();
    await page.clock.runFor(60_000);
    t.equal(await page.getByRole('heading', { name: 'Your claim has been sent' }).isVisible(), true);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(`${host.callbackOrigin}/done?**`);
    assertClean();
  });

  t.test('a claim that cannot be sent is not lost: the page says so, and a second try works', async (t) => {
    const { page, assertClean } = await open(t, await host.mint());
    let failures = 0;
    await page.route('**/verify/**', (route) =>
      route.request().method() === 'POST' && failures++ === 0
        ? route.fulfill({ status: 503, body: 'down' })
        : route.fallback(),
    );
    await sendPrefilled(page);
    await page.getByText('Your claim was not sent').first().waitFor();
    await page.getByRole('button', { name: 'Send claim' }).click();
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    assertClean();
  });

  t.test(
    'without JavaScript, callbackOnSubmit true: one form, problems explained, then the callback',
    async (t) => {
      const before = (await host.list()).length;
      const url = await host.mint({}, { callbackOnSubmit: true });
      const { page, assertClean } = await open(t, url, { javaScriptEnabled: false });
      t.equal(await page.getByLabel('Policy number').inputValue(), 'NW-2026-1');
      await page.getByLabel('License plate').fill('');
      await page.locator('[name="/policy/validTo"]').fill('2025-01-01');
      await page.getByRole('button', { name: 'Send claim' }).click();
      await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
      t.match(await page.title(), /^Error: /);
      t.equal(await page.getByLabel('License plate').getAttribute('aria-invalid'), 'true');
      t.equal((await host.list()).length, before, 'nothing is created');
      await page.getByLabel('License plate').fill('XY 1');
      await page.getByRole('button', { name: 'Send claim' }).click();
      await page.getByText('choose a day that is not before').first().waitFor();
      await page.locator('[name="/policy/validTo"]').fill('2026-06-30');
      await page.getByRole('button', { name: 'Send claim' }).click();
      await page.waitForURL(`${host.callbackOrigin}/done?**`);
      const sessions = await host.list();
      t.equal(sessions.length, before + 1);
      t.match(sessions[0], { selectedPolicy: { validTo: '2026-06-30', vehicle: { licensePlate: 'XY 1' } } });
      t.equal((await page.goto(url))?.status(), 410);
      assertClean();
    },
  );

  t.test(
    'without JavaScript, callbackOnSubmit false: the success page, its button, and a reload that doubles nothing',
    async (t) => {
      const { page, assertClean } = await open(t, await host.mint(), { javaScriptEnabled: false });
      await page.getByRole('button', { name: 'Send claim' }).click();
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      const reference = await page.locator('[data-reference]').innerText();
      const count = (await host.list()).length;
      await page.reload();
      t.equal(
        await page.locator('[data-reference]').innerText(),
        reference,
        'the repeat gets the first outcome',
      );
      t.equal((await host.list()).length, count);
      await page.getByRole('link', { name: 'Continue' }).click();
      await page.waitForURL(`${host.callbackOrigin}/done?reference=${reference}&status=submitted`);
      assertClean();
    },
  );

  t.test('a link opened in two tabs creates one session, and both are told its reference', async (t) => {
    const url = await host.mint();
    const { page: first } = await open(t, url);
    const { page: second } = await open(t, url);
    await sendPrefilled(first);
    await first.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    const count = (await host.list()).length;
    await sendPrefilled(second);
    await second.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    t.equal(
      await second.locator('[data-reference]').innerText(),
      await first.locator('[data-reference]').innerText(),
    );
    t.equal((await host.list()).length, count);
  });
}

async function sendPrefilled(page: Page): Promise<void> {
  for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Send claim' }).click();
}
