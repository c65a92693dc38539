// The pages in other languages, in Chromium: every text is shown, none in another language, and 320 px are enough.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { CLAIM_FIELDS, needOf } from '../../lib/core/claim-fields.js';
import { ERRORS, type ErrorCode, REQUEST_RULES } from '../../lib/core/errors.js';
import { DECLINE_REASONS } from '../../lib/core/types.js';
import type { ChangedView, ClientForm, FormView, PageView, Problem } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { createStandaloneWidget, type TextChanges } from '../../lib/widget/index.js';
import { en } from '../../lib/widget/locales/en.js';
import { createLanguages } from '../../lib/widget/locales/languages.js';
import { sized } from '../size.js';
import { launchChromium } from './chromium.js';
import { COMPLETE_POLICY, EVERY_PART, startHost } from './host.js';
import { type Check, openPage, walkPages } from './page-walk.js';
import { makePhoto } from './photo-files.js';

/** A pseudo-language: English in brackets, with every vowel twice, which makes it about 40 % longer. */
const PSEUDO = 'en-XA';
const pseudoTexts = lengthen(en) as TextChanges;

/** What the pages show besides their own texts. */
const DATA = [
  'Acme <Insurance>',
  'help@acme.example',
  'acme.example/help',
  '+49 30 5678',
  '127.0.0.1',
  '0.1 MB',
  ...Object.values(COMPLETE_POLICY.holder),
  'ada@example',
  COMPLETE_POLICY.provider,
  COMPLETE_POLICY.number,
  COMPLETE_POLICY.vehicle.licensePlate,
];

/** Attributes that a user sees or hears. */
const TEXT_ATTRIBUTES = ['aria-label', 'aria-description', 'title', 'placeholder', 'alt'];

/** Where a problem can be: a field, the list of contacts, or no field. */
const ASKED = CLAIM_FIELDS.filter((pointer) => needOf(undefined, pointer) !== 'hidden');
const FIELDS = ASKED.filter((pointer) => pointer !== '/policy/linkedContacts');
const POINTERS = [...ASKED, ''];

/** A client that asks for everything. */
const FORM: ClientForm = {
  fields: Object.fromEntries(CLAIM_FIELDS.map((pointer) => [pointer, 'required'])),
  incidentTypes: [{ key: 'a', texts: { en: '1' } }],
  questions: [{ key: 'q', step: 'incident', kind: 'boolean', texts: { en: { label: '2' } } }],
  contacts: 'email_or_phone',
};

/** Returns the view of the form of this client, with problems. */
function formView(view: PageView, problems: readonly Problem[]): FormView {
  return {
    ...view,
    problems,
    now: new Date(0),
    latestIncidentDate: '2026-01-01',
    fields: new URLSearchParams({ '/policy/linkedContacts/0/firstName': '3' }),
    link: {
      linkId: 'a1',
      clientId: 'acme',
      userId: 'user-1',
      callbackUrl: 'https://acme.example',
      callbackOnSubmit: false,
      config: { contact: { email: 'help@acme.example', phone: '+49 30 5678' }, currentUserId: 'user-1' },
      openedAt: new Date(0),
      expiresAt: new Date('2030-01-01'),
      settings: { form: FORM },
    },
  };
}

/** Answers of the server that together have every rule, and a missing value of every field. The page shows one problem of a field. */
const REJECTIONS = [
  POINTERS.map((pointer) => ({ pointer, rule: 'required' })),
  ...Array.from({ length: Math.ceil(REQUEST_RULES.length / FIELDS.length) }, (_, turn) =>
    FIELDS.map((pointer, index, { length }) => ({
      pointer,
      rule: REQUEST_RULES[turn * length + index] ?? 'other',
    })),
  ),
];

function lengthen(value: unknown): unknown {
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value ?? {}).map(([name, text]) => [name, lengthen(text)]));
  }
  const text = String(value).replaceAll(/\{\w+\}|[aeiou]/g, (part) =>
    part.startsWith('{') ? part : part.repeat(2),
  );
  return `[${text}]`;
}

function stringsIn(value: unknown): string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object).flatMap(stringsIn);
}

/** Reads every text that a user sees or hears: text nodes, accessible names and the title. */
async function readTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (!parentElement.closest('script, style, template, [translate=no]')) texts.push(textContent.trim());
    }
    for (const element of document.querySelectorAll('body *')) {
      if (element.closest('template')) continue;
      for (const name of ${JSON.stringify(TEXT_ATTRIBUTES)}) texts.push(element.getAttribute(name) ?? '');
    }
    return texts.filter((text) => /\\p{L}/u.test(text));
  })()`);
}

const browser = await launchChromium(t);
if (browser !== undefined) {
  const widget = createStandaloneWidget({ locales: { [PSEUDO]: pseudoTexts } });
  const branding = { supportUrl: 'https://acme.example/help', imprintUrl: 'https://acme.example/imprint' };
  const host = await startHost(t, { ...EVERY_PART.options, widget }, { ...EVERY_PART.client, branding });
  const confirming = await startHost(
    t,
    { widget },
    { settings: { form: { noticeConfirmation: true, emailSuggestion: true } } },
  );

  const withPhotos = await startHost(
    t,
    { widget, photos: { store: createMemoryPhotoStore() } },
    { settings: { form: { photos: { need: 'required', most: 9 } } } },
  );

  const declinable = await startHost(t, { widget }, { settings: { allowDecline: true } });

  /** Shows every text of photos. The names of the photos have no letter. */
  const walkPhotos = async (t: Test, options: Parameters<typeof openPage>[3], check: Check) => {
    const url = await withPhotos.mint({ initialStepKey: 'incident' });
    const page = await openPage(t, browser, url, options);
    const next = () => page.locator('section[data-current] [data-next]').click();
    const row = (name: number) =>
      page.locator('.photos li').filter({ has: page.getByText(`${name}`, { exact: true }) });
    const choose = async (name: number) =>
      page
        .locator('.photos [type=file]')
        .setInputFiles(await makePhoto(page, `${name}`, { width: 100 + name }));
    await next();
    await page.locator('#problem-list li').first().waitFor();
    await check(page, 'no photo');
    for (const status of [409, 410, 413, 415, 429]) {
      const headers = { 'retry-after': '0' };
      await page.route('**/photos/**', (route) => route.fulfill({ status, headers, json: {} }));
      await choose(status);
      await row(status).locator('.missing').waitFor();
      await page.unroute('**/photos/**');
    }
    await choose(1);
    await row(1).locator('progress').waitFor({ state: 'hidden' });
    await check(page, 'photos that were sent and rejected');
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/photos/**', (route) => released.then(() => route.fallback()), { times: 1 });
    await choose(2);
    await row(2).locator('progress').waitFor();
    await next();
    await next();
    await page.locator('#send').click();
    await page.locator('#slow:not(:empty)').waitFor();
    await check(page, 'a claim that waits for a photo');
    release();
    await page.locator('#slow').filter({ hasText: '409' }).waitFor();
    await check(page, 'photos that are missing in the claim');
    await page.route('**/photos?**', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.reload();
    await page.locator('.photos .hint:not(:empty)').last().waitFor({ state: 'attached' });
    await check(page, 'photos that cannot be shown');
    const other = await openPage(t, browser, url, options);
    await other.locator('.photos li').nth(1).waitFor({ state: 'attached' });
    await check(other, 'photos of another device');
    await page.locator('#send').click();
    await page.locator('#slow:not(:empty)').waitFor();
    await page.locator('#send').click();
    await page.locator('.success').waitFor();
    await check(page, 'the receipt of a claim with photos');
  };

  /** Goes the whole way in a language at the width of a small phone, then through every message and explanation. */
  const walk = async (t: Test, locale: string, check: Check) => {
    const options = { locale, viewport: { width: 320, height: 640 } };
    await walkPages(t, browser, host, options, check);
    // Their texts come from the same tables in each language.
    if (locale === PSEUDO) await walkPhotos(t, options, check);

    const missing = await openPage(
      t,
      browser,
      await host.mint({ policy: {}, initialStepKey: 'review' }),
      options,
    );
    await check(missing, 'review of missing values');

    const unconfirmed = await openPage(
      t,
      browser,
      await confirming.mint({ initialStepKey: 'review' }),
      options,
    );
    await unconfirmed.locator('#send').click();
    await unconfirmed.locator('#problems').waitFor();
    await check(unconfirmed, 'review without a confirmation');

    const mistyped = await openPage(
      t,
      browser,
      await confirming.mint({ initialStepKey: 'contact' }),
      options,
    );
    await mistyped.locator('[name="/policy/holder/email"]').fill('ada@gmial.com');
    await mistyped.locator('[name="/policy/holder/phone"]').click();
    await mistyped.getByRole('button', { name: 'ada@gmail.com' }).waitFor();
    await check(mistyped, 'an address that looks like a typing error');

    const declining = await openPage(t, browser, await declinable.mint(), options);
    await declining.locator('.decline summary').click();
    await check(declining, 'decline');
    await declining.locator('.decline button').click();
    await check(declining, 'decline without a reason');

    const page = await openPage(t, browser, await host.mint(), options);
    t.equal(await page.evaluate('document.documentElement.lang'), locale);
    await page.clock.install();
    await page.addInitScript(
      'Object.assign(navigator, { canShare: () => true, share: () => Promise.reject(new Error()) })',
    );
    await page.reload();
    const send = async () => {
      for (let step = 0; step < 3; step++) await page.locator('section[data-current] [data-next]').click();
      await page.locator('#send').click();
    };
    for (const errors of REJECTIONS) {
      const body = JSON.stringify({ type: 'urn:claimlink:problem:request_invalid', errors });
      await page.route('**/verify/**', (route) => route.fulfill({ status: 400, body }), { times: 1 });
      await send();
      await page.locator('#problems').waitFor();
      await check(page, `problems: ${body}`);
    }
    await page.evaluate(`(() => {
      const field = document.getElementsByName('/incident/description')[0];
      field.value = 'x'.repeat(3900);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await check(page, 'a count');
    let endRequest = () => {};
    const requestHasEnded = new Promise<void>((resolve) => {
      endRequest = resolve;
    });
    await page.route('**/verify/**', (route) => requestHasEnded.then(() => route.abort()), { times: 1 });
    await send();
    await page.clock.runFor(8_000);
    await page.locator('#slow:not(:empty)').waitFor();
    await check(page, 'slow');
    endRequest();
    await page.locator('#failure').waitFor();
    // A navigation that is aborted leaves the page unchanged.
    await page.route(`${host.callbackOrigin}/**`, (route) => route.abort('aborted'));
    await page.locator('#send').click();
    await page.locator('[data-stay]').waitFor();
    await page.clock.runFor(61_000);
    await page.locator('[data-onward-status]:not(:empty)').waitFor();
    await check(page, 'going on');
    await page.locator('[data-share]').click();
    await page.locator('[data-result-status]:not(:empty)').waitFor();
    await check(page, 'a receipt that cannot be shared');

    const view = { nonce: '', policy: '', locale };
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      await page.setContent(widget.renderUnavailable({ ...view, code, status: 500, instance: 'R-1' }).html);
      await check(page, code);
    }
    for (const end of [
      { code: 'link_revoked', declined: 'other' },
      { code: 'link_expired', renewal: 'offered' },
      { code: 'link_expired', renewal: 'requested' },
    ] as const) {
      await page.setContent(widget.renderUnavailable({ ...view, status: 200, ...end }).html);
      await check(page, JSON.stringify(end));
    }
    const contact = { email: 'help@acme.example', phone: '+49 30 5678' };
    const fields = new URLSearchParams({ '/policy/number': '1' });
    for (const more of [
      {},
      { problem: 'missing' },
      { problem: 'wrong', attemptsLeft: 2 },
      { problem: 'cookies' },
      { fields },
    ] as const) {
      const declineReasons = DECLINE_REASONS;
      const question = { ...view, ...more, declineReasons, member: '/policy/holder/phone', contact } as const;
      await page.setContent(widget.renderCheck(question).html);
      await check(page, `question ${JSON.stringify(more)}`);
    }
    for (const kind of ['text', 'date'] as const) {
      const texts = { [locale]: { label: '1?', hint: '2' } };
      const asked = { ...view, problem: 'missing', question: { id: 'a', kind, texts }, contact } as const;
      await page.setContent(widget.renderCheck(asked).html);
      await check(page, `question of a host, ${kind}`);
    }
    for (const code of ['link_locked', 'link_expired'] as const) {
      await page.setContent(widget.renderUnavailable({ ...view, code, status: 410, fields, contact }).html);
      await check(page, `${code} with a text and a contact`);
    }
    const ended = { ...view, code: 'link_expired', status: 410, linkId: 'a1' } as const;
    await page.setContent(widget.renderUnavailable(ended).html);
    // The script of the page shows the template.
    await page.evaluate("document.body.append(document.getElementById('entered-template').content)");
    await check(page, 'the text that an ended page shows');
    const stored = { policy: { number: '2' }, incident: {} } as unknown as ChangedView['claim'];
    const changed = { ...view, reference: 'R-1', submittedAt: new Date(0), fields, contact };
    await page.setContent(widget.renderChanged({ ...changed, ...(stored && { claim: stored }) }).html);
    await check(page, 'a claim that differs');
    const { link: unhurried, ...formOf } = formView(view, []);
    const form = { ...FORM, emergency: { first: true } };
    await page.setContent(widget.renderForm({ ...formOf, link: { ...unhurried, settings: { form } } }).html);
    await check(page, 'an emergency number');
    await page.setContent(widget.renderForm({ ...formView(view, []), qrCode: '<svg></svg>' }).html);
    await check(page, 'continue on a phone');
    const renewing = { ...unhurried, config: { ...unhurried.config, renews: 'b2' } };
    const deviceDraft = { clientId: 'acme', isShown: true };
    await page.setContent(widget.renderForm({ ...formOf, link: renewing, deviceDraft }).html);
    await page.evaluate(
      "for (const note of document.querySelectorAll('#claim ~ [hidden]')) note.hidden = false",
    );
    await page.evaluate("document.getElementById('device').open = true");
    await check(page, 'a text on the device');
    // The policy of the page before blocks the scripts.
    const ending = formView(view, []);
    const link = { ...ending.link, expiresAt: new Date(ending.now.getTime() + 1) };
    await page.setContent(widget.renderForm({ ...ending, link }).html);
    await check(page, 'the end of the link without JavaScript');

    const submittedAt = new Date(0);
    const success = widget.renderSuccess({
      ...view,
      reference: 'R-1',
      submittedAt,
      contact,
      redirectUrl: 'app:done',
    });
    await page.setContent(success.html);
    await check(page, 'success, back to an app');
    for (const rule of ['required', 'time', 'incomplete']) {
      const problems = [...CLAIM_FIELDS, '/policy/linkedContacts/0/email', '/incident/answers/q'].map(
        (pointer) => ({
          pointer,
          rule,
          detail: '',
        }),
      );
      await page.setContent(widget.renderForm(formView(view, problems)).html);
      await check(page, `every field, ${rule}`);
    }
  };

  t.test('in a pseudo-language every text is one of the language, and 320 px are enough', async (t) => {
    const shown = new Set<string>();
    await walk(t, PSEUDO, async (page, state) => {
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      t.ok(width <= 320, `${state}: ${width} px wide`);
      const texts = await readTexts(page);
      // A sentence with a link is in several text nodes.
      for (const text of [...texts, await page.innerText('body')]) shown.add(text);
      t.same(
        texts.filter((text) => !isOwnValue(text) && /\p{L}/u.test(withoutPseudoTexts(text))),
        [],
        `${state}: every text is translated`,
      );
    });
    const allShown = [...shown].join('\n');
    t.same(
      stringsIn(pseudoTexts).filter((text) => !patternOf(text).test(allShown)),
      [],
      'the way shows every text',
    );
  });

  // The pseudo-language finds the same mistakes in the pages; these find those in the texts.
  for (const locale of sized(['ar'], ['ar'], ['de', 'fr', 'ar'])) {
    const { texts } = createLanguages().find(locale);
    const translated = new Set(stringsIn(texts));
    const findEnglish = englishFinder(translated);

    t.test(`with Accept-Language: ${locale} no page has English text, and 320 px are enough`, async (t) => {
      await walk(t, locale, async (page, state) => {
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        t.ok(width <= 320, `${state}: ${width} px wide`);
        const shown = await readTexts(page);
        t.ok(
          shown.some((text) => translated.has(text)),
          `${state}: texts of the language are shown`,
        );
        t.same(findEnglish(shown), [], `${state}: no English text`);
      });
    });
  }

  t.test('the comparison finds a short and a long text that a language leaves in English', async (t) => {
    const { form } = en;
    const { texts } = createLanguages().find('de');
    const leftInEnglish = createStandaloneWidget({
      locales: { de: { form: { back: form.back, incidentHint: form.incidentHint } } },
    });
    const other = await startHost(t, { widget: leftInEnglish });
    const page = await openPage(t, browser, await other.mint(), { locale: 'de' });
    const findEnglish = englishFinder(new Set(stringsIn(texts)));
    t.same(new Set(findEnglish(await readTexts(page))), new Set([form.back, form.incidentHint]));
  });
}

/** Returns a function that finds the texts with a part of an English text that the language does not share. */
function englishFinder(translated: ReadonlySet<string>): (shown: readonly string[]) => string[] {
  const parts = stringsIn(en)
    .filter((text) => !translated.has(text))
    .flatMap((text) => text.split(/\{\w+\}/))
    .map((part) => part.trim())
    .filter((part) => /\p{L}/u.test(part));
  const short = new Set(parts.filter((part) => part.length <= 4));
  const long = parts
    .filter((part) => part.length > 4)
    .map((part) => new RegExp(`(?<!\\p{L})${escapePattern(part)}(?!\\p{L})`, 'u'));
  return (shown) => shown.filter((text) => short.has(text) || long.some((part) => part.test(text)));
}

/** Returns a pattern for a text whose placeholders have values. */
function patternOf(text: string): RegExp {
  return new RegExp(
    text
      .split(/\{\w+\}/)
      .map(escapePattern)
      .join('.+'),
    'u',
  );
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.?()[\]]/g, '\\$&');
}

/** Removes data and texts in brackets. The privacy note is in two parts, so a bracket may stay open. */
function withoutPseudoTexts(text: string): string {
  let rest = DATA.reduce((others, value) => others.replaceAll(value, ''), text);
  for (let before = ''; before !== rest; ) {
    before = rest;
    // A text with a link or a time in it is in several text nodes: it ends in another one than it begins in.
    rest = rest.replaceAll(/(?:\[|^)[^[\]]*\]|\[[^[\]]*$/g, '');
  }
  return rest;
}

/** Values that the review shows: names together, dates and references. */
function isOwnValue(text: string): boolean {
  return /^(?:A B|at|\p{L}+ \d{1,2}, \d{4}(?: at .* UTC)?|[A-Z]+-[A-Z0-9]+)$/u.test(text);
}
