// The form of a household client in real browsers: from the link to the listing, the event, the export and the receipt.
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type { ClientForm, SubmissionEvent } from '../../lib/index.js';
import { en } from '../../lib/widget/locales/en.js';
import { axeViolations } from './axe.js';
import { launchEngines, newWatchedPage } from './engines.js';
import { startHost } from './host.js';

const FORM: ClientForm = {
  fields: {
    '/policy/validFrom': 'hidden',
    '/policy/validTo': 'hidden',
    '/policy/vehicle/licensePlate': 'hidden',
    '/incident/place': 'required',
    '/incident/injured': 'required',
  },
  questions: [
    {
      key: 'room',
      step: 'incident',
      kind: 'choice',
      required: true,
      texts: { en: { label: 'Which room?' } },
      options: [
        { key: 'kitchen', texts: { en: 'Kitchen' } },
        { key: 'bath', texts: { en: 'Bathroom' } },
      ],
    },
    {
      key: 'locked',
      step: 'incident',
      kind: 'boolean',
      required: true,
      texts: { en: { label: 'Was the door locked?' } },
    },
    {
      key: 'since',
      step: 'policy',
      kind: 'date',
      texts: { en: { label: 'Living there since', hint: 'About' } },
    },
  ],
  contacts: 'email_or_phone',
  texts: {
    en: {
      introduction: 'Tell us about your home.',
      nextSteps: 'We call you tomorrow.',
      emergency: 'Call 112 first.',
    },
  },
};

const engines = await launchEngines(t);
const events: SubmissionEvent[] = [];
const host = await startHost(
  t,
  { onSubmit: async (event) => void events.push(event) },
  { settings: { form: FORM } },
);
const PREFILL = { policy: { provider: 'Northwind', number: 'H-1' } };

/** What the form stores, as the listing shows it. */
const LISTED = {
  number: 'H-1',
  provider: 'Northwind',
  validFrom: '',
  validTo: '',
  vehicle: { licensePlate: '' },
  linkedContacts: [{ firstName: 'Grace', lastName: 'Hopper', email: '' }],
};
const INCIDENT = {
  place: 'Home',
  injured: true,
  answers: { since: '2020-02-29', room: 'bath', locked: false },
};

async function checkStored(t: Test): Promise<void> {
  const sessions = await host.list();
  const [session] = sessions as { reference: string; selectedPolicy: unknown; incident?: unknown }[];
  t.match(session?.selectedPolicy, LISTED);
  t.notOk(session && 'incident' in session, 'the listing has the documented members only');
  const reference = session?.reference ?? '';
  const event = events.find(({ session }) => session.reference === reference);
  t.strictSame(event?.session.incident, INCIDENT, 'the event');
  const { sessions: exported } = await host.exportUser();
  t.strictSame(exported.find((other) => other.reference === reference)?.incident, INCIDENT, 'the export');
}

async function checkReceipt(t: Test, page: Page): Promise<void> {
  const text = await page.locator('main').innerText();
  for (const part of [
    'We call you tomorrow.',
    'Bathroom',
    'Was the door locked?',
    '29 February 2020',
    'Home',
    'Hopper',
  ])
    t.match(text, part);
  t.notMatch(text, 'Valid to');
}

for (const engine of engines) {
  const open = async (t: Test, options: BrowserContextOptions = {}) => {
    const { page, complaints } = await newWatchedPage(t, engine, options, /status of (?:400|410)/);
    await page.goto(await host.mint(PREFILL));
    return {
      page,
      complaints,
      field: (pointer: string) => page.locator(`[name="${pointer}"]`),
      option: (pointer: string, value: string) => page.locator(`[name="${pointer}"][value="${value}"]`),
    };
  };

  t.test(`a household claim with JavaScript${engine.suffix}`, async (t) => {
    const { page, complaints, field, option } = await open(t);
    t.match(await page.locator('main').innerText(), 'Tell us about your home.');
    t.equal(await field('/policy/number').isVisible(), false, 'the policy is a card');
    t.match(await page.locator('[data-known]').innerText(), /H-1/);
    await page.locator('main').getByText('Change', { exact: true }).first().click();
    await field('/policy/number').waitFor({ state: 'visible' });
    t.equal(await page.locator('[data-known]').isVisible(), false);
    await field('/policy/number').fill('H-2');
    await page.locator('main').getByText('Done', { exact: true }).first().click();
    await page.getByText('H-2').waitFor({ state: 'visible' });
    await page.locator('main').getByText('Change', { exact: true }).first().click();
    await field('/policy/number').fill('H-1');
    await page.locator('main').getByText('Done', { exact: true }).first().click();
    await field('/incident/answers/since').fill('2020-02-29');
    const next = () => page.getByRole('button', { name: 'Next' }).click();
    await next();
    t.equal(await page.locator('#emergency').isVisible(), false);
    await next();
    const problems = await page.locator('#problem-list').innerText();
    t.same(problems.split('\n'), [
      'Tell us whether anyone was injured',
      'Enter the place of the incident',
      'Which room: enter an answer',
      'Was the door locked: enter an answer',
    ]);
    await field('/incident/place').fill('Home');
    await option('/incident/injured', 'true').check();
    t.equal(await page.locator('#emergency').isVisible(), true);
    await option('/incident/answers/room', 'bath').check();
    await option('/incident/answers/locked', 'false').check();
    await page.reload();
    t.ok(await option('/incident/answers/room', 'bath').isChecked(), 'a reload keeps the answers');
    t.equal(await page.locator('#emergency').isVisible(), true);
    await next();
    await fillHolder(field);
    await page.getByRole('button', { name: 'Add a person' }).click();
    await field('/policy/linkedContacts/0/firstName').fill('Grace');
    await field('/policy/linkedContacts/0/lastName').fill('Hopper');
    await next();
    t.match(await page.locator('#problem-list').innerText(), 'Enter an email address or a phone number');
    await field('/policy/linkedContacts/0/phone').fill('112 112');
    await next();
    const review = await page.locator('#review').innerText();
    for (const part of ['Bathroom', 'Not given', 'Was the door locked?']) t.match(review, part);
    await page.getByRole('button', { name: 'Send claim' }).click();
    await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    await checkReceipt(t, page);
    await checkStored(t);
    await page.reload();
    await checkReceipt(t, page);
    t.same(complaints, []);
  });

  t.test(`a household claim without JavaScript${engine.suffix}`, async (t) => {
    const { page, complaints, field, option } = await open(t, { javaScriptEnabled: false });
    t.equal(
      await page.locator('#emergency').isVisible(),
      true,
      'the sentence about emergencies is always there',
    );
    const set = async (pointer: string, keys: string) => {
      await field(pointer).focus();
      await page.keyboard.type(keys);
    };
    await set('/incident/place', 'Home');
    const choose = async (pointer: string, value: string) => {
      await option(pointer, value).focus();
      await page.keyboard.press('Space');
    };
    await choose('/incident/injured', 'true');
    await choose('/incident/answers/room', 'bath');
    await choose('/incident/answers/locked', 'false');
    await set('/incident/answers/since', '02292020');
    await set('/policy/holder/firstName', 'Ada');
    await set('/policy/holder/lastName', 'Lovelace');
    await set('/policy/holder/phone', '+44 7700');
    await set('/policy/holder/email', 'ada@example.com');
    await set('/policy/linkedContacts/0/firstName', 'Grace');
    await set('/policy/linkedContacts/0/lastName', 'Hopper');
    await page.locator('#send').focus();
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    t.match(
      await page.locator('#problem-list').innerText(),
      'Person 1 – Enter an email address or a phone number',
    );
    t.ok(await option('/incident/answers/room', 'bath').isChecked());
    await set('/policy/linkedContacts/0/phone', '112 112');
    await page.locator('#send').focus();
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    t.match(await page.locator('h1').innerText(), 'Your claim has been sent');
    await checkReceipt(t, page);
    await checkStored(t);
    t.same(complaints, []);
  });
}

const [chromium] = engines;
if (chromium)
  t.test('axe finds nothing in the steps of a household claim, and 320 px are enough', async (t) => {
    for (const [width, colorScheme] of [
      [320, 'light'],
      [1280, 'dark'],
    ] as const) {
      const options = { viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' } as const;
      const { page } = await newWatchedPage(t, chromium, options, /status of 400/);
      const check = async (state: string) => {
        t.same(await axeViolations(page), [], `${state} at ${width} px`);
        t.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, state);
      };
      await page.goto(await host.mint(PREFILL));
      await check('a policy that is known');
      await page.locator('#claim details > summary').click();
      await check('the fields of a policy that is known');
      const next = page.locator('section[data-current] [data-next]');
      await next.click();
      await page.locator('[name="/incident/injured"][value=true]').check();
      await next.click();
      await page.locator('#problem-list li').first().waitFor();
      await check('missing answers');
    }
  });

if (chromium)
  t.test('a client can require a person, and hide the list of people', async (t) => {
    for (const need of ['required', 'hidden'] as const) {
      const other = await startHost(
        t,
        {},
        { settings: { form: { fields: { '/policy/linkedContacts': need } } } },
      );
      const { page, complaints } = await newWatchedPage(t, chromium, {}, /status of 400/);
      await page.goto(await other.mint({ initialStepKey: 'contact' }));
      await page.locator('section[data-current] [data-next]').click();
      if (need === 'required') {
        t.same(await page.locator('#problem-list li').allInnerTexts(), ['Add a person']);
        await page.getByRole('button', { name: 'Add a person' }).click();
        for (const [member, text] of [
          ['firstName', 'Grace'],
          ['lastName', 'Hopper'],
          ['email', 'grace@example.com'],
        ] as const)
          await page.locator(`[name="/policy/linkedContacts/0/${member}"]`).fill(text);
        await page.locator('section[data-current] [data-next]').click();
      }
      await page.locator('#send').click();
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      t.same(complaints, []);
    }
  });

if (chromium)
  t.test('a date outside of a cover that the form hides is noted', async (t) => {
    const fields = { '/policy/validFrom': 'hidden', '/policy/validTo': 'hidden' } as const;
    const other = await startHost(t, {}, { settings: { form: { fields } } });
    const { page, complaints } = await newWatchedPage(t, chromium, {}, /(?!)/);
    const policy = { number: 'P-1', validFrom: '2020-01-01', validTo: '2020-12-31' };
    await page.goto(await other.mint({ policy, initialStepKey: 'incident' }));
    const note = page.locator('[id="incident-date-warning"]');
    await page.locator('[name="/incident/date"]').fill('2021-01-01');
    await page.locator('h1').click();
    t.equal(await note.innerText(), en.script.warnings.outsideCover);
    await page.locator('[name="/incident/date"]').fill('2020-06-01');
    await page.locator('h1').click();
    t.equal(await note.count(), 0);
    t.same(complaints, []);
  });

async function fillHolder(field: (pointer: string) => Locator): Promise<void> {
  await field('/policy/holder/firstName').fill('Ada');
  await field('/policy/holder/lastName').fill('Lovelace');
  await field('/policy/holder/phone').fill('+44 7700');
  await field('/policy/holder/email').fill('ada@example.com');
}
