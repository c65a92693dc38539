// The standalone pages in WebKitGTK, which has the engine of Safari: from the question to the receipt, in a window and in a
// frame of another site.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { createNodeHandler } from '../../lib/adapters/node.js';
import { createClaimlink, createLinkSigner, createMemoryStorage, hashAccessCode } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { ar } from '../../lib/widget/locales/ar.js';
import { en } from '../../lib/widget/locales/en.js';
import { launchChromium } from '../browser/chromium.js';
import { COMPLETE_POLICY, startHost } from '../browser/host.js';
import { CORNERS, makePhoto, readPhoto } from '../browser/photo-files.js';
import { serve } from '../listen.js';
import { REPOSITORY } from '../repository.js';
import { poll } from './programs.js';
import { KEYS, startWebKit, type WebKit } from './webkit.js';

const PLATE = COMPLETE_POLICY.vehicle.licensePlate;
const SETTINGS = { recipientCheck: ['/policy/vehicle/licensePlate'] } as const;
const { fields, form, photos, problems, steps, success, check } = en;
const SAID = 'A stone hit the windscreen.';

const webkit = await startWebKit(t);

if (webkit !== undefined) {
  const host = await startHost(t);
  const asking = await startHost(t, {}, { settings: SETTINGS });
  const heading = (text: string) => webkit.shown('h1, h2', text);
  const press = async (text: string) => webkit.click(await webkit.shown('button', text));
  const next = (step: keyof typeof steps) => press(form.next.replace('{step}', steps[step].short));
  const answer = async (text: string) => {
    await webkit.fill(fields.licensePlate.label, text);
    await press(check.send);
  };

  t.test('the question: a wrong answer stays in its field, the right one opens the form', async (t) => {
    await webkit.open(await asking.mint());
    await heading(check.title);
    t.notMatch(await webkit.text(), /Lovelace|NW-2026/);
    await answer('AB12 CDF');
    await webkit.waitForText(
      check.wrong.replace('{label}', fields.licensePlate.label).replace('{count}', '4'),
    );
    t.equal(await webkit.value(fields.licensePlate.label), 'AB12 CDF');
    await answer(' ab12-cde');
    await heading(form.title);
    t.match(await webkit.text(), 'NW-2026-1', 'the prefill');
    await webkit.reload();
    await heading(form.title);
  });

  t.test('photos of each orientation arrive upright and without metadata', async (t) => {
    const chromium = await launchChromium(t);
    if (chromium === undefined) return;
    const studio = await chromium.newPage();
    const store = createMemoryPhotoStore();
    const settings = { form: { photos: { need: 'required' } } } as const;
    const withPhotos = await startHost(t, { photos: { store } }, { settings });
    const url = await withPhotos.mint({ initialStepKey: 'incident' });
    await webkit.open(url);
    await heading(steps.incident.title);
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const name = `IMG_${orientation}.jpg`;
      const { buffer } = await makePhoto(studio, name, { orientation, noise: orientation });
      await webkit.run(
        `const [name, base64] = arguments;
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], name, { type: 'image/jpeg' }));
        const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
        document.body.dispatchEvent(drop);`,
        name,
        buffer.toString('base64'),
      );
      await poll(`${name} is sent`, () =>
        webkit.run<boolean>(
          `return [...document.querySelectorAll('.photos li')].at(-1)?.innerText.includes(arguments[0])`,
          photos.noPlace,
        ),
      );
    }
    const linkId = hashAccessCode(/verify\/([^?]+)/.exec(url)?.[1] ?? '');
    const link = { clientId: 'acme', linkId };
    const entries = await store.list(link);
    t.equal(entries.length, 8);
    for (const { photoId } of entries) {
      const stored = await store.get({ ...link, photoId });
      const chunks = [];
      for await (const chunk of stored?.body ?? []) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      t.match(await readPhoto(studio, bytes), { width: 1200, height: 900, corners: CORNERS });
      t.notOk(bytes.includes('Exif'));
    }
  });

  t.test(
    'problems: the summary takes the focus, and a date that is not complete has a message',
    async (t) => {
      await webkit.open(await host.mint({ policy: {} }));
      await webkit.click(await webkit.field(fields.validFrom.label), 15);
      await webkit.press('1', '2', KEYS.tab);
      await next('incident');
      await heading(form.problemsTitle);
      const summary = await webkit.run<string[]>(
        'return [...document.activeElement.querySelectorAll("li")].map((item) => item.innerText.trim())',
      );
      t.same(summary, [
        fields.policyNumber.missing,
        problems.dateParts.replace('{label}', fields.validFrom.label),
        fields.validTo.missing,
        fields.licensePlate.missing,
      ]);
      await webkit.click(await webkit.shown('a', fields.licensePlate.missing));
      t.same(
        await webkit.run(
          'return arguments[0] === document.activeElement',
          await webkit.field(fields.licensePlate.label),
        ),
        true,
      );
    },
  );

  t.test('what was typed is there after a reload of the tab, and after another page in it', async (t) => {
    const url = await host.mint({ initialStepKey: 'incident' });
    await webkit.open(url);
    await webkit.fill(fields.description.label, SAID);
    await webkit.reload();
    await heading(steps.incident.title);
    t.equal(await webkit.value(fields.description.label), SAID);
    await webkit.open('about:blank');
    await webkit.open(url);
    await heading(steps.incident.title);
    t.equal(await webkit.value(fields.description.label), SAID);
  });

  t.test('with keepDraft device, a link that is opened in a new window has what was typed', async (t) => {
    const keeping = await startHost(t, {}, { settings: { keepDraft: 'device' } });
    const url = await keeping.mint({ initialStepKey: 'incident' });
    await webkit.open(url);
    await webkit.fill(fields.description.label, SAID);
    await webkit.openAnew(url);
    await heading(steps.incident.title);
    t.equal(await webkit.run('return sessionStorage.length'), 0, 'nothing of the tab');
    t.equal(await webkit.value(fields.description.label), SAID);
    t.match(await webkit.text(), en.device.note);
    await next('contact');
    await next('review');
    await press(form.send);
    await heading(success.title);
    t.equal(await webkit.run('return localStorage.length'), 0, 'the device has no text after the claim');
  });

  t.test('from the prefill to the receipt, which the link then shows', async (t) => {
    const url = await asking.mint();
    await webkit.open(url);
    await answer(PLATE);
    await sendClaim(webkit, t);
    const { sessions } = await asking.exportUser();
    t.match(sessions, [{ incident: { description: SAID } }]);
    const reference = await referenceIn(webkit);
    t.match(await webkit.text(), SAID);
    await webkit.open(url);
    await heading(success.title);
    t.equal(await referenceIn(webkit), reference);
    t.match(await webkit.text(), SAID, 'this browser has sent it');
  });

  t.test(
    'in a frame of another site, whose cookies are blocked: a reload asks again, and has what was typed',
    async (t) => {
      const { portal, url } = await startFramed(t);
      const open = async () => {
        await webkit.open(`${portal}/?frame=${encodeURIComponent(url)}`);
        await webkit.enterFrame();
      };
      t.teardown(() => webkit.leaveFrame());
      await open();
      await answer('AB12 CDF');
      await webkit.waitForText(
        check.wrong.replace('{label}', fields.licensePlate.label).replace('{count}', '4'),
      );
      await answer(PLATE);
      await heading(steps.policy.title);
      await next('incident');
      await webkit.fill(fields.description.label, 'From the frame.');
      await webkit.leaveFrame();
      await open();
      await heading(check.title);
      await answer(PLATE);
      await heading(steps.policy.title);
      await next('incident');
      t.equal(await webkit.value(fields.description.label), 'From the frame.');
      await press(form.back);
      await sendClaim(webkit, t);
      t.match(await webkit.text(), SAID);
    },
  );

  t.test(
    'a page in Arabic has the parts of a date in the order of a date: the month is on the left',
    async (t) => {
      const label = ar.fields.incidentDate.label;
      await webkit.open(`${await host.mint({ initialStepKey: 'incident' })}&lang=ar`);
      t.equal(await webkit.run('return document.dir'), 'rtl');
      const input = await webkit.field(label);
      const width = await webkit.run<number>('return arguments[0].clientWidth', input);
      // What a click hits, from left to right: a key then changes this part.
      const hits: string[] = [];
      for (let x = 10; x < width; x += 10) {
        await webkit.run('arguments[0].value = "2026-11-20"', input);
        await webkit.click(input, x);
        await webkit.press('0', '7');
        const [, month, day] = (await webkit.value(label)).split('-');
        hits.push(month === '07' ? 'month' : day === '07' ? 'day' : 'year');
      }
      t.equal(hits[0], 'month');
      t.ok(
        hits.indexOf('month') < hits.indexOf('day') && hits.indexOf('day') < hits.indexOf('year'),
        hits.join(' '),
      );
    },
  );

  /** Goes from the form to the receipt, with a description. */
  async function sendClaim(webkit: WebKit, t: Test): Promise<void> {
    await heading(steps.policy.title);
    await next('incident');
    await heading(steps.incident.title);
    await webkit.fill(fields.description.label, SAID);
    await next('contact');
    await heading(steps.contact.title);
    t.equal(await webkit.value(fields.firstName.label), 'Ada');
    await next('review');
    await heading(steps.review.title);
    await press(form.send);
    await heading(success.title);
  }
}

/** The reference that the page shows. */
async function referenceIn(webkit: WebKit): Promise<string> {
  return /S-[0-9A-Z.]+/.exec(await webkit.text())?.[0] ?? 'none';
}

/** Starts a service with TLS, and the page of another site, without, that shows a link of it in a frame. */
async function startFramed(t: Test): Promise<{ portal: string; url: string }> {
  const tls = (name: string) => readFileSync(new URL(`test/mock-server/tls/${name}.pem`, REPOSITORY));
  let handler: Parameters<typeof createServer>[1];
  const server = createServer({ cert: tls('cert'), key: tls('key') }, (req, res) => handler?.(req, res));
  await serve(t, server as never);
  const publicUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const loopback = await serve(t, (req, res) => {
    const frame = new URL(req.url ?? '', 'http://portal').searchParams.get('frame') ?? '';
    res.setHeader('content-type', 'text/html');
    res.end(
      `<!doctype html><title>Portal</title><iframe width="900" height="900" src="${frame.replaceAll('&', '&amp;')}"></iframe>`,
    );
  });
  const portal = loopback.replace('127.0.0.1', 'localhost');
  const claimlink = createClaimlink({
    storage: createMemoryStorage({
      clients: [{ clientId: 'acme', settings: SETTINGS, frameAncestors: [portal] }],
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
  return { portal, url };
}
