// Photos in the form, in real browsers: real JPEG files from a phone, a bad network, and what arrives of them in the store.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { hashAccessCode } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { IS_RELEASE, sized } from '../size.js';
import { axeViolations } from './axe.js';
import { startCuttingProxy } from './cutting-proxy.js';
import { launchEngines } from './engines.js';
import { startHost } from './host.js';
import { CORNERS, makePhoto, markersOf, readPhoto, withFiller } from './photo-files.js';
import { choose, next, openPhotoForm, row, SENT, send, sent } from './photo-form.js';

/** Of the photos that a phone takes. */
const ORIENTATIONS = sized([1, 6, 8], [1], [1, 2, 3, 4, 5, 6, 7, 8]);
const [WIDTH, HEIGHT] = sized([1200, 900], [1200, 900], [4000, 3000]);
const FILE_BYTES = sized(0, 0, 8_000_000);
const LONGEST = 2560;
/** 400 kbit/s. */
const BYTES_PER_SECOND = 50_000;
const CUTS = 2;

const store = createMemoryPhotoStore();
const form = { photos: { need: 'required', most: 10 } } as const;
const EXIF = 0xe1;
const engines = await launchEngines(t);

for (const engine of engines) {
  const host = await startHost(t, { photos: { store } }, { settings: { form } });

  t.test(
    `over a slow network that cuts each upload twice, all photos are in the claim: upright and without metadata${engine.suffix}`,
    async (t) => {
      const { page, context, url, open, errors } = await openPhotoForm(t, engine, host);
      const proxy = await startCuttingProxy(t, url, CUTS);
      const address = new URL(url);
      address.port = String(proxy.port);
      const files = [];
      const folder = t.testdir();
      for (const orientation of ORIENTATIONS) {
        const name = `IMG_${orientation}.jpg`;
        const photo = await makePhoto(page, name, {
          width: WIDTH,
          height: HEIGHT,
          orientation,
          noise: IS_RELEASE ? 20_000 + orientation : orientation,
        });
        const buffer = withFiller(photo.buffer, FILE_BYTES, randomBytes);
        t.ok(markersOf(buffer).includes(EXIF), 'the file has EXIF data');
        t.ok(buffer.length >= FILE_BYTES);
        const path = join(folder, name);
        await writeFile(path, buffer);
        files.push({ name, path });
      }
      await page.close();

      const phone = await open(address.href);
      if (IS_RELEASE && engine.name === 'Chromium') {
        const session = await context.newCDPSession(phone);
        await session.send('Network.enable');
        await session.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 100,
          downloadThroughput: BYTES_PER_SECOND,
          uploadThroughput: BYTES_PER_SECOND,
        });
      }
      phone.setDefaultTimeout(600_000);
      await choose(phone, ...files.map(({ path }) => path));
      await next(phone);
      await next(phone);
      await phone.locator('#review dl').first().waitFor();
      await send(phone);
      await phone.getByText('We send your claim as soon as the photos have arrived.').waitFor();
      await phone.getByRole('heading', { name: SENT }).waitFor();
      t.same([...proxy.cuts.values()], Array(files.length).fill(CUTS));

      const { sessions } = await host.exportUser();
      t.equal(sessions.length, 1);
      const photos = sessions[0]?.incident?.photos ?? [];
      t.same(
        photos.map(({ name }) => name).sort(),
        files.map(({ name }) => name),
      );
      const linkId = hashAccessCode(/verify\/([^?]+)/.exec(url)?.[1] ?? '');
      const studio = await context.newPage();
      const expected = [Math.min(LONGEST, WIDTH), Math.min((LONGEST * HEIGHT) / WIDTH, HEIGHT)];
      for (const { id, size, name = '' } of photos) {
        const stored = await store.get({ clientId: 'acme', linkId, photoId: id });
        const chunks = [];
        for await (const chunk of stored?.body ?? []) chunks.push(chunk);
        const bytes = Buffer.concat(chunks);
        t.equal(bytes.length, size);
        const { width, height, corners } = await readPhoto(studio, bytes);
        t.same(corners, CORNERS, name);
        t.same([width, height], expected, name);
        t.notOk(markersOf(bytes).includes(EXIF), 'no EXIF data');
        t.notOk(bytes.includes('Exif'));
      }
      t.same(errors, []);
    },
  );

  t.test(
    `after the page was killed: the step, the text, and the photos that were sent; the others are named${engine.suffix}`,
    async (t) => {
      const { page, errors } = await openPhotoForm(t, engine, host);
      await page.locator('[name="/incident/description"]').fill('A bump.');
      const front = await makePhoto(page, 'front.jpg', { noise: 1 });
      const back = await makePhoto(page, 'back.jpg', { noise: 2 });
      await choose(page, front, back);
      await sent(page, 'front.jpg');
      await sent(page, 'back.jpg');
      // The system ends the page while one is on its way.
      await page.route(/\/photos\//, (route) =>
        route.request().method() === 'POST' ? undefined : route.fallback(),
      );
      await choose(page, await makePhoto(page, 'side.jpg', { noise: 3 }));
      await row(page, 'side.jpg').getByText('Sending').waitFor();
      await page.reload();
      await page.unrouteAll();
      await sent(page, 'front.jpg');
      t.same(await page.locator('.photos li bdi').allInnerTexts(), ['side.jpg', 'front.jpg', 'back.jpg']);
      t.ok(await row(page, 'side.jpg').getByText('Not sent. Choose it again.').isVisible());
      t.equal(await page.locator('[name="/incident/description"]').inputValue(), 'A bump.');
      t.equal(await page.locator('.photos li img:visible').count(), 0);
      t.equal(await page.getByText('without location').count(), 0, 'only beside what it wrote anew');
      await page.getByRole('button', { name: 'Show: back.jpg' }).click();
      await row(page, 'back.jpg').locator('img').waitFor();
      t.same(await axeViolations(page), []);
      await choose(page, await makePhoto(page, 'side.jpg', { noise: 3 }));
      await sent(page, 'side.jpg');
      t.equal(await page.locator('.photos li').count(), 3);
      await page.getByRole('button', { name: 'Remove: front.jpg' }).press('Enter');
      t.equal(await page.evaluate('document.activeElement.id'), 'incident-photos');
      await page.locator('#status').getByText('Removed: front.jpg').waitFor();
      await page.reload();
      await sent(page, 'back.jpg');
      t.equal(await page.locator('.photos li').count(), 2);
      t.same(errors, []);
    },
  );
}
