// A phone in one hand: where things stand on it, in each language. 390 x 664 px is what Safari shows of an iPhone.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { createLanguages } from '../../lib/widget/locales/languages.js';
import { fillIn } from '../../lib/widget/locales/texts.js';
import { sized } from '../size.js';
import { launchChromium } from './chromium.js';
import { startHost } from './host.js';
import { skipsShortRun } from './launch.js';
import { openPage, STILL } from './page-walk.js';

const PHONE = { width: 390, height: 664 };
const LOGO_URL = 'https://logo.example/logo.svg';
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40"/></svg>';

/** Where things stand in the step that a page shows, in pixels from its top. */
interface Places {
  step: string;
  heading: number;
  control: number;
  /** End of the button that leads on. */
  end: number;
  /** Number of lines that the answers of each question by radio buttons take. */
  lines: number[];
  scrolled: number;
  /** The list of languages stands before the form. */
  isLanguageFirst: boolean;
  /** The number of the contact stands beside the heading of the help. */
  isHelpOneLine: boolean;
  progress: string;
}

const READ_PLACES = `(() => {
  const step = document.querySelector('section[data-current]');
  const isShown = (element) => element.checkVisibility();
  const top = (element) => Math.round(element.getBoundingClientRect().top);
  const controls = [...step.querySelectorAll('input:not([type=hidden]), select, textarea, button')].filter(isShown);
  const [onward] = [...step.querySelectorAll('[data-next], [type=submit]')].filter(isShown);
  const language = document.querySelector('.lang > summary');
  const [help, number] = ['.help h2', '.help a'].map((selector) => document.querySelector(selector).getBoundingClientRect());
  return {
    step: step.dataset.step,
    heading: top(step.querySelector('h2')),
    control: top(controls[0]),
    end: Math.round(onward.getBoundingClientRect().bottom),
    lines: [...step.querySelectorAll('.options')].filter(isShown).map(({ children }) => new Set([...children].map(top)).size),
    scrolled: scrollY,
    isLanguageFirst: top(language) < top(step) && Boolean(language.compareDocumentPosition(step) & 4),
    isHelpOneLine: number.top < help.bottom && help.top < number.bottom,
    progress: [...document.querySelectorAll('.progress, .step-number')].filter(isShown).map(({ innerText }) => innerText).join(),
  };
})()`;

/** Answers what the shown step needs. */
const ANSWER = `(() => {
  const answers = { date: '2026-01-01', email: 'ada@example.com', tel: '+44 7700 900123' };
  for (const input of document.querySelectorAll('section[data-current] [aria-required=true]')) {
    if (input.type === 'radio') input.checked = true;
    else input.value = answers[input.type] ?? 'A';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
})()`;

/** Goes through the steps of an empty form, and calls `look` on each. */
async function walkSteps(page: Page, look: () => Promise<void>): Promise<void> {
  for (let step = 0; step < 4; step++) {
    await page.locator('html[data-ready]').waitFor();
    await look();
    if (step === 3) return;
    await page.evaluate(ANSWER);
    await page.locator('section[data-current] [data-next]').click();
  }
}

/** The width of the page, in a narrow window and with text of twice the size. */
async function widthsOf(page: Page): Promise<number[]> {
  const read = () => page.evaluate<number>('document.documentElement.scrollWidth');
  await page.setViewportSize({ ...PHONE, width: 320 });
  const narrow = await read();
  await page.setViewportSize(PHONE);
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  const large = await read();
  await page.evaluate("document.documentElement.style.fontSize = ''");
  return [narrow, large];
}

const browser = skipsShortRun(t, 'the page on a phone') ? undefined : await launchChromium(t);
if (browser !== undefined) {
  const host = await startHost(t, {}, { name: 'Northwind Insurance', branding: { logoUrl: LOGO_URL } });

  const openPhone = async (t: Test, locale: string, config = {}) => {
    const page = await openPage(t, browser, 'about:blank', { ...STILL, locale, viewport: PHONE });
    await page.route(LOGO_URL, (route) => route.fulfill({ contentType: 'image/svg+xml', body: LOGO }));
    await page.goto(await host.mint({ policy: {}, ...config }));
    return page;
  };

  const { locales, find } = createLanguages();
  // Before a release, all of them.
  for (const locale of sized(['en', 'de', 'fr', 'pl', 'ar'], [], locales))
    t.test(`${locale}: heading, first control and Next of each step stand on the screen`, async (t) => {
      const { texts } = find(locale);
      const page = await openPhone(t, locale);
      let number = 0;
      await walkSteps(page, async () => {
        number += 1;
        const places = await page.evaluate<Places>(READ_PLACES);
        const { step, heading, control, end } = places;
        const isFirst = number === 1;
        t.equal(places.scrolled, 0, `${step}: starts at the top`);
        t.equal(places.isLanguageFirst, isFirst, `${step}: place of the language`);
        t.equal(places.isHelpOneLine, true, `${step}: help and its number`);
        t.equal(places.progress, fillIn(texts.script.stepOf, { number, count: 4 }), `${step}: progress`);
        if (!isFirst) t.ok(heading < 180, `${step}: heading at ${heading} px`);
        t.ok(control < (isFirst ? 400 : 300), `${step}: first control at ${control} px`);
        if (step === 'incident') t.ok(end <= PHONE.height, `${step}: Next ends at ${end} px`);
        t.same(places.lines, step === 'incident' ? [1] : [], `${step}: yes, no and no answer in one line`);
        const [narrow = 0, large = 0] = await widthsOf(page);
        t.ok(
          narrow <= 320 && large <= PHONE.width,
          `${step}: ${narrow} px and, with large text, ${large} px wide`,
        );
      });
    });

  t.test('the box of the description grows with its text, also with one of an earlier visit', async (t) => {
    const page = await openPhone(t, 'en', { initialStepKey: 'incident' });
    const box = page.locator('[name="/incident/description"]');
    const heightOf = () => box.evaluate(({ offsetHeight }) => offsetHeight);
    const empty = await heightOf();
    t.ok(empty < 100, `${empty} px for three rows`);
    await box.fill('\n'.repeat(8));
    const full = await heightOf();
    t.ok(full > 2 * empty, `${full} px for nine rows`);
    await page.reload();
    t.equal(await heightOf(), full);
  });
}
