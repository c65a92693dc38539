// The whole way in real browsers: mint over HTTP, open, fill in, submit, be on the callback, find the session.
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { en } from '../../lib/widget/locales/en.js';
import { launchEngines, newWatchedPage, openPolicy, replaceText } from './engines.js';
import { COMPLETE_POLICY, startHost } from './host.js';

const engines = await launchEngines(t);
const host = await startHost(t);
for (const engine of engines) {
  /** The console of each page of the current test. */
  let consoles: string[][] = [];
  const test = (name: string, body: (t: Test) => Promise<void>) =>
    t.test(name + engine.suffix, async (t) => {
      consoles = [];
      await body(t);
      t.same(consoles.flat(), [], 'no console shows an error or a policy violation');
    });

  /** Opens a page in a context of its own. */
  const open = async (t: Test, url: string, options: BrowserContextOptions = {}) => {
    // Chromium itself reports a page that is answered with 4xx: that is the answer under test.
    const { page, complaints } = await newWatchedPage(t, engine, options, /status of (?:400|410|503)/);
    await page.goto(url);
    consoles.push(complaints);
    return page;
  };

  test('with JavaScript, callbackOnSubmit true: from a mistake to the callback', async (t) => {
    const url = await host.mint(
      {
        initialStepKey: 'contact',
        policy: {
          ...COMPLETE_POLICY,
          holder: { firstName: 'Ada' },
          linkedContacts: [
            { firstName: 'Charles', lastName: 'Babbage', email: 'charles@example.com', phone: '123' },
          ],
        },
      },
      { callbackOnSubmit: true },
    );
    const page = await open(t, url);
    t.equal(await page.locator('.brand').innerText(), 'Acme <Insurance>', 'the client’s name, escaped');
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
    await replaceText(field('/policy/holder/email'), 'ada@example.com');
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
    await field('/incident/date').fill('2024-05-01');
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
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'help@acme.example' }).count(), 1, 'it says whom to ask');
  });

  test('with JavaScript, callbackOnSubmit false: the success page first, which goes on by itself', async (t) => {
    const page = await open(t, await host.mint());
    await page.clock.install();
    await page.reload();
    await sendPrefilled(page);
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    const [session] = await host.list();
    t.equal(await page.locator('[data-reference]').innerText(), session?.['reference']);
    await page.clock.runFor(61_000);
    await page.waitForURL(`${host.callbackOrigin}/done?reference=${session?.['reference']}&status=submitted`);
  });

  test('the success page stays when asked to, and goes on by its button', async (t) => {
    const page = await open(t, await host.mint());
    await page.clock.install();
    await page.reload();
    await sendPrefilled(page);
    // As assistive technology does: a pointer or a key ends the countdown before a click.
    await page.getByRole('button', { name: 'Stay on this page' }).dispatchEvent('click');
    await page.clock.runFor(120_000);
    t.equal(await page.getByRole('heading', { name: 'Your claim has been sent' }).isVisible(), true);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(`${host.callbackOrigin}/done?**`);
  });

  test('after a failure of the service the page does not know whether the claim arrived, and a second try works', async (t) => {
    const page = await open(t, await host.mint());
    let failures = 0;
    await page.route('**/verify/**', (route) =>
      route.request().method() === 'POST' && failures++ === 0
        ? route.fulfill({ status: 503, body: 'down' })
        : route.fallback(),
    );
    await sendPrefilled(page);
    await page.getByText('We do not know whether your claim arrived').first().waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
  });

  test('without JavaScript, callbackOnSubmit true: one form, problems explained, then the callback', async (t) => {
    const before = (await host.list()).length;
    const url = await host.mint({}, { callbackOnSubmit: true });
    const page = await open(t, url, { javaScriptEnabled: false });
    const plate = page.locator('[name="/policy/vehicle/licensePlate"]');
    const validTo = page.locator('[name="/policy/validTo"]');
    t.equal(await page.getByLabel('Policy number').inputValue(), 'NW-2026-1');
    await openPolicy(page);
    await replaceText(plate, '');
    await validTo.pressSequentially('01012025');
    await page.getByRole('button', { name: 'Send claim' }).press('Enter');
    await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
    t.match(await page.title(), /^Error: /);
    t.equal(await plate.getAttribute('aria-invalid'), 'true');
    t.equal((await host.list()).length, before, 'nothing is created');
    await replaceText(plate, 'XY 1');
    await page.getByRole('button', { name: 'Send claim' }).press('Enter');
    await page.getByText('choose a day that is not before').first().waitFor();
    await validTo.pressSequentially('06302026');
    await page.getByRole('button', { name: 'Send claim' }).press('Enter');
    await page.waitForURL(`${host.callbackOrigin}/done?**`);
    const sessions = await host.list();
    t.equal(sessions.length, before + 1);
    t.match(sessions[0], { selectedPolicy: { validTo: '2026-06-30', vehicle: { licensePlate: 'XY 1' } } });
    t.equal((await page.goto(url))?.status(), 410);
  });

  test('without JavaScript, callbackOnSubmit false: the success page, its button, and a reload that doubles nothing', async (t) => {
    const page = await open(t, await host.mint(), { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Send claim' }).press('Enter');
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
    await page.getByRole('link', { name: 'Continue' }).press('Enter');
    await page.waitForURL(`${host.callbackOrigin}/done?reference=${reference}&status=submitted`);
  });

  test('what was typed survives a reload, in the step where it was typed, and only for its link', async (t) => {
    const url = await host.mint({ policy: { ...COMPLETE_POLICY, linkedContacts: [{ firstName: 'Old' }] } });
    const page = await open(t, url);
    const field = (pointer: string) => page.locator(`[name="${pointer}"]`);
    const next = page.locator('section[data-current] [data-next]');
    await openPolicy(page);
    await field('/policy/number').fill('typed-1');
    await next.click();
    await field('/incident/date').fill('2024-05-01');
    await field('/incident/description').fill('A stone\n& a "crack"');
    await next.click();
    await page.getByRole('button', { name: 'Remove person 1' }).click();
    for (const row of [0, 1]) {
      await page.getByRole('button', { name: 'Add a person' }).click();
      await field(`/policy/linkedContacts/${row}/firstName`).fill(`New ${row}`);
    }
    await page.reload();
    await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
    const values = await page.evaluate<Record<string, string>>(
      'Object.fromEntries([...document.querySelectorAll("form [name]")].map(({ name, value }) => [name, value]))',
    );
    t.match(values, {
      '/policy/provider': COMPLETE_POLICY.provider,
      '/policy/number': 'typed-1',
      '/incident/date': '2024-05-01',
      '/incident/description': 'A stone\n& a "crack"',
      '/policy/linkedContacts/0/firstName': 'New 0',
      '/policy/linkedContacts/1/firstName': 'New 1',
    });
    t.equal(await field('/policy/linkedContacts/2/firstName').count(), 0);

    const stored = await page.evaluate<string>('JSON.stringify(sessionStorage)');
    const { pathname, searchParams } = new URL(url);
    const accessCode = pathname.slice(pathname.lastIndexOf('/') + 1);
    t.match(stored, 'typed-1');
    t.notOk(stored.includes(accessCode) || stored.includes(searchParams.get('token') ?? ''), 'no secret');

    await page.goto(await host.mint());
    t.equal(await field('/policy/number').inputValue(), COMPLETE_POLICY.number, 'another link has its own');
    await page.goto(url);
    t.equal(await field('/policy/number').inputValue(), 'typed-1');
  });

  test('a text that was typed for a field is not sent once the form does not show the field', async (t) => {
    const page = await open(t, await host.mint());
    await openPolicy(page);
    await page.locator('[name="/policy/number"]').fill('typed-3');
    // As a form had it that asked for the provider.
    await page.evaluate(`(() => {
      const [key] = Object.keys(sessionStorage);
      const fields = new URLSearchParams(sessionStorage[key]);
      fields.set('/policy/provider', 'Typed Insurance');
      sessionStorage[key] = fields;
    })()`);
    await page.reload();
    t.equal(await page.locator('[name="/policy/number"]').inputValue(), 'typed-3');
    const provider = page.locator('[name="/policy/provider"]');
    t.equal(await provider.getAttribute('type'), 'hidden');
    t.equal(await provider.inputValue(), COMPLETE_POLICY.provider);
  });

  test('a claim that was sent leaves nothing in the storage of the tab', async (t) => {
    const page = await open(t, await host.mint());
    await openPolicy(page);
    await page.locator('[name="/policy/number"]').fill('typed-2');
    t.equal(await page.evaluate('sessionStorage.length'), 1);
    await sendPrefilled(page);
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    t.equal(await page.evaluate('sessionStorage.length'), 0);
  });

  test('in a language that is written from right to left, numbers, addresses and codes keep their order', async (t) => {
    const reference = '7-CL-1';
    const rightToLeft = await startHost(t, { newReference: () => reference });
    const linkedContacts = [
      { firstName: 'ليلى', lastName: 'حداد', email: 'layla@example.com', phone: '+20 2 1234' },
      { firstName: 'Charles', lastName: 'Babbage', email: 'charles@example.com' },
    ];
    const vehicle = { licensePlate: '12 AB 34' };
    const holder = { ...COMPLETE_POLICY.holder, firstName: 'ليلى' };
    const policy = { ...COMPLETE_POLICY, number: '7 NW 1', vehicle, holder, linkedContacts };
    const url = await rightToLeft.mint({ policy, initialStepKey: 'review' });
    const page = await open(t, `${url}&lang=ar`);
    t.equal(await page.evaluate('document.dir'), 'rtl');
    for (const text of [
      '+49 30 5678',
      'help@acme.example',
      'acme.example/help',
      '7 NW 1',
      '12 AB 34',
      '+44 7700 900123',
      '+20 2 1234',
      'Charles Babbage',
    ]) {
      t.equal(await page.evaluate(visualOrder(text)), text, text);
    }
    const answers = await page.locator('#review').innerText();
    t.match(answers, 'ليلى حداد, layla@example.com, +20 2 1234');
    await page.locator('#send').click();
    await page.locator('[data-reference]').waitFor();
    t.equal(await page.evaluate(visualOrder(reference)), reference);
  });

  test('a user changes the language, and keeps what was typed', async (t) => {
    const page = await open(t, await host.mint({ policy: {} }));
    await page.locator('[name="/policy/number"]').fill('NW-7');
    await page.locator('.lang > summary').click();
    await page.getByRole('button', { name: 'العربية' }).click();
    await page.waitForURL(/lang=ar/);
    t.same(await page.evaluate('[document.documentElement.lang, document.dir]'), ['ar', 'rtl']);
    t.equal(await page.locator('[name="/policy/number"]').inputValue(), 'NW-7');
    t.match(await page.locator('.lang > summary').innerText(), 'العربية');
    await page.locator('.lang > summary').click();
    await page.getByRole('button', { name: 'Français' }).click();
    await page.waitForURL(/lang=fr/);
    t.equal(await page.locator('h1').innerText(), 'Déclarer un sinistre');
    t.match(page.url(), /\?token=[^&]+&lang=fr$/);
  });

  test('without JavaScript, a user changes the language', async (t) => {
    const url = await host.mint();
    const page = await open(t, url, { javaScriptEnabled: false });
    // By the keyboard: without script, Firefox has no animation frames, for which Playwright waits before a click.
    await page.locator('.lang > summary').press('Enter');
    await page.getByRole('button', { name: 'Deutsch' }).press('Enter');
    await page.waitForURL(/lang=de/);
    t.equal(await page.locator('h1').innerText(), 'Schaden melden');
  });

  // The tests of accessibility have this journey in Chromium.
  if (engine.name === 'Firefox')
    test('a keyboard alone is enough', async (t) => {
      const page = await open(t, await host.mint({ policy: {} }));
      const typed: Record<string, string> = {
        '/policy/number': 'N',
        '/policy/validFrom': '01012026',
        '/policy/validTo': '12122026',
        '/policy/vehicle/licensePlate': 'L',
        '/policy/holder/firstName': 'F',
        '/policy/holder/lastName': 'S',
        '/policy/holder/phone': '112',
        '/policy/holder/email': 'f@example.com',
      };
      const missing = new Set(Object.keys(typed));
      for (let presses = 0; presses < 200 && missing.size > 0; presses++) {
        await page.keyboard.press('Tab');
        const name = await page.evaluate<string | null>('document.activeElement?.getAttribute("name")');
        const value = name === null ? undefined : typed[name];
        if (name !== null && value !== undefined && missing.delete(name)) await page.keyboard.type(value);
        const isNext = await page.evaluate<boolean>('document.activeElement?.hasAttribute("data-next")');
        if (isNext) await page.keyboard.press('Enter');
      }
      t.same([...missing], [], 'every field was reached');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Check and send' }).waitFor();
      await page.getByRole('button', { name: 'Send claim' }).press('Enter');
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      t.match((await host.list())[0], { selectedPolicy: { validFrom: '2026-01-01', validTo: '2026-12-12' } });
    });

  test('a date outside of the cover and an address without a dot are noted, and block nothing', async (t) => {
    const linkedContacts = [
      { firstName: 'Charles', lastName: 'Babbage', email: 'charles@example.com' },
      { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com' },
    ];
    const policy = { ...COMPLETE_POLICY, validFrom: '2020-01-01', validTo: '2020-12-31', linkedContacts };
    const page = await open(t, await host.mint({ policy, initialStepKey: 'incident' }));
    const field = (pointer: string) => page.locator(`[name="${pointer}"]`);
    const next = page.locator('section[data-current] [data-next]');
    /** Returns the texts that describe a field. */
    const notes = async (pointer: string) => {
      t.equal(await field(pointer).getAttribute('aria-invalid'), null, 'it is no problem');
      const ids = (await field(pointer).getAttribute('aria-describedby'))?.split(' ') ?? [];
      return Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()));
    };
    const { askLater, warnings } = en.script;
    const { outsideCover, emailDomain } = warnings;

    for (const [date, expected] of [
      ['2019-12-31', [outsideCover]],
      ['2020-01-01', []],
      ['2020-12-31', []],
      ['2021-01-01', [outsideCover]],
    ] as const) {
      await field('/incident/date').fill(date);
      await page.locator('h1').click();
      t.same(await notes('/incident/date'), expected, date);
    }
    t.match(await page.locator('#status').textContent(), outsideCover);
    await next.click();

    await replaceText(field('/policy/linkedContacts/1/email'), 'grace@example');
    await field('/policy/linkedContacts/1/email').press('Tab');
    t.same(await notes('/policy/linkedContacts/1/email'), [emailDomain]);
    await page.getByRole('button', { name: 'Remove person 1' }).click();
    t.same(await notes('/policy/linkedContacts/0/email'), [emailDomain], 'the note goes with its row');
    await replaceText(field('/policy/linkedContacts/0/email'), 'grace@example.com');
    await field('/policy/linkedContacts/0/email').press('Tab');
    t.same(await notes('/policy/linkedContacts/0/email'), []);
    await replaceText(field('/policy/holder/email'), 'ada@example');
    await next.click();

    await page.getByRole('heading', { name: 'Check and send' }).waitFor();
    t.same(await page.locator('#review .warning').allInnerTexts(), [outsideCover, askLater, emailDomain]);
    await page.getByRole('button', { name: 'Back' }).click();
    t.same(await notes('/policy/holder/email'), [emailDomain]);
    await next.click();
    await page.getByRole('button', { name: 'Send claim' }).click();
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    t.match((await host.list())[0], { selectedPolicy: { holder: { email: 'ada@example' } } });
  });

  // Firefox lacks print media over WebDriver BiDi; the other tests here show nothing that depends on the engine.
  if (engine.name === 'Firefox') continue;

  test('the review says what a claim lacks, with a button to the field, and the receipt says that we will ask', async (t) => {
    const page = await open(t, await host.mint({ policy: COMPLETE_POLICY, initialStepKey: 'review' }));
    const { askLater } = en.script;
    t.same(await page.locator('#review .warning').allInnerTexts(), [askLater, askLater]);
    await page.getByRole('button', { name: 'Change: Date of the incident' }).press('Enter');
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    t.equal(await page.evaluate('document.activeElement.name'), '/incident/date');
    await page.locator('[name="/incident/date"]').fill('2026-01-02');
    for (let step = 0; step < 2; step++)
      await page.locator('section[data-current] [data-next]').press('Enter');
    t.same(await page.locator('#review .warning').allInnerTexts(), [askLater]);
    await page.getByRole('button', { name: 'Change: Description' }).waitFor();
    await page.getByRole('button', { name: 'Send claim' }).press('Enter');
    await page.getByText('We will ask you about: What happened.').waitFor();
    await page.getByRole('heading', { name: 'Something to add?' }).waitFor();
    await page.reload();
    await page.getByText('We will ask you about: What happened.').waitFor();
  });

  test('the form works in a browser that blocks its storage', async (t) => {
    const url = await host.mint();
    const page = await open(t, 'about:blank');
    await page.addInitScript(
      'Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("blocked", "SecurityError"); } });',
    );
    await page.goto(url);
    await openPolicy(page);
    await page.locator('[name="/policy/number"]').fill('typed-4');
    await sendPrefilled(page);
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    t.match((await host.list())[0], { selectedPolicy: { number: 'typed-4' } });
  });

  test('an incident after today and a phone number without digits are explained at once', async (t) => {
    const page = await open(t, await host.mint({ initialStepKey: 'incident' }));
    const next = page.locator('section[data-current] [data-next]');
    const date = page.locator('[name="/incident/date"]');
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    t.equal(await next.innerText(), 'Next: Contact');
    await date.fill(day(3));
    await next.click();
    await page.getByRole('link', { name: 'choose a day that is not after today' }).waitFor();
    await date.fill(day(0));
    await next.click();
    await page.locator('[name="/policy/holder/phone"]').fill('by post');
    await next.click();
    await page.getByRole('link', { name: 'enter a number with at least three digits' }).waitFor();
  });

  test('the date of an incident is at most today, by the calendar of the user', async (t) => {
    // In New York it is the same day. On Kiritimati it is the next one, which the service accepts.
    const evening = '2026-03-02T20:00:00Z';
    const fixed = await startHost(t, { now: () => new Date(evening) });
    for (const { timezoneId, today, tomorrow } of [
      { timezoneId: 'America/New_York', today: '2026-03-02', tomorrow: '2026-03-03' },
      { timezoneId: 'Pacific/Kiritimati', today: '2026-03-03', tomorrow: '2026-03-04' },
    ]) {
      const page = await open(t, 'about:blank', { timezoneId });
      await page.clock.setFixedTime(evening);
      await page.goto(await fixed.mint({ initialStepKey: 'incident' }));
      const next = page.locator('section[data-current] [data-next]');
      const date = page.locator('[name="/incident/date"]');
      t.equal(await date.getAttribute('max'), today, timezoneId);
      await date.fill(tomorrow);
      await next.click();
      await page.getByRole('link', { name: 'choose a day that is not after today' }).waitFor();

      await page.clock.setFixedTime('2026-03-03T20:00:00Z');
      await next.click();
      await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      t.equal(await date.getAttribute('max'), tomorrow, 'the page was open over midnight');

      await date.fill(today);
      for (let step = 0; step < 2; step++) await next.click();
      await page.getByRole('button', { name: 'Send claim' }).click();
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    }
  });

  test('a clock of the browser that is days behind blocks no date: the service decides', async (t) => {
    const fixed = await startHost(t, { now: () => new Date('2026-03-02T20:00:00Z') });
    const page = await open(t, 'about:blank');
    await page.clock.setFixedTime('2020-01-01T20:00:00Z');
    await page.goto(await fixed.mint({ initialStepKey: 'incident' }));
    const date = page.locator('[name="/incident/date"]');
    t.equal(await date.getAttribute('max'), '2026-03-03');
    await date.fill('2026-03-02');
    await page.locator('section[data-current] [data-next]').click();
    await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
  });

  test('the problems of a response stand in the order of the form', async (t) => {
    const page = await open(t, await host.mint());
    const pointers = [
      '/policy/holder/phone',
      '/incident/date',
      '/policy/vehicle/licensePlate',
      '/policy/number',
    ];
    const errors = pointers.map((pointer) => ({ pointer, rule: 'required', detail: '' }));
    await page.route('**/verify/**', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 400, json: { type: 'urn:claimlink:problem:request_invalid', errors } })
        : route.fallback(),
    );
    await sendPrefilled(page);
    await page.locator('#problem-list li').first().waitFor();
    t.same(await page.locator('#problem-list li').allInnerTexts(), [
      'Enter your policy number',
      'Enter your licence plate',
      'Enter the date of the incident',
      'Enter the phone number',
    ]);
  });

  for (const javaScriptEnabled of [true, false]) {
    const name = javaScriptEnabled ? 'with' : 'without';
    test(`${name} JavaScript, the printed success page is a receipt`, async (t) => {
      const page = await open(t, await host.mint(), { javaScriptEnabled });
      if (javaScriptEnabled) await sendPrefilled(page);
      else await page.getByRole('button', { name: 'Send claim' }).click();
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      await page.emulateMedia({ media: 'print' });
      const [session] = await host.list();
      for (const text of [
        String(session?.['reference']),
        'Acme <Insurance>',
        'help@acme.example',
        '+49 30 5678',
      ]) {
        t.ok((await page.getByText(text).filter({ visible: true }).count()) > 0, text);
      }
      const time = page.locator('time[data-time]').first();
      t.equal((await time.getAttribute('datetime'))?.slice(0, 16), session?.['date']);
      t.match(await time.innerText(), String(new Date().getFullYear()));
      for (const selector of [
        '.button',
        '.additions',
        '[data-countdown]',
        '[data-onward-status]',
        '.progress',
      ]) {
        t.equal(await page.locator(selector).filter({ visible: true }).count(), 0, selector);
      }
    });
  }
}

async function sendPrefilled(page: Page): Promise<void> {
  for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Send claim' }).click();
}

/** Returns code that reads a shown text of the page from left to right. */
function visualOrder(text: string): string {
  return `(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { currentNode } = walker;
      const start = currentNode.textContent.indexOf(${JSON.stringify(text)});
      if (start === -1 || !currentNode.parentElement.getClientRects().length) continue;
      const characters = [...${JSON.stringify(text)}].map((character, index) => {
        const range = document.createRange();
        range.setStart(currentNode, start + index);
        range.setEnd(currentNode, start + index + 1);
        const { left, right } = range.getBoundingClientRect();
        return { character, middle: left + right };
      });
      return characters.sort((one, other) => one.middle - other.middle).map(({ character }) => character).join('');
    }
  })()`;
}
