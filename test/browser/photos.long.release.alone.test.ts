// Photos in the form, in real browsers: real JPEG files, and what arrived of them in the store.
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { startHost } from './host.js';
import { STILL } from './page-walk.js';
import { CORNERS, makePhoto, markersOf, readPhoto } from './photo-files.js';

const browser = await launchChromium(t);
const store = createMemoryPhotoStore();
const PHONE = { width: 390, height: 664 };
const SENT = 'Your claim has been sent';

if (browser !== undefined) {
  const host = await startHost(
    t,
    { photos: { store } },
    { settings: { form: { photos: { need: 'required', most: 10 } } } },
  );
  const studio = await browser.newPage();
  let count = 0;
  /** Makes a photo that is not equal to another one. */
  const photo = (name: string, options: Parameters<typeof makePhoto>[2] = {}) =>
    makePhoto(studio, name, { noise: ++count, ...options });

  /** Opens the incident step of a new link on a phone. */
  async function start(t: Test, options: BrowserContextOptions = {}) {
    const context = await browser?.newContext({ ...STILL, viewport: PHONE, ...options });
    if (context === undefined) throw new Error('no browser');
    t.teardown(() => context.close());
    const errors: string[] = [];
    /** The bytes that arrived, by their ids. */
    const bodies = new Map<string, Buffer>();
    /** What the network does to uploads: nothing, a cut, or a status. */
    const network: { fault?: 'cut' | 'hold' | number } = {};
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await context.route(/\/photos\//, async (route) => {
      const request = route.request();
      const isUpload = request.method() === 'POST' && !request.url().includes('action=remove');
      const { fault } = network;
      if (isUpload && fault === 'cut') return route.abort('connectionreset');
      if (isUpload && typeof fault === 'number') return route.fulfill({ status: fault, json: {} });
      if (isUpload && fault === 'hold') await held;
      const id = /photos\/(\w+)/.exec(request.url())?.[1] ?? '';
      if (isUpload) bodies.set(id, request.postDataBuffer() ?? Buffer.alloc(0));
      return route.continue();
    });
    const url = await host.mint({ initialStepKey: 'incident' });
    const open = async (address = url): Promise<Page> => {
      const page = await context.newPage();
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(address);
      await page.locator('html[data-ready]').waitFor();
      return page;
    };
    return { page: await open(), context, url, open, network, release, bodies, errors };
  }

  const choose = (page: Page, ...files: Awaited<ReturnType<typeof photo>>[]) =>
    page.locator('.photos [type=file]').setInputFiles(files);
  const row = (page: Page, name: string) => page.locator('.photos li', { hasText: name });
  const sent = (page: Page, name: string) => row(page, name).getByText('Sent').waitFor();
  const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click();
  const send = (page: Page) => page.getByRole('button', { name: 'Send claim' }).click();

  t.test('photos of each orientation arrive upright, at most 2,560 px long, and without data', async (t) => {
    const { page, bodies, errors } = await start(t);
    const files = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map((orientation) =>
        photo(
          `IMG_${orientation}.jpg`,
          orientation === 6 ? { orientation, width: 2100, height: 2800 } : { orientation },
        ),
      ),
    );
    for (const { buffer } of files) t.ok(markersOf(buffer).includes(0xe1), 'the file has EXIF data');
    await choose(page, ...files);
    for (const { name } of files) {
      await sent(page, name);
      t.ok(await row(page, name).getByText('without location data').isVisible());
    }
    t.equal(bodies.size, 8);
    for (const body of bodies.values()) {
      const { width, height, corners } = await readPhoto(studio, body);
      t.same(corners, CORNERS);
      t.ok(
        [width, height].join() === '1200,900' || [width, height].join() === '1920,2560',
        `${width} x ${height}`,
      );
      t.notOk(markersOf(body).includes(0xe1), 'no EXIF data');
      t.notOk(body.includes('Exif'));
    }
    t.same(await axeViolations(page), []);
    await next(page);
    await next(page);
    t.match(await page.locator('#review').innerText(), /Photos of the damage\s+IMG_1.jpg, IMG_2.jpg/);
    await send(page);
    await page.getByRole('heading', { name: SENT }).waitFor();
    const { sessions } = (await host.exportUser()) as unknown as {
      sessions: { incident?: { photos?: { name?: string }[] } }[];
    };
    t.match(JSON.stringify(sessions), /"name":"IMG_8.jpg"/);
    t.same(errors, []);
  });

  t.test('after a reload: the step, the text and the photos, and the picture on demand', async (t) => {
    const { page, errors } = await start(t);
    await page.locator('[name="/incident/description"]').fill('A bump.');
    await choose(page, await photo('front.jpg'), await photo('back.jpg'));
    await sent(page, 'front.jpg');
    await sent(page, 'back.jpg');
    await page.reload();
    await sent(page, 'front.jpg');
    t.same(await page.locator('.photos li bdi').allInnerTexts(), ['front.jpg', 'back.jpg']);
    t.equal(await page.locator('[name="/incident/description"]').inputValue(), 'A bump.');
    t.equal(await page.locator('.photos li img:visible').count(), 0);
    t.notOk(
      await row(page, 'back.jpg').getByText('without location').isVisible(),
      'only beside what it wrote anew',
    );
    await page.getByRole('button', { name: 'Show: back.jpg' }).click();
    await row(page, 'back.jpg').locator('img').waitFor();
    await page.getByRole('button', { name: 'Remove: front.jpg' }).press('Enter');
    t.equal(await page.locator('#status').innerText(), 'Removed: front.jpg');
    t.equal(await page.evaluate('document.activeElement.id'), 'incident-photos');
    await page.reload();
    await sent(page, 'back.jpg');
    t.equal(await page.locator('.photos li').count(), 1);
    t.same(errors, []);
  });

  t.test('after a cut it sends again by itself, then says why not, and again with the network', async (t) => {
    const { page, context, network } = await start(t);
    await page.clock.install();
    network.fault = 'cut';
    await context.setOffline(true);
    await choose(page, await photo('front.jpg'));
    await row(page, 'front.jpg').getByText('Sending').waitFor();
    const problem = row(page, 'front.jpg').getByText('You seem to be offline.');
    for (let tick = 0; tick < 60 && !(await problem.isVisible()); tick++) await page.clock.runFor(1000);
    t.ok(await problem.isVisible());
    t.equal(await page.locator('#status').innerText(), 'front.jpg: You seem to be offline.');
    t.ok(await page.getByRole('button', { name: 'Try again: front.jpg' }).isVisible());
    delete network.fault;
    await context.setOffline(false);
    await sent(page, 'front.jpg');
  });

  for (const [status, text] of [
    [409, 'There is no room for another photo. Remove one first.'],
    [413, 'This photo is too large.'],
    [415, 'This file cannot be read as a photo. Choose a JPEG or PNG, or take a photo.'],
    [410, 'This photo is not part of the claim.'],
  ] as const)
    t.test(`${status} is said in words, and Try again sends it`, async (t) => {
      const { page, network } = await start(t);
      network.fault = status;
      await choose(page, await photo('front.jpg'));
      await row(page, 'front.jpg').getByText(text).waitFor();
      t.same(await axeViolations(page), []);
      delete network.fault;
      await page.getByRole('button', { name: 'Try again' }).click();
      await sent(page, 'front.jpg');
    });

  t.test('a claim waits for photos on their way, and says so', async (t) => {
    const { page, network, release } = await start(t);
    network.fault = 'hold';
    await choose(page, await photo('front.jpg'));
    await next(page);
    await next(page);
    await send(page);
    await page.getByText('We send your claim as soon as the photos have arrived.').waitFor();
    release();
    await page.getByRole('heading', { name: SENT }).waitFor();
  });

  t.test(
    'a claim names the photo that is missing, and is sent without it when the person sends again',
    async (t) => {
      const { page, network } = await start(t);
      await choose(page, await photo('front.jpg'));
      await sent(page, 'front.jpg');
      network.fault = 413;
      await choose(page, await photo('back.jpg'));
      await row(page, 'back.jpg').getByText('too large').waitFor();
      await next(page);
      await next(page);
      await send(page);
      await page.getByText('Not sent: back.jpg. Go back to try again, or send the claim without.').waitFor();
      await send(page);
      await page.getByRole('heading', { name: SENT }).waitFor();
    },
  );

  t.test('a required photo is asked for', async (t) => {
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

  t.test('photos are dropped and pasted; one that is there already is not sent twice', async (t) => {
    const { page, bodies } = await start(t);
    const { buffer } = await photo('front.jpg');
    for (const type of ['drop', 'paste'])
      await page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(${JSON.stringify([...buffer])})], 'front.jpg', { type: 'image/jpeg' }));
        const event = '${type}' === 'drop'
          ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        document.body.dispatchEvent(event);
      })()`);
    await sent(page, 'front.jpg');
    await page.locator('.photos li:nth-child(2)').waitFor({ state: 'detached' });
    t.equal(bodies.size, 1);
  });

  t.test('a PNG becomes a JPEG; what is no photo is said, and HEIC that is not accepted', async (t) => {
    const { page, bodies } = await start(t);
    await choose(page, await photo('front.png', { type: 'image/png' }), {
      name: 'bill.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4'),
    });
    await sent(page, 'front.png');
    await row(page, 'bill.pdf').getByText('This file cannot be read as a photo.').waitFor();
    await choose(page, {
      name: 'a.heic',
      mimeType: 'image/heic',
      buffer: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0heic'),
    });
    await row(page, 'a.heic').getByText('This file cannot be read as a photo.').waitFor();
    t.equal([...bodies.values()][0]?.readUInt16BE(0), 0xffd8);
    t.equal(bodies.size, 1);
  });

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
