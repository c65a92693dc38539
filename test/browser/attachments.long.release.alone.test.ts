// The example with photos, in Chromium: from the choice of the files to the claim, within its policy.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { pathOf } from '../examples/host.js';
import { photo, sha256Of, startPhotoHost } from '../examples/photos.js';
import { launchChromium } from './chromium.js';
import { newWatchedPage } from './engines.js';
import { skipsShortRun } from './launch.js';

/** Polls until a condition holds; the time limit of the test ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(50);
}

const file = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, mimeType, buffer });

const browser = skipsShortRun(t, 'the example with photos') ? undefined : await launchChromium(t);
if (browser !== undefined) {
  t.test('a user adds photos, sees them, removes one and sends the claim', async (t) => {
    const host = await startPhotoHost(t);
    const link = await host.createLink('user-1');
    // Chromium reports the response to the file that is no photo.
    const { page, complaints } = await newWatchedPage(t, browser, {}, /status of 415/);
    await page.goto(host.origin + link.path);
    await page.getByLabel('When did it happen?').fill('2026-05-01');
    await page.getByLabel('What happened?').fill('A stone hit the windscreen.');

    const chooser = page.getByLabel('Photos of the damage');
    await chooser.setInputFiles([
      file('one.png', photo(1)),
      file('two.png', photo(2)),
      file('three.jpg', Buffer.from('%PDF-1.7 with another name'), 'image/jpeg'),
      file('four.png', Buffer.alloc(11 * 1024 * 1024)),
    ]);
    const items = page.getByRole('list', { name: 'Photos' }).getByRole('listitem');
    await items.filter({ hasText: 'four.png' }).getByText('A photo has at most 10 MB.').waitFor();
    t.equal(await items.filter({ hasText: 'Stored' }).count(), 2);
    await items
      .filter({ hasText: 'three.jpg' })
      .getByText('This is no photo that we can read. Send a JPEG, PNG or WebP file.')
      .waitFor();
    t.same(
      await page.evaluate<number[]>(
        "[...document.querySelectorAll('li img')].slice(0, 2).map((img) => img.naturalWidth)",
      ),
      [1, 2].map(() => readFileSync(join(pathOf('..'), 'docs/images/claim-form.png')).readUInt32BE(16)),
      'the policy allows the previews',
    );

    await page.getByRole('button', { name: 'Remove two.png' }).click();
    await until(() => host.files().length === 1);
    await chooser.setInputFiles(file('five.png', photo(5)));
    await items.filter({ hasText: 'five.png' }).getByText('Stored').waitFor();
    await page.getByRole('button', { name: 'Send claim' }).click();
    const thanks = await page.getByText('Your reference is').innerText();
    const [, reference = ''] = /^Thank you\. Your reference is (\S+)\.$/.exec(thanks) ?? [];

    const hashes = [sha256Of(photo(1)), sha256Of(photo(5))];
    const [session] = JSON.parse(await host.claimlink('users', 'export', '--user', 'user-1')).sessions;
    t.match(session, { reference, extra: { photos: hashes } });
    await until(() => host.log().includes(`claim ${reference} was submitted, 2 of 2 photos`));
    const folder = `claims/${session.link.linkId}`;
    t.same(host.files(), hashes.map((hash) => `${folder}/${hash}.png`).sort());
    t.same(complaints, [], 'no error and no violation of the policy on the console');

    await host.claimlink('users', 'delete', '--user', 'user-1', '--yes');
    await until(() => host.files().length === 0);
    t.equal(await host.end(), 0, 'SIGTERM ends it');
  });

  t.test('a photo that was not stored is not part of the claim, and the page says why', async (t) => {
    const host = await startPhotoHost(t);
    const link = await host.createLink('user-1');
    const { page } = await newWatchedPage(t, browser, {}, /Failed to load resource/);
    await page.goto(host.origin + link.path);
    await page.getByLabel('When did it happen?').fill('2026-05-01');
    await page.getByLabel('What happened?').fill('A stone hit the windscreen.');
    const items = page.getByRole('list', { name: 'Photos' }).getByRole('listitem');
    const chooser = page.getByLabel('Photos of the damage');

    await page.route('**/photos/*', (route) => route.abort());
    await chooser.setInputFiles(file('one.png', photo(1)));
    await items.getByText('We could not store the photo. Remove it, and try again.').waitFor();
    await page.unroute('**/photos/*');
    await page.getByRole('button', { name: 'Remove one.png' }).click();
    await chooser.setInputFiles(file('one.png', photo(1)));
    await items.getByText('Stored').waitFor();

    const [{ linkId }] = JSON.parse(await host.claimlink('links', 'list', '--state', 'opened', '--json'));
    await host.claimlink('links', 'revoke', linkId);
    // Large enough that the browser is still sending when the host responds.
    await chooser.setInputFiles(file('two.png', Buffer.concat([photo(2), Buffer.alloc(8 * 1024 * 1024)])));
    await items.getByText('This link takes no more photos.').waitFor();
    await page.getByRole('button', { name: 'Send claim' }).click();
    await page.getByText('The link has been withdrawn').waitFor();
    await until(() => host.files().length === 0);
  });
}
