// What the form says and does about photos in each state: responses, networks, tabs, devices and settings. In Chromium.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { COMPLETE_POLICY, startHost } from './host.js';
import { makePhoto } from './photo-files.js';
import { choose, listen, next, openPhotoForm, row, SENT, send, sent } from './photo-form.js';

const HEIC = {
  name: 'a.heic',
  mimeType: 'image/heic',
  buffer: Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0heic', 'latin1'), Buffer.alloc(100, 7)]),
};
const UNREADABLE = 'This file cannot be read as a photo. Choose a JPEG or PNG, or take a photo.';

const browser = await launchChromium(t);
if (browser !== undefined) {
  const store = createMemoryPhotoStore();
  let isDown = false;
  /** Responses to uploads wait for it. */
  let response = Promise.resolve();
  const put: typeof store.put = async (...args) => {
    await store.put(...args);
    await response;
  };
  const list: typeof store.list = (link) => {
    if (isDown) throw new Error('down');
    return store.list(link);
  };
  const startPhotoHost = (photos: object, settings: object = {}) =>
    startHost(
      t,
      { photos: { store: { ...store, list, put } }, onError: () => {} },
      { settings: { ...settings, form: { photos: { need: 'optional', ...photos } } } },
    );
  const host = await startPhotoHost({ need: 'required', most: 10 });
  const studio = await browser.newPage();
  let count = 0;
  /** Makes a photo that is not equal to another one. */
  const photo = (name: string, options: Parameters<typeof makePhoto>[2] = {}) =>
    makePhoto(studio, name, { noise: ++count, ...options });
  const start = (t: Test, options: BrowserContextOptions = {}, from = host) =>
    openPhotoForm(t, browser, from, options);
  const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' });
  /** Returns the ids of the photos of each claim. */
  const claims = async () => {
    const { sessions } = await host.exportUser();
    return sessions.map(({ incident }) => incident?.photos?.map(({ id }) => id).join());
  };

  t.test('photos that finish together are each said once', async (t) => {
    const { page, network, release } = await start(t);
    const heard = await listen(page);
    network.fault = 'hold';
    const names = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg'];
    await choose(page, ...(await Promise.all(names.map((name) => photo(name)))));
    release();
    for (const name of names) await sent(page, name);
    let said: string[] = [];
    while (said.length < 2 * names.length) said = await heard();
    t.same(said.toSorted(), names.flatMap((name) => [`${name}: Sending…`, `${name}: Sent`]).toSorted());
  });

  t.test('after a cut it sends again by itself, then says why not, and again with the network', async (t) => {
    const { page, context, network, uploads } = await start(t);
    await page.clock.install();
    network.fault = 'cut';
    await context.setOffline(true);
    await choose(page, await photo('front.jpg'));
    await row(page, 'front.jpg').getByText('Sending').waitFor();
    const problem = row(page, 'front.jpg').getByText('You seem to be offline.');
    for (let tick = 0; tick < 60 && !(await problem.isVisible()); tick++) await page.clock.runFor(1000);
    t.ok(await problem.isVisible());
    t.equal(uploads.length, 4);
    await page.clock.runFor(1000);
    t.equal(await page.locator('#status').innerText(), 'front.jpg: You seem to be offline.');
    t.ok(await page.getByRole('button', { name: 'Try again: front.jpg' }).isVisible());
    delete network.fault;
    await context.setOffline(false);
    await sent(page, 'front.jpg');
  });

  for (const [status, text, mayTryAgain] of [
    [409, 'There is no room for another photo. Remove one first.', true],
    [413, 'This photo is too large.', false],
    [415, UNREADABLE, false],
    [410, 'This photo is not part of the claim.', false],
  ] as const)
    t.test(`${status} is said in words, ${mayTryAgain ? 'and' : 'without'} Try again`, async (t) => {
      const { page, network, uploads } = await start(t);
      network.fault = status;
      await choose(page, await photo('front.jpg'));
      await row(page, 'front.jpg').getByText(text).waitFor();
      t.equal(uploads.length, 1);
      t.equal(await row(page, 'front.jpg').locator('img:visible').count(), 1);
      t.same(await axeViolations(page), []);
      delete network.fault;
      t.equal(await tryAgain(page).isVisible(), mayTryAgain);
      if (!mayTryAgain) return;
      await tryAgain(page).click();
      await sent(page, 'front.jpg');
    });

  t.test('429: it waits as long as Retry-After says, and says at last that there are too many', async (t) => {
    const { page, network, uploads } = await start(t);
    await page.clock.install();
    network.fault = { status: 429, headers: { 'retry-after': '7' } };
    await choose(page, await photo('front.jpg'));
    for (const number of [1, 2, 3]) {
      let milliseconds = 0;
      for (; uploads.length <= number; milliseconds += 500) await page.clock.runFor(500);
      t.ok(milliseconds >= 7000, `${milliseconds} ms`);
    }
    await row(page, 'front.jpg').getByText('Too many photos at once. Try again.').waitFor();
    delete network.fault;
    await tryAgain(page).click();
    await sent(page, 'front.jpg');
  });

  t.test('progress is shown in words and as a bar', async (t) => {
    const { page, context } = await start(t);
    await context.unrouteAll();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 30_000 };
    await session.send('Network.emulateNetworkConditions', limits);
    await choose(page, await photo('front.jpg', { width: 2000, height: 1500, noise: 20_000 }));
    await row(page, 'front.jpg')
      .getByText(/^[\d.]+ MB · Sending… [1-9]\d?%$/)
      .waitFor();
    const bar = page.getByRole('progressbar', { name: 'front.jpg' });
    t.match(await page.evaluate("document.querySelector('.photos progress').value"), /^0\.\d/);
    t.same(await axeViolations(page), []);
    await session.send('Network.emulateNetworkConditions', { ...limits, uploadThroughput: -1 });
    await sent(page, 'front.jpg');
    t.equal(await bar.isVisible(), false);
  });

  t.test('a claim waits for photos on their way, and says so', async (t) => {
    const { page, network, release } = await start(t);
    network.fault = 'hold';
    await choose(page, await photo('front.jpg'));
    await next(page);
    await next(page);
    await send(page);
    await page
      .getByRole('status')
      .getByText('We send your claim as soon as the photos have arrived.')
      .waitFor();
    t.same(await axeViolations(page), []);
    release();
    await page.getByRole('heading', { name: SENT }).waitFor();
  });

  t.test('a claim names the photo that is missing, and is sent without it', async (t) => {
    const { page, network, bodies } = await start(t);
    await choose(page, await photo('front.jpg'));
    await sent(page, 'front.jpg');
    network.fault = 413;
    await choose(page, await photo('back.jpg'));
    await row(page, 'back.jpg').getByText('too large').waitFor();
    await next(page);
    await next(page);
    await send(page);
    await page.getByText('Not sent: back.jpg. Go back to try again, or send the claim without.').waitFor();
    t.same(await axeViolations(page), []);
    await send(page);
    await page.getByRole('heading', { name: SENT }).waitFor();
    t.ok((await claims()).includes([...bodies.keys()].join()));
  });

  t.test('a photo that was removed when its bytes had left is not in the claim', async (t) => {
    const { page, context, bodies } = await start(t);
    await choose(page, await photo('front.jpg'));
    await sent(page, 'front.jpg');
    await context.unrouteAll();
    let answer = (): void => {};
    response = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await choose(page, await photo('back.jpg'));
    await row(page, 'back.jpg').getByText('100%').waitFor();
    await page.getByRole('button', { name: 'Remove: back.jpg' }).click();
    const removal = page.waitForResponse((response) => response.url().includes('action=remove'));
    answer();
    await removal;
    await next(page);
    await next(page);
    await send(page);
    await page.getByRole('heading', { name: SENT }).waitFor();
    t.ok((await claims()).includes([...bodies.keys()].join()));
  });

  t.test('a required photo is asked for; the button offers camera and gallery', async (t) => {
    const { page } = await start(t);
    await next(page);
    await page.locator('#problems').getByText('Add a photo of the damage').click();
    t.equal(await page.evaluate('document.activeElement.id'), 'incident-photos');
    t.same(await axeViolations(page), []);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.locator('#incident-photos').press('Enter'),
    ]);
    t.equal(chooser.isMultiple(), true);
    t.equal(await page.locator('.photos [type=file]').getAttribute('capture'), null);
    await chooser.setFiles([await photo('front.jpg')]);
    await sent(page, 'front.jpg');
    await next(page);
    await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
  });

  t.test('at most as many photos as the client takes; without one, where none is required', async (t) => {
    const { page, bodies } = await start(t, {}, await startPhotoHost({ most: 2 }));
    await next(page);
    await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
    await page.goBack();
    await choose(page, await photo('a.jpg'), await photo('b.jpg'), await photo('c.jpg'));
    await row(page, 'c.jpg').getByText('There is no room for another photo. Remove one first.').waitFor();
    t.equal(await tryAgain(page).isVisible(), false);
    await sent(page, 'a.jpg');
    await sent(page, 'b.jpg');
    t.equal(bodies.size, 2);
    await page.getByRole('button', { name: 'Remove: a.jpg' }).click();
    await page.getByRole('button', { name: 'Remove: c.jpg' }).click();
    await choose(page, await photo('d.jpg'));
    await sent(page, 'd.jpg');
  });

  t.test('photos are dropped and pasted; one that is there already is not sent twice', async (t) => {
    const { page, bodies } = await start(t);
    const { buffer } = await photo('front.jpg');
    const give = (type: 'drop' | 'paste') =>
      page.evaluate<boolean>(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(${JSON.stringify([...buffer])})], 'front.jpg', { type: 'image/jpeg' }));
        const event = '${type}' === 'drop'
          ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        document.body.dispatchEvent(event);
        return event.defaultPrevented;
      })()`);
    t.ok(await give('drop'), 'the browser does not open the file in place of the form');
    await sent(page, 'front.jpg');
    await give('paste');
    await page.locator('.photos li:nth-child(2)').waitFor({ state: 'detached' });
    t.equal(bodies.size, 1);
    await next(page);
    t.ok(await give('drop'), 'nor in another step');
    t.equal(await page.locator('.photos li').count(), 1);
    await page.locator('[name="/policy/holder/firstName"]').focus();
    const isText = `!document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: new DataTransfer(), bubbles: true, cancelable: true }))`;
    t.notOk(await page.evaluate(isText), 'a text is pasted as ever');
  });

  t.test('a PNG becomes a JPEG; what is no photo is said', async (t) => {
    const { page, bodies } = await start(t);
    const bill = { name: 'bill.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') };
    await choose(page, await photo('front.png', { type: 'image/png' }), bill);
    await sent(page, 'front.png');
    await row(page, 'bill.pdf').getByText(UNREADABLE).waitFor();
    t.equal([...bodies.values()][0]?.readUInt16BE(0), 0xffd8);
    t.equal(bodies.size, 1);
  });

  t.test(
    'HEIC that the browser cannot read is sent unchanged if the client takes it, else it is said',
    async (t) => {
      const strict = await start(t);
      await choose(strict.page, HEIC);
      await row(strict.page, 'a.heic').getByText(UNREADABLE).waitFor();
      const { page, bodies } = await start(t, {}, await startPhotoHost({ heic: true }));
      await choose(page, HEIC);
      await sent(page, 'a.heic');
      t.equal(await page.getByText('without location').count(), 0, 'it may have a place');
      t.equal(await page.locator('.photos img:visible').count(), 0);
      t.ok([...bodies.values()][0]?.equals(HEIC.buffer));
      t.same(await axeViolations(page), []);
    },
  );

  t.test('on a page that is not secure, ids are random', async (t) => {
    const { context, url, uploads } = await start(t);
    const secure = new URL(url).origin;
    const page = await context.newPage();
    // Chromium takes this host for an insecure one.
    await page.route('http://photos.test/**', async (route) => {
      const request = route.request();
      if (request.url().includes('/photos/')) uploads.push({ url: request.url(), headers: {} });
      const response = await route.fetch({ url: request.url().replace('http://photos.test', secure) });
      return route.fulfill({ response });
    });
    await page.goto(url.replace(secure, 'http://photos.test'));
    t.equal(await page.evaluate('isSecureContext'), false);
    await choose(page, await photo('front.jpg'));
    await sent(page, 'front.jpg');
    t.match(uploads[0]?.url, /photos\/[0-9a-f]{64}\?token=.*&id=random$/);
    await page.reload();
    await sent(page, 'front.jpg');
  });

  t.test('a browser without cookies proves its recipient by a header', async (t) => {
    const asking = await startPhotoHost({}, { recipientCheck: ['/policy/vehicle/licensePlate'] });
    const context = await browser.newContext();
    t.teardown(() => context.close());
    await context.route('**/*', async (route) => {
      const response = await route.fetch();
      const { 'set-cookie': _, ...headers } = response.headers();
      await context.clearCookies();
      return route.fulfill({ response, headers });
    });
    const page = await context.newPage();
    await page.goto(await asking.mint({ initialStepKey: 'incident' }));
    await page.getByLabel('Licence plate').fill(COMPLETE_POLICY.vehicle.licensePlate);
    await page.getByRole('button', { name: 'Continue' }).click();
    const upload = page.waitForRequest(/\/photos\//);
    await choose(page, await photo('front.jpg'));
    await sent(page, 'front.jpg');
    const { 'claimlink-proof': proof, cookie } = await (await upload).allHeaders();
    t.ok(proof);
    t.equal(cookie, undefined);
    t.notOk((await upload).url().includes(proof ?? ''));
    await page.getByRole('button', { name: 'Remove' }).click();
    await next(page);
    await next(page);
    await send(page);
    await page.getByRole('heading', { name: SENT }).waitFor();
  });

  t.test(
    'a form at a desk shows the photos of the phone without a reload, while it is visible',
    async (t) => {
      const both = await startPhotoHost({}, { continueOnPhone: true });
      const { page: phone, url } = await start(t, {}, both);
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      t.teardown(() => context.close());
      const desk = await context.newPage();
      let requests = 0;
      desk.on('request', (request) => {
        if (/\/photos\?/.test(request.url())) requests++;
      });
      await desk.clock.install();
      await desk.goto(url);
      await desk.locator('[name="/incident/description"]').fill('A bump.');
      await choose(phone, await photo('front.jpg'));
      await sent(phone, 'front.jpg');
      t.equal(await desk.locator('.photos li').count(), 0);
      await desk.clock.runFor(5000);
      await sent(desk, 'Photo 1');
      t.equal(await desk.locator('[name="/incident/description"]').inputValue(), 'A bump.');
      await desk.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
      const before = requests;
      await desk.clock.runFor(30_000);
      t.equal(requests, before);
      await desk.evaluate('delete document.hidden');
      await Promise.all([
        phone.waitForResponse((response) => response.url().includes('action=remove')),
        phone.getByRole('button', { name: 'Remove' }).click(),
      ]);
      await desk.clock.runFor(5000);
      await desk.locator('.photos li').waitFor({ state: 'detached' });
    },
  );

  t.test('two tabs of a link have the same photos', async (t) => {
    const { page, open } = await start(t);
    const other = await open();
    await choose(page, await photo('front.jpg'));
    await sent(page, 'front.jpg');
    const showAgain = () =>
      other.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await showAgain();
    await sent(other, 'Photo 1');
    await Promise.all([
      page.waitForResponse((response) => response.url().includes('action=remove')),
      page.getByRole('button', { name: 'Remove' }).click(),
    ]);
    await showAgain();
    await other.locator('.photos li').waitFor({ state: 'detached' });
  });

  t.test(
    'the form opens while the store fails, says that there is no list, and shows it later',
    async (t) => {
      const { page, errors } = await start(t);
      await choose(page, await photo('front.jpg'));
      await sent(page, 'front.jpg');
      isDown = true;
      await page.reload();
      await page.locator('.photos li', { hasText: 'The photos cannot be shown now.' }).waitFor();
      t.same(await axeViolations(page), []);
      isDown = false;
      await sent(page, 'front.jpg');
      t.equal(await page.locator('.photos li').count(), 1);
      t.same(errors, []);
    },
  );

  t.test('a file that changes after it was chosen arrives as it was (uppy #2860)', async (t) => {
    const { page, network, bodies, release } = await start(t);
    const path = join(t.testdir(), 'cloud.jpg');
    await writeFile(path, (await photo('cloud.jpg')).buffer);
    network.fault = 'hold';
    await choose(page, path);
    await row(page, 'cloud.jpg').getByText('Sending').waitFor();
    await page.waitForRequest(/\/photos\//);
    await writeFile(path, 'changed');
    release();
    await sent(page, 'cloud.jpg');
    t.equal([...bodies.values()][0]?.readUInt16BE(0), 0xffd8);
  });

  t.test('photos are decoded one after another: a phone has little memory (Expensify #92108)', async (t) => {
    const { page, context } = await start(t);
    await context.addInitScript(`{
      const decode = createImageBitmap;
      let running = 0;
      self.most = 0;
      self.createImageBitmap = async (...args) => {
        self.most = Math.max(self.most, ++running);
        const image = await decode(...args);
        const close = image.close.bind(image);
        image.close = () => { running--; close(); };
        return image;
      };
    }`);
    await page.reload();
    const names = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'];
    await choose(page, ...(await Promise.all(names.map((name) => photo(name)))));
    for (const name of names) await sent(page, name);
    t.equal(await page.evaluate('self.most'), 1);
  });

  t.test('a browser that protects its canvas sends no wrong photo', async (t) => {
    const { page, context, bodies } = await start(t);
    await context.addInitScript(`CanvasRenderingContext2D.prototype.getImageData = () =>
      ({ data: new Uint8ClampedArray([255, 255, 255, 255]) })`);
    await page.reload();
    await choose(page, await photo('front.jpg'));
    await row(page, 'front.jpg').getByText(UNREADABLE).waitFor();
    t.equal(bodies.size, 0);
  });

  for (const locale of createStandaloneWidget().locales)
    t.test(`${locale}: on a small phone, all buttons of photos are large, and none is cut off`, async (t) => {
      const { page, network } = await start(t, { locale, viewport: { width: 320, height: 568 } });
      await choose(page, await photo('sent.jpg'));
      await page.locator('.photos progress').waitFor({ state: 'hidden' });
      network.fault = 409;
      await choose(page, await photo('Anhängerkupplungsabdeckungsbefestigung.jpg'));
      await page.locator('.photos .missing').waitFor();
      const problems = `[...document.querySelectorAll('.photos button, .photos bdi, .photos p')]
        .filter((element) => element.checkVisibility())
        .filter((element) => {
          const { left, right, height } = element.getBoundingClientRect();
          return left < 0 || right > innerWidth || (element.matches('button') && height < 44);
        })
        .map(({ textContent }) => textContent)`;
      t.same(await page.evaluate(problems), []);
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    });

  for (const [name, options] of Object.entries<BrowserContextOptions>({
    dark: { colorScheme: 'dark' },
    'forced colours': { forcedColors: 'active' },
    Arabic: { locale: 'ar' },
    'a window of 320 px': { viewport: { width: 320, height: 568 } },
    'a desk': { viewport: { width: 1280, height: 800 } },
  }))
    t.test(`${name}: axe finds nothing, and nothing is wider than the window`, async (t) => {
      const { page, network } = await start(t, options);
      await choose(page, await photo('front of the car with a rather long name.jpg'));
      await page.locator('.photos progress').waitFor({ state: 'hidden' });
      network.fault = 413;
      await choose(page, await photo('back.jpg'));
      await page.locator('.photos .missing').waitFor();
      t.same(await axeViolations(page), []);
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    });
}
