// Every form of the pages in a SvelteKit host with its default settings, which compares the Origin of a form with its own.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { linkRequest } from '../adapters/service.js';
import { launchEngines, newWatchedPage, replaceText } from '../browser/engines.js';
import { COMPLETE_POLICY } from '../browser/host.js';
import { startHost } from '../examples/host.js';
import { serve } from '../listen.js';
import { IS_RELEASE } from '../size.js';
import { HAS_TEST_PACKAGES } from './installed.js';
import { TEST_PACKAGES } from './load.js';

if (HAS_TEST_PACKAGES && IS_RELEASE) {
  const vite = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS', 'node_modules/.bin/vite', 'build'];
  await promisify(execFile)('env', vite, { cwd: TEST_PACKAGES });
  const { origin } = await startHost(t, ['sveltekit.mjs'], { cwd: TEST_PACKAGES });
  const referers: (string | undefined)[] = [];
  const callback = await serve(
    t,
    createServer((req, res) => {
      if (req.url?.startsWith('/done')) referers.push(req.headers.referer);
      res
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><title>Back</title><h1>You are back</h1>');
    }),
  );
  const call = async (method: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${origin}/links`, { method, headers, body: JSON.stringify(body) });
    return (await response.json()) as { url: string; linkId: string };
  };
  const config = {
    ...linkRequest().config,
    policy: COMPLETE_POLICY,
    callbackOnSubmit: true,
    initialStepKey: 'incident',
  };
  const request = linkRequest({ callbackUrl: `${callback}/done`, config });

  const engines = await launchEngines(t);
  for (const engine of engines) {
    for (const javaScriptEnabled of [true, false]) {
      const name = `${engine.name}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`;

      /** Opens a new link. Firefox cannot click without JavaScript, so a person uses the keyboard. */
      const open = async (t: Test, clientId: string, isOld = false) => {
        const { url, linkId } = await call('POST', { clientId, request, isOld });
        const { page } = await newWatchedPage(t, engine, { javaScriptEnabled }, /^/);
        const posts: number[] = [];
        page.on('response', (response) => {
          if (response.request().method() === 'POST') posts.push(response.status());
        });
        await page.goto(url);
        return { page, linkId, posts };
      };
      const heading = (page: Page, text: string) =>
        page.getByRole('heading', { name: text, level: 1 }).waitFor();
      const press = (page: Page, button: string) => page.getByRole('button', { name: button }).press('Enter');
      const send = async (page: Page) => {
        await page.getByLabel('Description').pressSequentially('A stone hit the windscreen.');
        if (javaScriptEnabled) for (const _step of ['contact', 'review']) await press(page, 'Next');
        await page.locator('#send').press('Enter');
      };

      t.test(`${name}: the recipient answers the question`, async (t) => {
        const { page, posts } = await open(t, 'asking');
        await page.getByLabel('Licence plate').pressSequentially('wrong plate');
        await press(page, 'Continue');
        await page.getByRole('alert').getByText('Tries left: 4').waitFor();
        await replaceText(page.getByLabel('Licence plate'), COMPLETE_POLICY.vehicle.licensePlate);
        await press(page, 'Continue');
        await heading(page, 'Report a claim');
        t.same(posts, [403, 303]);
      });

      t.test(`${name}: a claim reaches the callback, which gets no path and no token`, async (t) => {
        referers.length = 0;
        const { page } = await open(t, 'acme');
        await send(page);
        await heading(page, 'You are back');
        for (const referer of referers) t.notMatch(referer ?? '', /verify|token/);
        t.ok(referers.length > 0);
      });

      t.test(`${name}: a link that ended while a person typed shows what became of it`, async (t) => {
        const { page, linkId } = await open(t, 'acme');
        t.equal(await call('DELETE', { clientId: 'acme', linkId }), true);
        await send(page);
        await page.locator('.entered').waitFor();
      });

      t.test(`${name}: the recipient declines`, async (t) => {
        const { page } = await open(t, 'acme');
        await page.locator('.decline > summary').press('Enter');
        await page.getByRole('radio', { name: 'Another reason' }).press('Space');
        await page.locator('.decline button').press('Enter');
        await heading(page, 'Thank you for telling us');
      });

      t.test(`${name}: the user asks for another link`, async (t) => {
        const { page } = await open(t, 'acme', true);
        await page.locator('#renew button').press('Enter');
        await page.locator('.sent').waitFor();
      });
    }
  }
}
