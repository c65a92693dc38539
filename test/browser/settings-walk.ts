// The states of the standalone pages that a setting of the client adds.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import type { ClientForm } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { startHost } from './host.js';
import { type Check, openPage } from './page-walk.js';
import { makePhoto } from './photo-files.js';
import { embed, frameOf, startPortal } from './portal.js';

const HOUR_MS = 3_600_000;
const LOGO_ORIGIN = 'https://logo.example';
/** A logo of 40 px. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40" rx="8" fill="#7a1f5c"/>
<path d="M16 28 30 10l14 18M56 14h48M56 24h32" stroke="#fff" stroke-width="4" fill="none"/></svg>`;

const FORM: ClientForm = {
  emergency: { phone: '112', first: true },
  noticeConfirmation: true,
  questions: [
    {
      key: 'part',
      step: 'incident',
      kind: 'choice',
      required: true,
      texts: { en: { label: 'What is damaged?' }, de: { label: 'Was ist beschädigt?' } },
      options: [
        { key: 'front', texts: { en: 'Front', de: 'Vorne' } },
        { key: 'side', texts: { en: 'Side', de: 'Seite' } },
        { key: 'rear', texts: { en: 'Rear', de: 'Hinten' } },
      ],
    },
    {
      key: 'drives',
      step: 'incident',
      kind: 'boolean',
      texts: {
        en: { label: 'Can the car still be driven?' },
        de: { label: 'Ist das Auto noch fahrbereit?' },
      },
    },
  ],
  texts: {
    en: {
      introduction: 'Tell us about your car. We call you within one working day.',
      nextSteps: 'We call you tomorrow and name a garage near you.',
      policyNumber: 'It is on the green card in the glove box.',
      renewal: 'The new link comes by SMS within an hour.',
    },
    de: {
      introduction: 'Berichten Sie uns von Ihrem Auto. Wir rufen Sie innerhalb eines Werktags an.',
      nextSteps: 'Wir rufen Sie morgen an und nennen eine Werkstatt in Ihrer Nähe.',
      policyNumber: 'Sie steht auf der grünen Karte im Handschuhfach.',
      renewal: 'Der neue Link kommt innerhalb einer Stunde per SMS.',
    },
  },
};

/** Calls the check in every state that comes from settings: a brand, a form of the client, a question, and a frame. */
export async function walkSettings(
  t: Test,
  browser: Browser,
  options: BrowserContextOptions,
  check: Check,
): Promise<void> {
  const open = async (url: string) => {
    const page = await openPage(t, browser, 'about:blank', options);
    await page.route(`${LOGO_ORIGIN}/**`, (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: LOGO }),
    );
    await page.goto(url);
    return page;
  };
  await walkForm(t, open, check);
  await walkQuestion(t, open, check);
  await walkPhotos(t, open, check);

  const portal = await startPortal(t);
  const host = await startHost(t, {}, { frameAncestors: [portal.origin] });
  portal.allowFrames(new URL(await host.mint()).origin);
  for (const compact of [undefined, true] as const) {
    const page = await open(portal.origin);
    await embed(page, await host.mint({ policy: {} }), compact && { compact });
    await frameOf(page).locator('[data-ready] #claim').waitFor();
    await check(page, compact ? 'a compact form in a frame' : 'a form in a frame');
  }
}

async function walkForm(t: Test, open: (url: string) => Promise<Page>, check: Check): Promise<void> {
  const host = await startHost(
    t,
    {},
    {
      branding: {
        displayName: 'Nordlicht Versicherungsverein',
        logoUrl: `${LOGO_ORIGIN}/logo.svg`,
        primaryColor: '#7a1f5c',
        supportUrl: 'https://nordlicht.example/help',
        imprintUrl: 'https://nordlicht.example/imprint',
      },
      settings: { form: FORM, continueOnPhone: true },
    },
  );
  await check(await open(await host.mint({ policy: {} })), 'the form of a client');
  const url = await host.mint({ initialStepKey: 'incident' });
  const page = await open(url);
  await check(page, 'questions of a client');
  const next = page.locator('section[data-current] [data-next]');
  await next.click();
  await page.locator('#problem-list li').first().waitFor();
  await check(page, 'a question without an answer');
  await answer(page, '/incident/answers/part', 'front');
  await answer(page, '/incident/injured', 'true');
  await next.click();
  await next.click();
  await page.locator('#review dl').first().waitFor();
  await check(page, 'a review with a notice to confirm');
  await page.locator('[name="/noticeAccepted"]').check();
  await page.locator('#send').click();
  await page.locator('.success').waitFor();
  await check(page, 'the receipt of a client');
  host.advance(23 * HOUR_MS + HOUR_MS / 3);
  await check(await open(url), 'the receipt, later');
}

async function walkQuestion(t: Test, open: (url: string) => Promise<Page>, check: Check): Promise<void> {
  const recipientCheck = ['/policy/vehicle/licensePlate'] as const;
  const host = await startHost(t, {}, { settings: { recipientCheck } });
  const url = await host.mint();
  const page = await open(url);
  await check(page, 'the question to the recipient');
  for (const text of ['', 'wrong', 'wrong', 'wrong', 'wrong', 'wrong']) {
    await page.locator('main form [type="text"]').fill(text);
    await page.locator('main form .primary').click();
    if (text === '') await check(page, 'a question without an answer of the recipient');
  }
  await page.goto(url);
  await check(page, 'a locked link');
}

async function walkPhotos(t: Test, open: (url: string) => Promise<Page>, check: Check): Promise<void> {
  const host = await startHost(
    t,
    { photos: { store: createMemoryPhotoStore() } },
    { settings: { form: { photos: { need: 'required', most: 4 } }, continueOnPhone: true } },
  );
  const page = await open(await host.mint({ initialStepKey: 'incident' }));
  const next = () => page.locator('section[data-current] [data-next]').click();
  const rows = page.locator('.photos li');
  const choose = async (name: string, options?: Parameters<typeof makePhoto>[2]) =>
    page.locator('.photos [type=file]').setInputFiles(await makePhoto(page, name, options));
  await next();
  await page.locator('#problem-list li').first().waitFor();
  await check(page, 'no photo');
  await choose('IMG_0412.jpg', { orientation: 6 });
  await page.locator('.photos progress').waitFor({ state: 'hidden' });
  await page.route('**/photos/**', (route) => route.fulfill({ status: 409, json: {} }), { times: 1 });
  await choose('The bumper at the back, from the left, seen from the pavement.jpg', {
    width: 900,
    height: 1200,
  });
  await rows.nth(1).locator('.missing').waitFor();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/photos/**', (route) => released.then(() => route.fallback()), { times: 1 });
  await choose('IMG_0413.jpg', { noise: 1 });
  await rows.nth(2).locator('progress').waitFor();
  await check(page, 'photos that were sent, rejected and that are on their way');
  await next();
  await next();
  await page.locator('#send').click();
  await page.locator('#slow:not(:empty)').waitFor();
  await check(page, 'a claim that waits for a photo');
  release();
  await page.locator('#slow').filter({ hasText: 'The bumper' }).waitFor();
  await check(page, 'a photo that is missing in the claim');
  await page.reload();
  await page.locator('[data-back]:visible').click();
  await page.locator('[data-back]:visible').click();
  await rows.nth(2).waitFor();
  await check(page, 'photos after a reload');
  await next();
  await next();
  await page.locator('#send').click();
  await page.locator('#send').click();
  await page.locator('.success').waitFor();
  await check(page, 'the receipt with photos');
}

/** Answers a choice, which has one control or one for each answer. */
async function answer(page: Page, pointer: string, value: string): Promise<void> {
  const control = page.locator(`[name="${pointer}"]`);
  if ((await control.count()) > 1) await page.locator(`[name="${pointer}"][value="${value}"]`).check();
  else await control.selectOption(value);
}
