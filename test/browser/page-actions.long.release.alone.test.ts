// What a person does on a page besides a claim, in real browsers: the first answer, declining, and asking for another link.
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { axeViolations } from './axe.js';
import { launchEngines, newWatchedPage, replaceText } from './engines.js';
import { COMPLETE_POLICY, EVERY_PART, startHost } from './host.js';
import { openPage, STILL } from './page-walk.js';

const DAY_MS = 86_400_000;
const TEXT = 'A stone hit the windscreen.';
const INCIDENT = { initialStepKey: 'incident' };
const PHONE = { viewport: { width: 320, height: 640 } };

const engines = await launchEngines(t);
const host = await startHost(t, EVERY_PART.options, EVERY_PART.client);
const silent = await startHost(t);
const asking = await startHost(t, EVERY_PART.options, {
  settings: { ...EVERY_PART.client.settings, recipientCheck: ['/policy/number'] },
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const summary = (page: Page) => page.locator('.decline > summary');
const reason = (page: Page, name: string) => page.getByRole('radio', { name });
const description = (page: Page) => page.getByLabel('Description');
const declined = 'Thank you for telling us';

/** Waits until the script of a form is ready. */
const ready = (page: Page) => page.locator('html[data-ready]').waitFor();

/** Answers as a person, and waits until the service has recorded the start. */
async function report(page: Page, answer: () => Promise<void>): Promise<void> {
  const response = page.waitForResponse((candidate) => candidate.status() === 204);
  await answer();
  await response;
}

/** Adds each POST of the page to a list, which it returns: whether a form sent it or a script. Firefox tells a test no bodies. */
function recordPosts(page: Page): string[] {
  const posts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.isNavigationRequest() ? 'form' : 'script');
  });
  return posts;
}

for (const engine of engines) {
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(name + engine.suffix, body);

  /** Opens a page whose console is watched. */
  async function open(t: Test, url: string, options = {}, expected = /^$/) {
    const { page, complaints } = await newWatchedPage(t, engine, options, expected);
    const posts = recordPosts(page);
    await page.goto(url);
    return { page, posts, complaints };
  }

  test('the first answer of a person is reported, once a page', async (t) => {
    const url = await host.mint(INCIDENT);
    const { page, posts, complaints } = await open(t, url);
    await ready(page);
    await report(page, () => description(page).press('a'));
    t.same(await host.history(url), ['link.created', 'link.opened', 'link.started']);
    await description(page).pressSequentially('bc');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
    await page.getByLabel('First name').first().press('x');
    await page.reload();
    await ready(page);
    t.same(posts, ['script'], 'a restored text is no answer');
    await report(page, () => page.getByLabel('First name').first().press('y'));
    t.same(posts, ['script', 'script'], 'a page that has loaded again');
    t.same(await host.history(url), ['link.created', 'link.opened', 'link.started'], 'a link starts once');
    t.same(complaints, []);
  });

  test('a choice from a list or of a radio button is an answer', async (t) => {
    const names = ['Fire', 'Theft', 'Storm', 'Glass', 'Animal', 'Collision'];
    const incidentTypes = names.map((name) => ({ key: name.toLowerCase(), texts: { en: name } }));
    const form = { fields: { '/incident/type': 'optional' }, incidentTypes } as const;
    const choosing = await startHost(t, EVERY_PART.options, { settings: { form } });
    const url = await choosing.mint(INCIDENT);
    const { page, posts } = await open(t, url);
    await ready(page);
    const list = page.getByLabel('Kind of incident');
    await list.focus();
    await report(page, () => page.keyboard.press('F'));
    t.equal(await list.inputValue(), 'fire');
    t.same(posts, ['script']);
    await page.reload();
    await ready(page);
    const radio = page.getByRole('radio', { name: 'Yes' });
    await radio.focus();
    await report(page, () => page.keyboard.press('Space'));
    t.ok(await radio.isChecked());
    t.same(posts, ['script', 'script']);
  });

  test('neither steps nor scripts nor other controls of the page are an answer', async (t) => {
    const url = await host.mint(INCIDENT);
    const { page, posts } = await open(t, url);
    await ready(page);
    await page.mouse.move(100, 300);
    await page.mouse.wheel(0, 500);
    await page.evaluate(`{
      const element = document.querySelector('[name="/incident/description"]');
      element.value = 'filled in by a script';
      for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
      element.dispatchEvent(new InputEvent('input', { bubbles: true, data: 'x', inputType: 'insertText' }));
    }`);
    t.equal(await description(page).inputValue(), 'filled in by a script');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
    await page.goBack();
    await description(page).waitFor();
    await summary(page).press('Enter');
    await reason(page, 'Another reason').press('Space');
    await page.locator('.lang > summary').press('Enter');
    t.same(await host.history(url), ['link.created', 'link.opened']);
    await report(page, () => description(page).press('a'));
    t.same(posts, ['script'], 'the only request is that of the person');
  });

  test('a host that does not want to know it gets no request', async (t) => {
    const { page, posts } = await open(t, await silent.mint(INCIDENT));
    await ready(page);
    await description(page).press('a');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
    t.same(posts, []);
  });

  test('a report that fails changes nothing for the person', async (t) => {
    const { page, complaints } = await open(t, await host.mint(INCIDENT), {}, /ERR_FAILED|NetworkError/);
    await ready(page);
    await page.route('**/verify/**', (route) => route.abort(), { times: 1 });
    const failed = page.waitForEvent('requestfailed');
    await description(page).press('a');
    t.equal((await failed).method(), 'POST');
    for (const _step of ['contact', 'review']) await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Send claim' }).click();
    await heading(page, 'Your claim has been sent');
    t.same(complaints, []);
  });

  test('a browser without a person loads the page with its scripts, and starts nothing', async (t) => {
    for (const [service, options] of [
      [host, {}],
      [host, { javaScriptEnabled: false }],
      [asking, {}],
    ] as const) {
      const url = await service.mint({ policy: COMPLETE_POLICY });
      const { page, posts } = await open(t, url, options);
      await page.waitForLoadState('networkidle');
      await page.reload();
      await page.waitForLoadState('networkidle');
      t.same(posts, []);
      t.notOk((await service.history(url)).includes('link.started'));
    }
  });

  for (const javaScriptEnabled of [true, false]) {
    const suffix = javaScriptEnabled ? ', with JavaScript' : ', without JavaScript';

    test(`a keyboard is enough to decline${suffix}`, async (t) => {
      const url = await host.mint(INCIDENT);
      const { page, posts, complaints } = await open(t, url, { javaScriptEnabled });
      if (javaScriptEnabled) {
        await ready(page);
        await replaceText(description(page), TEXT);
      }
      const reasons = page.locator('.decline').getByRole('radio');
      t.equal(await reasons.count(), 0, 'the reasons are hidden at first');
      await summary(page).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: 'What is the reason?' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      t.ok(await reason(page, 'I have reported it already').isChecked());
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await heading(page, declined);
      t.same(
        posts.filter((post) => post === 'form'),
        ['form'],
      );
      t.same((await host.history(url)).at(-1), 'link.declined');
      if (javaScriptEnabled)
        t.same(await page.evaluate('Object.keys(sessionStorage)'), [], 'the tab has nothing of the link');
      await page.goto(url);
      await heading(page, 'This link has been withdrawn');
      t.notMatch(await page.innerText('main'), TEXT);
      t.same(
        complaints.filter((complaint) => !/410/.test(complaint)),
        [],
      );
    });

    test(`a reason is needed, and Enter in the claim form does not decline${suffix}`, async (t) => {
      const url = await host.mint({ ...INCIDENT, policy: {} });
      const { page, posts } = await open(t, url, { javaScriptEnabled });
      if (javaScriptEnabled) await ready(page);
      await summary(page).press('Enter');
      if (javaScriptEnabled) await replaceText(description(page), TEXT);
      await page.getByRole('button', { name: 'Close the link' }).press('Enter');
      if (javaScriptEnabled) {
        await page.getByText('Choose a reason').waitFor();
        await ready(page);
        t.equal(await description(page).inputValue(), TEXT, 'the tab keeps what was typed');
        t.same(
          posts.splice(0).filter((post) => post === 'form'),
          ['form'],
        );
      } else t.same(posts, [], 'the browser asks: another page would lose what was typed');
      t.equal(await page.evaluate('document.activeElement.name'), 'why');
      await reason(page, 'I have nothing to report').press('Space');
      await page.locator('[name="/incident/date"]').press('Enter');
      if (javaScriptEnabled) await page.getByRole('heading', { name: 'How we reach you' }).waitFor();
      else await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
      t.equal(posts.length, javaScriptEnabled ? 0 : 1, 'one form at most is sent');
      t.notOk((await host.history(url)).includes('link.declined'));
      await summary(page).waitFor();
    });

    test(`the wrong person declines instead of an answer${suffix}`, async (t) => {
      const url = await asking.mint();
      const { page } = await open(t, url, { javaScriptEnabled });
      await heading(page, 'Please confirm that this link is for you');
      await summary(page).press('Enter');
      await reason(page, 'I am not this person').press('Space');
      await page.getByRole('button', { name: 'Close the link' }).press('Enter');
      await heading(page, declined);
      t.equal((await asking.history(url)).at(-1), 'link.declined');
    });

    test(`a late claim stays on the page that asks for another link${suffix}`, async (t) => {
      const url = await host.mint(INCIDENT);
      const { page } = await open(t, url, { javaScriptEnabled });
      if (javaScriptEnabled) await ready(page);
      await replaceText(description(page), TEXT);
      if (javaScriptEnabled)
        for (const _step of ['contact', 'review']) await page.getByRole('button', { name: 'Next' }).click();
      host.advance(DAY_MS);
      await page.getByRole('button', { name: 'Send claim' }).press('Enter');
      await heading(page, 'This link has expired');
      t.match(await page.locator('[data-entered-text]').innerText(), TEXT);
      await page.getByRole('button', { name: 'Ask for a new link' }).press('Enter');
      await heading(page, 'You have asked for a new link');
      await page.getByText('We have received your request.').waitFor();
      t.match(await page.locator('[data-entered-text]').innerText(), TEXT);
      t.equal(await page.getByRole('button', { name: 'Ask for a new link' }).count(), 0);
      t.ok((await host.history(url)).includes('link.renewal_requested'));
      if (!javaScriptEnabled) return;
      // The link is opened again: the page has the text of the tab, and so has the page after the request.
      await page.goto(url);
      t.match(await page.locator('[data-entered-text]').innerText(), TEXT);
      await page.getByRole('button', { name: 'Ask for a new link' }).click();
      await heading(page, 'You have asked for a new link');
      t.match(await page.locator('[data-entered-text]').innerText(), TEXT);
    });
  }

  test('nothing that is pasted is cut: the count and the message at Next say that it is too long', async (t) => {
    const { page, complaints } = await open(t, await host.mint(INCIDENT));
    await ready(page);
    /** Pastes as a person does: neither `fill` nor a script obeys `maxlength`. */
    const paste = async (field: Locator, text: string) => {
      await page.evaluate(
        `const source = document.createElement('textarea');
        source.value = ${JSON.stringify(text)};
        document.body.append(source);
        source.select();`,
      );
      await page.keyboard.press('ControlOrMeta+c');
      await page.evaluate('document.body.lastElementChild.remove()');
      await field.press('ControlOrMeta+a');
      await field.press('ControlOrMeta+v');
    };
    const count = (text: string) => page.getByText(text, { exact: true }).filter({ visible: true });
    const next = () => page.getByRole('button', { name: 'Next' }).click();
    const tooLong = page.getByRole('link', { name: 'Description: use at most 4000 characters' });
    await paste(description(page), 'x'.repeat(3_600));
    t.equal(await page.locator('.missing').count(), 0);
    t.equal(await page.getByText('of 4000 characters').count(), 0, 'not near the limit');
    await paste(description(page), 'x'.repeat(5_599));
    await count('5599 of 4000 characters').waitFor();
    t.equal(await page.locator('#status').innerText(), 'Description: 5599 of 4000 characters');
    t.equal((await description(page).inputValue()).length, 5_599);
    t.match(await description(page).getAttribute('aria-describedby'), 'incident-description-count');
    await next();
    await tooLong.waitFor();
    // The service counts UTF-16 code units.
    await paste(description(page), '🚗'.repeat(2_001));
    await count('4002 of 4000 characters').waitFor();
    await next();
    await tooLong.waitFor();
    await paste(description(page), '🚗'.repeat(2_000));
    await count('4000 of 4000 characters').waitFor();
    await page.reload();
    await count('4000 of 4000 characters').waitFor();
    await next();
    const phone = page.getByLabel('Phone').first();
    await paste(phone, `+49 30 5678 (${'work, '.repeat(6)}1)`);
    await count('51 of 40 characters').waitFor();
    t.match(await phone.inputValue(), /1\)$/, 'the end of the number');
    t.same(complaints, []);
  });

  test('a text that the user deletes is not sent with the request for another link', async (t) => {
    const url = await host.mint(INCIDENT);
    const { page } = await open(t, url);
    await ready(page);
    await replaceText(description(page), TEXT);
    for (const _step of ['contact', 'review']) await page.getByRole('button', { name: 'Next' }).click();
    host.advance(DAY_MS);
    await page.getByRole('button', { name: 'Send claim' }).click();
    await page.getByRole('button', { name: 'Delete the text' }).click();
    await page.getByText('The text was deleted.').waitFor();
    t.same(await page.evaluate('Object.keys(sessionStorage)'), []);
    await page.getByRole('button', { name: 'Ask for a new link' }).click();
    await heading(page, 'You have asked for a new link');
    t.equal(await page.locator('[data-entered-text]').count(), 0);
  });

  test('the question with its reasons fits a phone, and breaks no rule of axe', async (t) => {
    for (const locale of ['en', 'de', 'ar']) {
      const url = await asking.mint();
      const page = await openPage(t, engine, url, { ...STILL, ...PHONE, locale });
      await summary(page).press('Enter');
      await page.getByRole('radio').first().waitFor();
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), locale);
      if (engine.name !== 'Firefox') t.same(await axeViolations(page), [], locale);
    }
  });
}
