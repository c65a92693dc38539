// The receipt on paper, and what its button shares.
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { launchChromium } from './chromium.js';
import { COMPLETE_POLICY, startHost } from './host.js';
import { openPage } from './page-walk.js';

const browser = await launchChromium(t);
const host = await startHost(t);

const DESCRIPTION = [
  'Another car hit mine while it was parked.',
  'The other driver stopped and gave me the number of the car.',
  'The left door and the mirror are damaged.',
  'Nobody was hurt.',
];
const CONTACT = {
  firstName: 'Charles',
  lastName: 'Babbage',
  email: 'charles@example.com',
  phone: '+44 7700 900456',
};
/** What the dialog of browsers sets: the page is smaller than the paper. */
const MARGIN = { top: '10mm', bottom: '10mm', left: '10mm', right: '10mm' };

/** A browser that can share. It keeps what it is asked to share, and fails with the error that a test names. */
const SHARING = `
  window.shared = [];
  navigator.canShare = () => window.mayShare !== false;
  navigator.share = async (data) => {
    if (!navigator.userActivation.isActive) throw new DOMException('', 'NotAllowedError');
    window.shared.push(data);
    if (window.shareError) throw new DOMException('', window.shareError);
  };`;

if (browser !== undefined) {
  const mint = (config = {}) =>
    host.mint({ policy: { ...COMPLETE_POLICY, linkedContacts: [CONTACT] }, ...config });

  /** Sends a short claim: the default fields, a description of a few lines, a linked contact. */
  async function send(page: Page): Promise<void> {
    await page.locator('section[data-step="policy"][data-current] [data-next]').click();
    await page.locator('[name="/incident/date"]').fill('2026-03-01');
    await page.locator('[name="/incident/description"]').fill(DESCRIPTION.join('\n'));
    for (const step of ['incident', 'contact'])
      await page.locator(`section[data-step="${step}"][data-current] [data-next]`).click();
    await page.locator('#send').click();
    await page.locator('.success').waitFor();
  }

  /** Opens a link in a browser that can share, before its page loads. */
  async function openSharing(t: Test, script = '', options: BrowserContextOptions = {}) {
    const page = await openPage(t, browser as NonNullable<typeof browser>, 'about:blank', options);
    await page.addInitScript(SHARING + script);
    const url = await mint();
    await page.goto(url);
    return { page, url };
  }
  const share = (page: Page) => page.getByRole('button', { name: 'Share', exact: true });
  const calls = (page: Page) => page.evaluate<{ text: string }[]>('window.shared');

  const pagesOf = async (page: Page) => {
    const pdf = await page.pdf({ format: 'A4', margin: MARGIN });
    return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length;
  };

  for (const lang of ['en', 'de', 'ar'])
    t.test(`a short claim fits on one page of A4 in ${lang}`, async (t) => {
      const url = `${await mint()}&lang=${lang}`;
      const page = await openPage(t, browser, url);
      await send(page);
      t.equal(await pagesOf(page), 1, 'after sending');
      await page.reload();
      t.ok((await page.locator('[data-answers] dd').count()) > 10);
      t.equal(await pagesOf(page), 1, 'opened again');
      await page.context().clearCookies();
      await page.reload();
      t.equal(await pagesOf(page), 1, 'without the answers');
    });

  t.test('a long claim begins on the first page and loses no line', async (t) => {
    const url = await mint();
    const page = await openPage(t, browser, url);
    await page.locator('section[data-current] [data-next]').click();
    const lines = Array.from({ length: 90 }, (_, index) => `Line ${index}.`);
    await page.locator('[name="/incident/description"]').fill(lines.join('\n'));
    for (let step = 0; step < 2; step++) await page.locator('section[data-current] [data-next]').click();
    await page.locator('#send').click();
    await page.locator('.success').waitFor();
    t.equal(await pagesOf(page), 3);
  });

  t.test('what is shared is text: reference, time, contact and answers', async (t) => {
    for (const again of [false, true]) {
      const { page, url } = await openSharing(t);
      await send(page);
      if (again) await page.reload();
      await share(page).click();
      const [data, ...more] = await calls(page);
      t.strictSame([Object.keys(data ?? {}), more], [['text'], []]);
      const text = data?.text ?? '';
      const reference = await page.locator('[data-reference]').textContent();
      const time = await page.locator('.success time').innerText();
      t.strictSame(text.split('\n').slice(0, 7), [
        `Your reference: ${reference}`,
        `Sent on ${time}`,
        'Phone: +49 30 5678',
        'Email: help@acme.example',
        '',
        'Your policy',
        `Insurance provider: ${COMPLETE_POLICY.provider}`,
      ]);
      t.ok(text.includes(`Description: ${DESCRIPTION.join('\n')}\n`));
      t.ok(text.endsWith('\nPerson 1: Charles Babbage, charles@example.com, +44 7700 900456'));
      const { searchParams, pathname, host } = new URL(url);
      for (const secret of ['://', host, pathname.split('/').at(-1), searchParams.get('token')])
        t.notOk(text.includes(secret ?? '?'), secret ?? '?');
      t.equal(
        await page.evaluate('document.activeElement.hasAttribute("data-share")'),
        true,
        'the focus stays',
      );
      t.equal(await page.locator('[data-result-status]').textContent(), '');
    }
  });

  t.test('without the answers, what is shared ends with the contact', async (t) => {
    const { page, url } = await openSharing(t);
    await send(page);
    await page.context().clearCookies();
    await page.goto(url);
    await share(page).click();
    const [data] = await calls(page);
    t.match(data?.text, /^Your reference: S-\w+\nSent on .+\nPhone: .+\nEmail: help@acme\.example$/);
  });

  t.test(
    'a user who closes the sheet hears nothing; after another error the page says to copy',
    async (t) => {
      const { page } = await openSharing(t);
      await send(page);
      const status = page.locator('[data-result-status]');
      for (const name of ['AbortError', 'NotAllowedError', 'InvalidStateError', 'DataError', 'AbortError']) {
        await page.evaluate(`window.shareError = '${name}'`);
        await share(page).click();
        const text = name === 'AbortError' ? '' : 'Sharing did not work. Please copy the reference.';
        t.equal(await status.textContent(), text, name);
        if (text) t.ok(Number((await status.boundingBox())?.width) > 100, 'anyone can see it');
        t.equal(
          await page.evaluate('document.activeElement.hasAttribute("data-share")'),
          true,
          'the focus stays',
        );
      }
    },
  );

  t.test('a double click shares once', async (t) => {
    const { page } = await openSharing(t);
    await send(page);
    await share(page).dblclick();
    t.equal((await calls(page)).length, 1);
  });

  t.test('where the browser or the frame cannot share, the receipt has no such button', async (t) => {
    const plain = await openPage(t, browser, await mint());
    t.equal(await plain.evaluate('"canShare" in navigator'), false, 'this Chromium cannot share');
    const { page: denied } = await openSharing(t, 'window.mayShare = false;');
    for (const page of [plain, denied]) {
      await send(page);
      t.equal(await share(page).count(), 0);
      t.equal(await page.locator('[data-share]').count(), 1);
    }
    const { page: silent } = await openSharing(t, '', { javaScriptEnabled: false });
    t.equal(await share(silent).count(), 0);
  });
}
