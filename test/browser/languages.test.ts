// The pages in other languages: the whole way has no text of another language, and fits 320 px.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { createStandaloneWidget, type TextChanges } from '../../lib/widget/index.js';
import { en } from '../../lib/widget/locales/en.js';
import { createLanguages } from '../../lib/widget/locales/languages.js';
import { sized } from '../size.js';
import { launchEngines } from './engines.js';
import { COMPLETE_POLICY, startHost } from './host.js';

/** A pseudo-language: English in brackets, with every vowel twice, which makes it about 40 % longer. */
const PSEUDO = 'en-XA';
const pseudoTexts = lengthen(en) as TextChanges;

/** What the pages show besides their own texts. */
const DATA = [
  'Acme <Insurance>',
  'help@',
  'acme.example',
  '/help',
  '+49 30 5678',
  '127.0.0.1',
  ...Object.values(COMPLETE_POLICY.holder),
  COMPLETE_POLICY.provider,
  COMPLETE_POLICY.number,
  COMPLETE_POLICY.vehicle.licensePlate,
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
      if (!parentElement.closest('script, style, template')) texts.push(textContent.trim());
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder]')) {
      if (!element.closest('template')) texts.push(element.ariaLabel ?? '');
    }
    return texts.filter((text) => /\\p{L}/u.test(text));
  })()`);
}

const engines = await launchEngines(t);
const widget = createStandaloneWidget({ locales: { [PSEUDO]: pseudoTexts } });
const host = await startHost(t, { widget });
for (const engine of engines) {
  /** Opens a page in a language, at the width of a small phone. */
  const open = async (t: Test, locale: string, url: string) => {
    const context = await engine.newContext({ locale, viewport: { width: 320, height: 640 } });
    t.teardown(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(url);
    return page;
  };

  /** Goes the whole way and calls `check` for each state of the pages. */
  const walk = async (t: Test, locale: string, check: (page: Page, state: string) => Promise<void>) => {
    const empty = await open(t, locale, await host.mint({ policy: {} }));
    await empty.locator('section[data-current] [data-next]').click();
    await empty.locator('#problem-list li').first().waitFor();
    await check(empty, 'missing values');

    const long = { ...COMPLETE_POLICY, linkedContacts: [{ firstName: 'A', lastName: 'B', email: 'at' }] };
    const url = await host.mint({ policy: long });
    const page = await open(t, locale, url);
    t.equal(await page.evaluate('document.documentElement.lang'), locale);
    for (const step of ['policy', 'incident', 'contact']) {
      const current = page.locator(`section[data-step="${step}"][data-current]`);
      await current.waitFor();
      await check(page, step);
      await current.locator('[data-next]').click();
    }
    await page.locator('#problem-list li').first().waitFor();
    await check(page, 'a value that is not an address');
    await page.locator('[data-remove]').first().click();
    await check(page, 'a person removed');
    await page.locator('section[data-current] [data-next]').click();
    await page.locator('#review dl').first().waitFor();
    await check(page, 'review');
    await page.locator('#send').click();
    await page.locator('[data-stay]').click();
    await check(page, 'success');
    await page.goto(url);
    await page.locator('.unavailable').waitFor();
    await check(page, 'submitted already');
    await page.goto(url.replace(/token=.*/, 'token=none'));
    await check(page, 'unknown link');
  };

  t.test(
    `in a pseudo-language every text comes from the texts of the language, and 320 px are enough${engine.suffix}`,
    async (t) => {
      await walk(t, PSEUDO, async (page, state) => {
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        t.ok(width <= 320, `${state}: ${width} px wide`);
        const foreign = (await readTexts(page)).filter(
          (text) => !text.includes('[') && !DATA.some((value) => text.includes(value)) && !isOwnValue(text),
        );
        t.same(foreign, [], `${state}: every text is translated`);
      });
    },
  );

  for (const locale of engine.name === 'Firefox' ? [] : sized(['de', 'fr'], ['de'])) {
    const { texts } = createLanguages().find(locale);
    const translated = new Set(stringsIn(texts));
    /** The constant parts of the English texts that this language does not share. */
    const english = stringsIn(en)
      .filter((text) => !translated.has(text))
      .flatMap((text) => text.split(/\{\w+\}/))
      .map((part) => part.trim())
      .filter((part) => part.length > 4)
      .map((part) => new RegExp(`(?<!\\p{L})${part.replaceAll(/[.?()]/g, '\\$&')}(?!\\p{L})`, 'u'));

    t.test(
      `with Accept-Language: ${locale} the whole way has no English text, and 320 px are enough`,
      async (t) => {
        await walk(t, locale, async (page, state) => {
          const width = await page.evaluate<number>('document.documentElement.scrollWidth');
          t.ok(width <= 320, `${state}: ${width} px wide`);
          const shown = await readTexts(page);
          t.ok(
            shown.some((text) => translated.has(text)),
            `${state}: texts of the language are shown`,
          );
          t.same(
            shown.filter((text) => english.some((part) => part.test(text))),
            [],
            `${state}: no English text`,
          );
        });
      },
    );
  }
}

/** Values that the review shows: names together, dates and references. */
function isOwnValue(text: string): boolean {
  return /^(?:A B, at|\p{L}+ \d{1,2}, \d{4} at .*|\p{L}+ \d{1,2}, \d{4}|[A-Z]+-[A-Z0-9]+)$/u.test(text);
}
