// A client with `keepDraft: 'device'` in real browsers: the text outlives its tab, and leaves the device again.
import type { Browser, Frame, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { hashAccessCode } from '../../lib/index.js';
import { serve } from '../listen.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { EVERY_PART, startHost } from './host.js';
import { STILL } from './page-walk.js';

const DAY_MS = 86_400_000;
const browser = await launchChromium(t);
const settings = { keepDraft: 'device', allowDecline: true } as const;
const host = await startHost(t, EVERY_PART.options, { settings });
const inTab = await startHost(t, EVERY_PART.options, { settings: { allowDecline: true } });
const asking = await startHost(t, EVERY_PART.options, {
  settings: { ...settings, recipientCheck: ['/policy/number'] },
});
const INCIDENT = { initialStepKey: 'incident' };

if (browser !== undefined) {
  const field = (page: Page, name = '/incident/description') => page.locator(`[name="${name}"]`);
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const onDevice = (page: Page) => page.evaluate<Record<string, string>>('({ ...localStorage })');
  const note = (page: Page) => page.getByText('Another tab has newer text.');
  const ready = (page: Page) => page.locator('html[data-ready]').waitFor();
  const focusText = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
  const fillStorage = (page: Page) =>
    page.evaluate(
      "for (let size = 1 << 22; size > 0; size >>= 1) try { for (let n = 0; ; n++) localStorage['fill-' + size + n] = 'x'.repeat(size); } catch {}",
    );
  const SENT = 'Your claim has been sent';

  /** A browser whose tabs share their storage. */
  async function startBrowser(t: Test, engine: Browser | undefined = browser) {
    const context = await engine?.newContext(STILL);
    if (!context) throw new Error('no browser');
    t.teardown(() => context.close());
    const complaints: string[] = [];
    const open = async (url: string): Promise<Page> => {
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(url);
      return page;
    };
    return { context, open, complaints };
  }

  /** Tells the page that it is shown again. */
  const showAgain = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  async function send(page: Page): Promise<void> {
    for (const _step of ['contact', 'review']) await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Send claim' }).click();
  }

  t.test('the text outlives the tab: only what differs from the prefill, and no secret', async (t) => {
    const { open, complaints } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const first = await open(url);
    await ready(first);
    t.same(await onDevice(first), {}, 'nothing before anything is typed');
    await field(first).fill('A bump.');
    await first.close();
    const second = await open(url);
    await ready(second);
    t.equal(await field(second).inputValue(), 'A bump.');
    const [[key = '', text = ''] = []] = Object.entries(await onDevice(second));
    t.match(key, /^claimlink-draft:acme:[\w-]+$/);
    t.match(text, /^\d+ %2Fincident%2Fdescription=A\+bump\.$/);
    const end = Number.parseInt(text, 10);
    t.ok(Math.abs(end - Date.now() - 8 * DAY_MS) < 600_000, 'seven days after the end of the link');
    t.equal(await second.locator('#device > summary').innerText(), 'Your text stays on this device.');
    await second.locator('#device > summary').click();
    t.same(await axeViolations(second), []);
    t.same(complaints, []);
  });

  t.test('people that are added and removed come back', async (t) => {
    const { open } = await startBrowser(t);
    const linkedContacts = ['Ann', 'Bob'].map((firstName) => ({
      firstName,
      lastName: 'Ross',
      email: `${firstName}@example.com`,
    }));
    const url = await host.mint({ initialStepKey: 'contact', policy: { linkedContacts } });
    const first = await open(url);
    await first.getByRole('button', { name: 'Remove person 1' }).click();
    await first.getByRole('button', { name: 'Add a person' }).click();
    await field(first, '/policy/linkedContacts/1/firstName').fill('Cleo');
    await first.close();
    const second = await open(url);
    await ready(second);
    const names = second.locator('[data-row] [name$="/firstName"]');
    t.same(await names.evaluateAll((inputs) => inputs.map((input) => (input as { value?: string }).value)), [
      'Bob',
      'Cleo',
    ]);
  });

  t.test('an added person with a name only, and the choice of no answer, reach other tabs', async (t) => {
    const { open } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const [first, second] = [await open(url), await open(url)];
    const injured = (page: Page, value: string) =>
      page.locator(`[name="/incident/injured"][value="${value}"]`);
    await injured(first, 'true').check();
    await showAgain(second);
    t.equal(await injured(second, 'true').isChecked(), true);
    await injured(first, '').check();
    await showAgain(second);
    t.equal(await injured(second, 'true').isChecked(), false);
    const name = '/policy/linkedContacts/0/firstName';
    await first.getByRole('button', { name: 'Next' }).click();
    await first.getByRole('button', { name: 'Add a person' }).click();
    await field(first, name).fill('Ann');
    await first.close();
    const third = await open(url);
    await ready(third);
    t.equal(await field(third, name).inputValue(), 'Ann');
  });

  t.test('a stored claim removes it, and a hidden form of another tab shows the receipt', async (t) => {
    const { open } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const other = await open(url);
    const page = await open(url);
    await field(page).fill('A bump.');
    await send(page);
    await heading(page, SENT);
    t.same(await onDevice(page), {});
    await heading(other, SENT);
  });

  t.test('Remove from this device: the form begins anew, in other tabs as well', async (t) => {
    const { open } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const other = await open(url);
    const page = await open(url);
    await field(page).fill('A bump.');
    await showAgain(other);
    t.equal(await field(other).inputValue(), 'A bump.');
    await page.locator('#device > summary').click();
    await Promise.all([
      other.waitForEvent('load'),
      page.waitForEvent('load'),
      page.getByRole('button', { name: 'Remove from this device' }).click(),
    ]);
    for (const tab of [page, other]) {
      await ready(tab);
      t.equal(await field(tab).inputValue(), '');
      t.equal(await tab.evaluate('sessionStorage.length'), 0);
    }
    t.same(await onDevice(page), {});
  });

  t.test('declining removes it', async (t) => {
    const { open } = await startBrowser(t);
    const page = await open(await host.mint(INCIDENT));
    await field(page).fill('A bump.');
    await page.locator('.decline > summary').click();
    await page.getByRole('radio', { name: 'Another reason' }).check();
    await page.getByRole('button', { name: 'Close the link' }).click();
    await heading(page, 'Thank you for telling us');
    t.same(await onDevice(page), {});
  });

  t.test('an ended page shows the text, says that it stays, and removes it', async (t) => {
    const { open } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const first = await open(url);
    await field(first).fill('A bump.');
    await first.close();
    await host.revoke(url);
    const page = await open(url);
    t.match(await page.locator('[data-entered-text]').innerText(), 'Description: A bump.');
    await page.getByText('Your text stays on this device.').waitFor();
    t.same(await axeViolations(page), []);
    await page.getByRole('button', { name: 'Remove from this device' }).click();
    await page.getByText('The text was deleted.').waitFor();
    t.same(await onDevice(page), {});
    await page.reload();
    t.equal(await page.locator('[data-entered-text]').count(), 0);
  });

  t.test('if another device sent the claim, the page shows the text to copy', async (t) => {
    const { open } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const first = await open(url);
    await field(first).fill('From here.');
    await first.close();
    const elsewhere = await (await startBrowser(t)).open(url);
    await send(elsewhere);
    await heading(elsewhere, SENT);
    const page = await open(url);
    await heading(page, 'This claim has been sent already');
    t.match(await page.locator('[data-entered-text]').innerText(), 'Description: From here.');
  });

  t.test(
    'a changed claim that is sent as a form, without the script: its page removes the text',
    async (t) => {
      for (const current of [host, asking, inTab]) {
        const { open, complaints } = await startBrowser(t);
        const answer = async (page: Page) => {
          if (current !== asking) return;
          await page.getByLabel('Policy number').fill('NW-2026-1');
          await page.getByRole('button', { name: 'Continue' }).click();
          await ready(page);
        };
        const url = await current.mint(INCIDENT);
        const page = await open(url);
        await answer(page);
        await field(page).fill('From here.');
        const elsewhere = await (await startBrowser(t)).open(url);
        await answer(elsewhere);
        await send(elsewhere);
        await heading(elsewhere, SENT);
        await page.evaluate("document.getElementById('claim').submit()");
        await heading(page, 'Your changes were not saved');
        t.match(await page.locator('[data-entered-text]').innerText(), 'Description: From here.');
        t.equal(await page.locator('[data-entered]').count(), 1, 'it shows the text once');
        t.equal(await page.evaluate('sessionStorage.length'), 1);
        await page.locator('[data-delete]').click();
        await page.getByText('The text was deleted.').waitFor();
        t.same(await onDevice(page), {});
        t.equal(await page.evaluate('sessionStorage.length'), 0);
        t.same(complaints, []);
      }
    },
  );

  t.test('past its end, any page of this origin removes it', async (t) => {
    const { open } = await startBrowser(t);
    const gone = await asking.mint();
    const pages = [await host.mint(), await inTab.mint(), gone, gone.replace(/verify\/[^?]+/, 'verify/none')];
    for (const url of pages) {
      const page = await open(url);
      // Each host has its own origin.
      await page.evaluate(`localStorage.setItem('claimlink-draft:acme:ended', '${Date.now() - 1} place=x')`);
      await page.evaluate(
        `localStorage.setItem('claimlink-draft:acme:current', '${Date.now() + DAY_MS} place=x')`,
      );
      await page.reload();
      t.same(Object.keys(await onDevice(page)), ['claimlink-draft:acme:current'], url);
    }
  });

  t.test('seven days after the end of the link, its page no longer has it', async (t) => {
    const { context, open } = await startBrowser(t);
    const ending = await startHost(t, EVERY_PART.options, { settings });
    const url = await ending.mint(INCIDENT);
    const first = await open(url);
    await field(first).fill('A bump.');
    await first.close();
    const start = Date.now();
    const openAfter = async (days: number) => {
      await context.clock.setFixedTime(start + days * DAY_MS);
      return open(url);
    };
    ending.advance(7.9 * DAY_MS);
    const before = await openAfter(7.9);
    t.match(await before.locator('[data-entered-text]').innerText(), 'Description: A bump.');
    const after = await openAfter(8.1);
    t.equal(await after.locator('[data-entered-text]').count(), 0);
    t.same(await onDevice(after), {});
  });

  t.test('with a question to the recipient, no page shows it before the answer', async (t) => {
    const { context, open } = await startBrowser(t);
    const url = await asking.mint(INCIDENT);
    const answer = async (page: Page) => {
      await page.getByLabel('Policy number').fill('NW-2026-1');
      await page.getByRole('button', { name: 'Continue' }).click();
      await ready(page);
    };
    const first = await open(url);
    await answer(first);
    await field(first).fill('A bump.');
    await first.close();
    await context.clearCookies();
    const second = await open(url);
    t.notMatch(await second.content(), 'A bump.');
    await answer(second);
    t.equal(await field(second).inputValue(), 'A bump.', 'after the answer');
    await asking.revoke(url);
    const ended = await open(url);
    await ended.getByText('Your text stays on this device.').waitFor();
    t.notMatch(await ended.content(), 'A bump.', 'an ended page shows the text of its tab only');
    await ended.getByRole('button', { name: 'Remove from this device' }).click();
    t.same(await onDevice(ended), {});
  });

  t.test(
    'the form of a link that renews another one offers the text of that one, after the answer',
    async (t) => {
      const { open, complaints } = await startBrowser(t);
      const button = (page: Page) => page.getByRole('button', { name: 'Show the text of the earlier link' });
      const renew = async (url: string, currentUserId = 'user-1') => {
        const renews = hashAccessCode(/verify\/([^?]+)/.exec(url)?.[1] ?? '');
        return open(await asking.mint({ ...INCIDENT, renews, currentUserId }));
      };
      const answer = async (page: Page) => {
        await page.getByLabel('Policy number').fill('NW-2026-1');
        await page.getByRole('button', { name: 'Continue' }).click();
        await ready(page);
      };
      const url = await asking.mint(INCIDENT);
      const first = await open(url);
      await answer(first);
      await field(first).fill('A bump.');
      await first.close();
      const stranger = await renew(url, 'user-2');
      await answer(stranger);
      t.equal(await button(stranger).count(), 0, 'the link of another user');
      const second = await renew(url);
      t.equal(await button(second).count(), 0, 'before the answer');
      await answer(second);
      t.equal(await field(second).inputValue(), '');
      await button(second).click();
      t.equal(await field(second).inputValue(), 'A bump.');
      t.equal(await focusText(second), 'What happened');
      t.equal(await button(second).isVisible(), false);
      t.same(Object.keys(await onDevice(second)).length, 1, 'the text has moved');
      await second.reload();
      await ready(second);
      t.equal(await field(second).inputValue(), 'A bump.');
      t.equal(await button(second).isVisible(), false);
      t.same(complaints, []);
    },
  );

  t.test('a hidden tab takes over newer text when it is shown again', async (t) => {
    const { open, complaints } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const [first, second] = [await open(url), await open(url)];
    await field(first).fill('first');
    t.equal(await field(second).inputValue(), '');
    await showAgain(second);
    t.equal(await field(second).inputValue(), 'first');
    await field(second).fill('first and second');
    await showAgain(first);
    t.equal(await field(first).inputValue(), 'first and second');
    t.equal(await note(first).isVisible(), false);
    t.same(complaints, []);
  });

  t.test('a tab with unsaved typing says so, and saves nothing until the person decides', async (t) => {
    const { open } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const [first, second] = [await open(url), await open(url)];
    await field(first).fill('first');
    const stored = await onDevice(first);
    await field(second).pressSequentially('second');
    await note(second).filter({ visible: true }).first().waitFor();
    t.equal(await second.locator('#status').innerText(), 'Another tab has newer text.');
    t.same(await axeViolations(second), []);
    t.same(await onDevice(first), stored);
    await showAgain(second);
    t.equal(await field(second).inputValue(), 'second', 'nothing replaces it');
    await second.reload();
    await ready(second);
    t.equal(await field(second).inputValue(), 'second', 'a reload loses it not');
    t.same(await onDevice(first), stored);
    await second.getByRole('button', { name: 'Show the newer text' }).click();
    t.equal(await field(second).inputValue(), 'first');
    t.equal(await second.locator('#newer').isVisible(), false);
    t.equal(await focusText(second), 'What happened', 'the focus goes with no button');

    await field(first).fill('first again');
    await field(second).fill('second again');
    await second.getByRole('button', { name: 'Keep this text' }).click();
    t.match(JSON.stringify(await onDevice(first)), 'second+again');
    t.equal(await focusText(second), 'What happened');
    await showAgain(first);
    t.equal(await field(first).inputValue(), 'second again');
  });

  t.test(
    'a storage that is full or blocked: the form works, and does not say that it keeps the text',
    async (t) => {
      let url = await host.mint(INCIDENT);
      for (const script of [
        'window.isFull = true;',
        'Object.defineProperty(window, "localStorage", { get() { throw new DOMException("blocked", "SecurityError"); } });',
      ]) {
        const { context, open, complaints } = await startBrowser(t);
        await context.addInitScript(script);
        const page = await open(url);
        await ready(page);
        if (script.startsWith('window')) await fillStorage(page);
        await field(page).fill('A bump.');
        t.equal(await page.locator('#device').isVisible(), false);
        await page.reload();
        await ready(page);
        t.equal(await field(page).inputValue(), 'A bump.', 'the tab has it');
        await send(page);
        await heading(page, SENT);
        t.same(complaints, []);
        url = await host.mint(INCIDENT);
      }
    },
  );

  t.test(
    'a text that the full storage lacks stays in its tab when another tab sends the claim',
    async (t) => {
      const { open } = await startBrowser(t);
      const url = await host.mint(INCIDENT);
      const [first, second] = [await open(url), await open(url)];
      await field(first).fill('first');
      await showAgain(second);
      await fillStorage(second);
      await field(second).fill(`second ${'x'.repeat(500)}`);
      await second.evaluate(
        'for (const key in localStorage) if (/^fill/.test(key)) delete localStorage[key]',
      );
      await field(first).fill('first again');
      await send(first);
      await heading(first, SENT);
      t.match(await field(second).inputValue(), 'second x');
    },
  );

  t.test(
    'a claim that is sent while another tab has newer text leaves that text on the device',
    async (t) => {
      const { open } = await startBrowser(t);
      const url = await host.mint(INCIDENT);
      const [first, second] = [await open(url), await open(url)];
      await field(first).fill('first');
      await field(second).fill('second');
      await send(second);
      await heading(second, SENT);
      t.match(JSON.stringify(await onDevice(second)), 'first');
      await first.close();
      const third = await open(url);
      t.match(await third.locator('[data-entered-text]').innerText(), 'Description: first');
    },
  );

  t.test('the note of a newer text outlives the person beside whom it stands', async (t) => {
    const { open } = await startBrowser(t);
    const url = await host.mint({ initialStepKey: 'contact' });
    const [first, second] = [await open(url), await open(url)];
    const name = '/policy/linkedContacts/0/firstName';
    await first.getByRole('button', { name: 'Add a person' }).click();
    await field(first, name).fill('Ann');
    await second.getByRole('button', { name: 'Add a person' }).click();
    await field(second, name).fill('Bob');
    t.equal(await note(second).first().isVisible(), true);
    await second.getByRole('button', { name: 'Remove person 1' }).click();
    await second.locator('#newer').waitFor();
    await second.getByRole('button', { name: 'Show the newer text' }).click();
    t.equal(await field(second, name).inputValue(), 'Ann');
  });

  t.test('in a frame of another site, the text stays in that frame', async (t) => {
    let framed = '';
    const portal = await serve(t, (_req, res) => {
      res.setHeader('content-type', 'text/html');
      res.end(
        `<!doctype html><iframe width="600" height="900" src="${framed.replaceAll('&', '&amp;')}"></iframe>`,
      );
    });
    const outside = portal.replace('127.0.0.1', 'localhost');
    const inFrame = await startHost(t, EVERY_PART.options, { settings, frameAncestors: [outside] });
    framed = await inFrame.mint(INCIDENT);
    // Playwright switches off that a browser keeps the storage of such a frame apart. The last switch counts.
    const partitioned = await launchChromium(t, ['--disable-features=Translate']);
    const { open, complaints } = await startBrowser(t, partitioned);
    const frameOf = async (page: Page) => {
      const frame = page.frames()[1] as Frame;
      await frame.locator('html[data-ready]').waitFor();
      return frame.getByLabel('Description');
    };
    const page = await open(outside);
    await (await frameOf(page)).fill('In the frame.');
    await page.close();
    const again = await open(outside);
    t.equal(await (await frameOf(again)).inputValue(), 'In the frame.', 'another tab of the portal has it');
    const link = await open(framed);
    await ready(link);
    t.equal(await field(link).inputValue(), '', 'the link itself has it not');
    t.same(complaints, []);
  });

  t.test('a text that cannot be read, and cleared site data, harm no form', async (t) => {
    const { open, complaints } = await startBrowser(t);
    const url = await host.mint(INCIDENT);
    const page = await open(url);
    await field(page).fill('A bump.');
    await page.evaluate('for (const key in localStorage) localStorage[key] = "{broken"');
    const second = await open(url);
    await ready(second);
    t.equal(await field(second).inputValue(), '');
    await second.evaluate('localStorage.clear()');
    await showAgain(page);
    t.equal(await field(page).inputValue(), 'A bump.', 'what is shown stays');
    await field(page).fill('A bump, again.');
    t.match(JSON.stringify(await onDevice(page)), 'again');
    t.same(complaints, []);
  });

  t.test('with tab, the device has nothing', async (t) => {
    const { open } = await startBrowser(t);
    const page = await open(await inTab.mint(INCIDENT));
    await field(page).fill('A bump.');
    t.same(await onDevice(page), {});
    t.equal(await page.locator('#device').count(), 0);
  });
}
