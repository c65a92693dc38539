// The question to the recipient of a link in a real browser, with and without JavaScript, and in a frame of another site.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { createNodeHandler } from '../../lib/adapters/node.js';
import { createClaimlink, createLinkSigner, createMemoryStorage } from '../../lib/index.js';
import { serve } from '../listen.js';
import { REPOSITORY } from '../repository.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { COMPLETE_POLICY, startHost } from './host.js';
import { openPage } from './page-walk.js';

const PLATE = COMPLETE_POLICY.vehicle.licensePlate;
const QUESTION = 'Please confirm that this link is for you';
const settings = { recipientCheck: ['/policy/vehicle/licensePlate'] } as const;
const browser = await launchChromium(t, ['--test-third-party-cookie-phaseout']);

if (browser !== undefined) {
  const host = await startHost(t, {}, { settings });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const answer = async (page: Page, text: string) => {
    await page.getByLabel('Licence plate').fill(text);
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  for (const javaScriptEnabled of [true, false]) {
    const test = (name: string, body: (t: Test) => Promise<void>) =>
      t.test(`${name}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, body);
    const open = async (t: Test, url: string) => openPage(t, browser, url, { javaScriptEnabled });

    test('the page shows nothing of the prefill before the right answer', async (t) => {
      const page = await open(t, await host.mint());
      await heading(page, QUESTION);
      t.notMatch(await page.content(), /Lovelace|AB12|NW-2026|ada@|900123|Northwind/);
      await answer(page, '');
      await page
        .getByRole('group', { name: 'There is a problem' })
        .getByText('Enter your licence plate')
        .waitFor();
      t.match(await page.title(), /^Error: /);
      await answer(page, 'AB12 CDF');
      await page.getByRole('group', { name: 'There is a problem' }).getByText('Tries left: 4').waitFor();
      t.equal(await page.getByLabel('Licence plate').getAttribute('aria-invalid'), 'true');
      t.equal(await page.getByLabel('Licence plate').inputValue(), 'AB12 CDF', 'it can be corrected');
      t.equal(await page.getByLabel('Licence plate').getAttribute('autocomplete'), 'off');
      await answer(page, ' ab12-cde');
      await heading(page, 'Report a claim');
      t.match(await page.content(), /Lovelace/);
    });

    test('reload and Back show the form, and send no answer again', async (t) => {
      const url = await host.mint();
      const page = await open(t, url);
      const posts: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
      await answer(page, PLATE);
      await heading(page, 'Report a claim');
      await page.reload();
      await heading(page, 'Report a claim');
      await page.goto('about:blank');
      await page.goBack();
      await heading(page, 'Report a claim');
      t.same(posts, [url]);
    });

    test('five wrong answers lock the link for others, and say what to do', async (t) => {
      const url = await host.mint();
      const [recipient, stranger] = [await open(t, url), await open(t, url)];
      await answer(recipient, PLATE);
      await heading(recipient, 'Report a claim');
      for (let count = 0; count < 5; count++) await answer(stranger, `wrong ${count}`);
      await heading(stranger, 'This link is locked');
      await stranger.getByText('Ask us for a new link, or to unlock this one, phone').waitFor();
      await stranger.getByText('help@acme.example').waitFor();
      await stranger.goto(url);
      await heading(stranger, 'This link is locked');
      await recipient.reload();
      await heading(recipient, 'Report a claim');
    });
  }

  t.test(
    'a claim that is sent after the end of the answer asks again, and keeps what was typed',
    async (t) => {
      const page = await openPage(t, browser, await host.mint({ initialStepKey: 'incident' }));
      await answer(page, PLATE);
      await page.getByLabel('Description').fill('A stone hit the windscreen.');
      await page.context().clearCookies();
      for (const _step of ['contact', 'review']) await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('button', { name: 'Send claim' }).click();
      await heading(page, QUESTION);
      await page.getByText('Your claim was not sent.').waitFor();
      t.match(await page.locator('[data-entered-text]').innerText(), 'A stone hit the windscreen.');
      await answer(page, PLATE);
      await heading(page, 'Report a claim');
      t.equal(await page.getByLabel('Description').inputValue(), 'A stone hit the windscreen.');
      for (const _step of ['contact', 'review']) await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('button', { name: 'Send claim' }).click();
      await heading(page, 'Your claim has been sent');
    },
  );

  t.test('a link in a page of another site asks again, in the same browser', async (t) => {
    const url = await host.mint();
    const page = await openPage(t, browser, url);
    await answer(page, PLATE);
    await heading(page, 'Report a claim');
    // Another host of the loopback address is another site.
    const mailbox = await serve(t, (_req, res) => {
      res.setHeader('content-type', 'text/html');
      res.end(`<!doctype html><title>Mail</title><a href="${url.replaceAll('&', '&amp;')}">Open</a>`);
    });
    await page.goto(mailbox.replace('127.0.0.1', 'localhost'));
    await page.getByRole('link', { name: 'Open' }).click();
    await heading(page, QUESTION);
  });

  t.test('the question fits a phone, and breaks no rule of axe', async (t) => {
    const page = await openPage(t, browser, await host.mint(), { viewport: { width: 320, height: 640 } });
    await answer(page, 'wrong');
    await page.getByText('Tries left').first().waitFor();
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    t.same(await axeViolations(page), []);
  });

  t.test(
    'in a frame of another site, the answer lasts, also where third-party cookies are blocked',
    async (t) => {
      const tls = (name: string) => readFileSync(new URL(`test/mock-server/tls/${name}.pem`, REPOSITORY));
      let handler: Parameters<typeof createServer>[1];
      const server = createServer({ cert: tls('cert'), key: tls('key') }, (req, res) => handler?.(req, res));
      await serve(t, server as never);
      const publicUrl = `https://localhost:${(server.address() as AddressInfo).port}`;
      const portal = await serve(t, (req, res) => {
        const frame = new URL(req.url ?? '', 'http://portal').searchParams.get('frame') ?? '';
        res.setHeader('content-type', 'text/html');
        res.end(
          `<!doctype html><title>Portal</title><iframe width="600" height="900" src="${frame.replaceAll('&', '&amp;')}"></iframe>`,
        );
      });
      const claimlink = createClaimlink({
        storage: createMemoryStorage({
          clients: [{ clientId: 'acme', settings, frameAncestors: [portal] }],
        }),
        signer: createLinkSigner({
          keys: [{ kid: '1', algorithm: 'HS256', secret: 'a secret for this test, 32 bytes' }],
          issuer: publicUrl,
        }),
        publicUrl,
      });
      handler = createNodeHandler(claimlink);
      const { url } = await claimlink.createLink('acme', {
        callbackUrl: 'https://app.example.com/',
        config: {
          contact: { email: 'help@acme.example', phone: '+49 30 5678' },
          currentUserId: 'user-1',
          policy: COMPLETE_POLICY,
        },
      });
      const page = await openPage(t, browser, `${portal}/?frame=${encodeURIComponent(url)}`, {
        ignoreHTTPSErrors: true,
      });
      const frame = page.frameLocator('iframe');
      await frame.getByLabel('Licence plate').fill(PLATE);
      await frame.getByRole('button', { name: 'Continue' }).click();
      await frame.getByRole('heading', { name: 'Report a claim' }).waitFor();
      const cookies = await page.context().cookies();
      const cookie = cookies.find(({ name }) => name === 'claimlink_answer');
      t.match(cookie, {
        name: 'claimlink_answer',
        sameSite: 'None',
        secure: true,
        httpOnly: true,
        expires: -1,
      });
      t.ok(cookie?.partitionKey);
      await page.reload();
      await frame.getByRole('heading', { name: 'Report a claim' }).waitFor();
    },
  );
}
