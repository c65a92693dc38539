// Photos in the form of a real browser without JavaScript: they are sent with the claim, and the form comes back without losses.
import t, { type Test } from 'tap';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { startHost } from './host.js';
import { STILL } from './page-walk.js';
import { makePhoto, type PhotoFile } from './photo-files.js';

const browser = await launchChromium(t);
const MEGABYTE = 1_000_000;
const PHONE = { width: 390, height: 664 };
const SENT = 'Your claim has been sent';
const TEXT = 'A bump at the corner.\nAnd a scratch.';

if (browser !== undefined) {
  const host = await startHost(
    t,
    { photos: { store: createMemoryPhotoStore(), maxPhotoBytes: 2 * MEGABYTE } },
    { settings: { form: { photos: { need: 'optional', most: 3 } } } },
  );
  const studio = await browser.newPage();

  /** Makes a real photo of a size: what follows its end is no part of the picture. */
  async function photo(name: string, size = MEGABYTE): Promise<PhotoFile> {
    const file = await makePhoto(studio, name, { noise: name.length * 100 });
    return { ...file, buffer: Buffer.concat([file.buffer, Buffer.alloc(size - file.buffer.length)]) };
  }

  async function open(t: Test, javaScriptEnabled = false) {
    const context = await browser?.newContext({ ...STILL, viewport: PHONE, javaScriptEnabled });
    if (context === undefined) throw new Error('no browser');
    t.teardown(() => context.close());
    const page = await context.newPage();
    const types: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') types.push(request.headers()['content-type']?.split(';')[0] ?? '');
    });
    await page.goto(await host.mint({ initialStepKey: 'incident' }));
    return {
      page,
      types,
      file: page.locator('.photos [type=file]'),
      description: page.locator('[name="/incident/description"]'),
      send: () => page.getByRole('button', { name: 'Send claim' }).click(),
    };
  }

  /** Returns the photos of the claims that are stored. */
  async function claimed() {
    const { sessions } = (await host.exportUser()) as unknown as {
      sessions: { incident?: { photos?: { name?: string; size: number }[] } }[];
    };
    return sessions.map(({ incident }) =>
      (incident?.photos ?? []).map(({ name, size }) => `${name} ${size}`).sort(),
    );
  }

  t.test('two photos of 1 MB are sent, and the claim has both', async (t) => {
    const { page, types, file, description, send } = await open(t);
    await page
      .getByText('A photo may contain the place and the time where it was taken.')
      .waitFor({ state: 'visible' });
    t.notOk(await page.getByRole('button', { name: 'Add photos' }).isVisible());
    await description.fill(TEXT);
    await file.setInputFiles([await photo('front.jpg'), await photo('Rückseite 写真 "2".jpg')]);
    await send();
    await page.getByRole('heading', { name: SENT }).waitFor();
    t.same(types, ['multipart/form-data']);
    t.same(await claimed(), [[`Rückseite 写真 %222%22.jpg ${MEGABYTE}`, `front.jpg ${MEGABYTE}`]]);
    t.match(await page.locator('main').innerText(), 'front.jpg');
  });

  t.test('a photo that is too large: the text and the other photo are there again', async (t) => {
    const before = (await claimed()).length;
    const { page, file, description, send } = await open(t);
    await description.fill(TEXT);
    await file.setInputFiles([await photo('front.jpg'), await photo('huge.jpg', 12 * MEGABYTE)]);
    await send();
    await page.locator('#problems').waitFor();
    t.equal((await claimed()).length, before, 'no claim is stored');
    t.equal(await description.inputValue(), TEXT);
    t.match(await page.locator('#problems').innerText(), /huge\.jpg\u2069: This photo is too large\./);
    t.match(
      await page.locator('#incident-photos-error').innerText(),
      /huge\.jpg\u2069: This photo is too large\./,
    );
    await page.locator('#problems a').press('Enter');
    t.equal(await page.evaluate('document.activeElement.type'), 'file', 'the problem leads to the field');
    t.same(await page.locator('.photos li').allInnerTexts(), ['front.jpg']);
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await send();
    await page.getByRole('heading', { name: SENT }).waitFor();
    t.same(
      (await claimed()).filter((photos) => photos.length === 1),
      [[`front.jpg ${MEGABYTE}`]],
    );
  });

  t.test('no photo is chosen: the claim has none', async (t) => {
    const { page, types, send } = await open(t);
    await send();
    await page.getByRole('heading', { name: SENT }).waitFor();
    t.same(types, ['multipart/form-data']);
    t.equal((await claimed()).filter((photos) => photos.length === 0).length, 1);
  });

  t.test('with JavaScript, a form that the browser itself sends has no file and no parts', async (t) => {
    const { page, types, file } = await open(t, true);
    await page.locator('html[data-ready]').waitFor();
    await file.setInputFiles([await photo('front.jpg')]);
    await page.locator('.photos li').getByText('Sent').waitFor();
    types.length = 0;
    await page.evaluate("document.getElementById('claim').submit()");
    await page.getByRole('heading', { name: SENT }).waitFor();
    t.same(types, ['application/x-www-form-urlencoded']);
    t.same(await axeViolations(page), []);
  });
}
