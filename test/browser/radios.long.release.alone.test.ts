// Questions with radio buttons in real browsers: keys, problems, what was typed earlier, and what is stored.
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type { ClientForm, FormChoice } from '../../lib/index.js';
import { accessibleNodes } from './accessibility-tree.js';
import { axeViolations } from './axe.js';
import { launchEngines, newWatchedPage } from './engines.js';
import { COMPLETE_POLICY, startHost } from './host.js';

/** Returns an option of a choice. Its text is the same in each language. */
const option = (key: string, text: string): FormChoice => ({ key, texts: { en: text } });

const FORM: ClientForm = {
  questions: [
    {
      key: 'role',
      step: 'incident',
      kind: 'choice',
      required: true,
      texts: { en: { label: 'Who are you?', hint: 'At the time' } },
      options: [
        option('driver', 'The driver'),
        option('owner', 'The owner'),
        option('other', 'Another person'),
      ],
    },
    { key: 'towed', step: 'incident', kind: 'boolean', texts: { en: { label: 'Was it towed?' } } },
    {
      key: 'weather',
      step: 'incident',
      kind: 'choice',
      texts: { en: { label: 'Weather' } },
      options: ['Sun', 'Rain', 'Fog', 'Snow', 'Ice', 'Wind'].map((text) => option(text.toLowerCase(), text)),
    },
  ],
};

const engines = await launchEngines(t);
const host = await startHost(t, {}, { settings: { form: FORM } });

const ROLE = '/incident/answers/role';
const INJURED = '/incident/injured';

const radio = (page: Page, name: string, value: string) =>
  page.locator(`[type=radio][name="${name}"][value="${value}"]`);
const focused = (page: Page) =>
  page.evaluate<string>("['name', 'value'].map((name) => document.activeElement[name]).join(' ')");
const stored = async (page: Page) => {
  const receipt = await page.locator('main').innerText();
  const { sessions } = await host.exportUser();
  return sessions.find(({ reference }) => receipt.includes(reference))?.incident;
};

for (const engine of engines) {
  const open = async (t: Test, options: BrowserContextOptions = {}) => {
    const watched = await newWatchedPage(t, engine, options, /status of 400/);
    await watched.page.goto(await host.mint({ policy: COMPLETE_POLICY, initialStepKey: 'incident' }));
    return watched;
  };

  t.test(`radio buttons with JavaScript${engine.suffix}`, async (t) => {
    const { page, complaints } = await open(t);
    const next = () => page.locator('section[data-current] [data-next]').click();
    const help = page.locator('#emergency');
    t.equal(await page.locator(':checked:not(option)').count(), 0, 'nothing is chosen');
    await page.locator('section[data-current] .hint a').focus();
    await page.keyboard.press('Tab');
    t.equal(await focused(page), `${INJURED} true`, 'Tab leads to the first one');

    await page.keyboard.press('Space');
    t.ok(await help.isVisible());
    await page.keyboard.press('ArrowDown');
    t.ok(await radio(page, INJURED, 'false').isChecked(), 'arrows choose');
    t.notOk(await help.isVisible());
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    t.equal(await focused(page), `${INJURED} false`, 'a group has one stop of Tab');

    await next();
    t.same(await page.locator('#problem-list li').allInnerTexts(), ['Who are you: enter an answer']);
    await page.locator('#problem-list a').click();
    t.equal(await focused(page), `${ROLE} driver`, 'the link leads to the first option');
    const message = page.locator('#incident-answers-role-error');
    t.match(await message.innerText(), 'Who are you: enter an answer');
    const group = page.locator(`fieldset[name="${ROLE}"]`);
    t.equal(
      await group.getAttribute('aria-describedby'),
      'incident-answers-role-hint incident-answers-role-error',
    );
    t.equal(await group.getAttribute('aria-invalid'), 'true');

    await page.getByText('The owner').click();
    await page.locator('#incident-answers-weather').selectOption('fog');
    await radio(page, '/incident/answers/towed', 'true').check();
    await page.reload();
    t.ok(await radio(page, ROLE, 'owner').isChecked(), 'a reload keeps the answers');
    t.ok(await radio(page, INJURED, 'false').isChecked());
    t.notOk(await radio(page, INJURED, 'true').isChecked(), 'and only those');
    await radio(page, '/incident/answers/towed', '').check();
    await next();
    await next();
    const review = await page.locator('#review').innerText();
    for (const [label, answer] of [
      ['Was anyone injured\\?', 'No'],
      ['Who are you\\?', 'The owner'],
      ['Was it towed\\?', 'Not given'],
      ['Weather', 'Fog'],
    ])
      t.match(review, new RegExp(`${label}\\s+${answer}\\n`));
    await page.goBack();
    await page.goBack();
    await page.locator('section[data-step=incident][data-current]').waitFor();
    t.ok(await radio(page, ROLE, 'owner').isChecked(), 'Back keeps the answers');
    await radio(page, INJURED, 'true').check();
    await page.reload();
    t.ok(await help.isVisible(), 'help stays after a reload');
    t.ok(await radio(page, '/incident/answers/towed', '').isChecked(), 'so does "No answer"');
    await next();
    await next();
    await page.locator('#send').click();
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    await page.locator('#claim').waitFor({ state: 'detached' });
    const receipt = await page.locator('main').innerText();
    t.match(receipt, /Was anyone injured\?\s+Yes/);
    t.match(receipt, /Who are you\?\s+The owner/);
    t.notMatch(receipt, 'towed');
    t.same(await stored(page), { injured: true, answers: { role: 'owner', weather: 'fog' } });
    t.same(complaints, []);
  });

  t.test(`radio buttons without JavaScript${engine.suffix}`, async (t) => {
    const { page, complaints } = await open(t, { javaScriptEnabled: false });
    const choose = async (name: string, value: string) => {
      await radio(page, name, value).focus();
      await page.keyboard.press('Space');
    };
    const send = async () => {
      await page.locator('#send').focus();
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    };
    t.ok(await page.locator('#emergency').isVisible());
    await choose(INJURED, 'false');
    await send();
    t.same(await page.locator('#problem-list li').allInnerTexts(), ['Who are you: enter an answer']);
    t.match(await page.locator(`fieldset[name="${ROLE}"]`).innerText(), 'Who are you: enter an answer');
    t.ok(await radio(page, INJURED, 'false').isChecked(), 'the answers that were sent are there');
    await choose(ROLE, 'other');
    await choose('/incident/answers/towed', 'true');
    await send();
    t.match(await page.locator('h1').innerText(), 'Your claim has been sent');
    t.match(await page.locator('main').innerText(), /Who are you\?\s+Another person/);
    t.same(await stored(page), { injured: false, answers: { role: 'other', towed: true } });
    t.same(complaints, []);
  });
}

const [chromium] = engines;
if (chromium) {
  t.test(
    'a screen reader gets the question, the hint and the problem of a group, and its options',
    async (t) => {
      const { page } = await newWatchedPage(t, chromium, {}, /(?!)/);
      await page.goto(await host.mint({ policy: COMPLETE_POLICY, initialStepKey: 'incident' }));
      await page.locator('section[data-current] [data-next]').click();
      await page.locator('#problem-list li').first().waitFor();
      const nodes = await accessibleNodes(page);
      const group = nodes.find(({ role, name }) => role === 'group' && name === 'Who are you?');
      t.match(group, { description: 'At the time Error: Who are you: enter an answer' });
      const radios = nodes.filter(({ role }) => role === 'radio');
      t.same(
        radios.map(({ name }) => name),
        ['Yes', 'No', 'No answer', 'The driver', 'The owner', 'Another person', 'Yes', 'No', 'No answer'],
      );
    },
  );

  for (const [width, locale, size, colorScheme] of [
    [320, 'en', '100%', 'light'],
    [320, 'ar', '200%', 'dark'],
    [320, 'fi', '200%', 'light'],
    [390, 'de', '100%', 'dark'],
    [1280, 'ar', '100%', 'light'],
  ] as const)
    t.test(`radio buttons at ${width} px in ${locale}, ${size}, ${colorScheme}`, async (t) => {
      const options = {
        viewport: { width, height: 800 },
        colorScheme,
        locale,
        reducedMotion: 'reduce',
      } as const;
      const { page } = await newWatchedPage(t, chromium, options, /(?!)/);
      await page.goto(await host.mint({ policy: COMPLETE_POLICY, initialStepKey: 'incident' }));
      await page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
      await radio(page, INJURED, 'true').check();
      await page.locator('section[data-current] [data-next]').click();
      await page.locator('#problem-list li').first().waitFor();
      t.same(await axeViolations(page), []);
      t.ok(
        (await page.evaluate<number>('document.documentElement.scrollWidth')) <= width,
        'nothing scrolls sideways',
      );
      const labels = page.locator('.options label');
      for (const label of await labels.all()) {
        const { width: across, height } = (await label.boundingBox()) ?? { width: 0, height: 0 };
        t.ok(across >= 44 && height >= 44, `${await label.innerText()}: ${across} x ${height}`);
      }
      await page.emulateMedia({ forcedColors: 'active' });
      const line = await page.evaluate<string>(
        "getComputedStyle(document.querySelector('.options label')).borderTopStyle",
      );
      t.equal(line, 'solid', 'forced colours keep the boxes');
    });
}

if (chromium)
  t.test('an order of the client, and a notice to confirm where the form begins', async (t) => {
    const form: ClientForm = {
      ...FORM,
      noticeConfirmation: true,
      noticePlace: 'first',
      order: { incident: ['role', '/incident/description'], contact: ['/policy/linkedContacts'] },
    };
    const other = await startHost(t, {}, { settings: { form } });
    const privacyPolicyUrl = 'https://acme.example/privacy';
    const { page, complaints } = await newWatchedPage(t, chromium, {}, /(?!)/);
    await page.goto(await other.mint({ policy: COMPLETE_POLICY, privacyPolicyUrl }));
    const next = () => page.locator('section[data-current] [data-next]').click();
    const tick = page.locator('[name="/noticeAccepted"]');
    const problems = page.locator('#problem-list li');
    await next();
    t.same(await problems.allInnerTexts(), ['Confirm that you have read the privacy policy']);
    await page.locator('#problem-list a').click();
    await page.keyboard.press('Space');
    t.ok(await tick.isChecked());
    t.same(await axeViolations(page), []);
    await next();
    const names = await page.evaluate<string[]>(
      "[...document.querySelectorAll('[data-current] .field > [name]')].map(({ name }) => name)",
    );
    t.same(names.slice(0, 3), [ROLE, '/incident/description', INJURED]);
    await next();
    await page.locator('#problem-list a').click();
    t.equal(await focused(page), `${ROLE} driver`);
    await page.keyboard.press('Space');
    await next();
    await next();
    t.equal(
      await page
        .locator('#review')
        .innerText()
        .then((text) => text.includes('The driver')),
      true,
    );
    t.equal(await page.locator('[data-current] [href*=privacy]').count(), 0);
    await page.reload();
    await page.locator('#send').click();
    await problems.first().waitFor();
    t.notOk(await tick.isChecked(), 'a reload takes the tick away');
    await page.locator('#problem-list a').click();
    await page.keyboard.press('Space');
    for (let step = 0; step < 3; step++) await next();
    await page.locator('#send').click();
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    t.same(complaints, []);
  });
