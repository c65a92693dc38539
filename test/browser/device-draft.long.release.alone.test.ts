// A client with `keepDraft: 'device'` in real browsers: the text outlives its tab, and leaves the device again.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
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
  const SENT = 'Your claim has been sent';

  /** A browser whose tabs share their storage. */
  async function startBrowser(t: Test) {
    const context = await browser?.newContext(STILL);
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
    t.equal(await second.locator('#device > summary').innerText(), 'What you type stays on this device.');
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
    await page.getByText('What you type stays on this device.').waitFor();
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

  t.test('past its end, each form of the client and any page without a form removes it', async (t) => {
    const { open } = await startBrowser(t);
    const gone = await asking.mint();
    const pages = [await host.mint(), gone, gone.replace(/verify\/[^?]+/, 'verify/none')];
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
    await ended.getByText('What you type stays on this device.').waitFor();
    t.notMatch(await ended.content(), 'A bump.', 'an ended page shows the text of its tab only');
    await ended.getByRole('button', { name: 'Remove from this device' }).click();
    t.same(await onDevice(ended), {});
  });

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

    await field(first).fill('first again');
    await field(second).fill('second again');
    await second.getByRole('button', { name: 'Keep this text' }).click();
    t.match(JSON.stringify(await onDevice(first)), 'second+again');
    await showAgain(first);
    t.equal(await field(first).inputValue(), 'second again');
  });

  t.test(
    'a storage that is full or blocked: the form works, and does not say that it keeps the text',
    async (t) => {
      const url = await host.mint(INCIDENT);
      for (const script of [
        'window.isFull = true;',
        'Object.defineProperty(window, "localStorage", { get() { throw new DOMException("blocked", "SecurityError"); } });',
      ]) {
        const { context, open, complaints } = await startBrowser(t);
        await context.addInitScript(script);
        const page = await open(url);
        await ready(page);
        if (script.startsWith('window'))
          await page.evaluate(
            "for (let size = 1 << 22; size > 0; size >>= 1) try { for (let n = 0; ; n++) localStorage['fill-' + size + n] = 'x'.repeat(size); } catch {}",
          );
        await field(page).fill('A bump.');
        t.equal(await page.locator('#device').isVisible(), false);
        t.same(complaints, []);
      }
    },
  );

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
