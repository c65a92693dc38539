// The example with a widget of another origin, in Chromium: from its link to the callback, within its policy.
import t from 'tap';
import { pathOf, startHost } from '../examples/host.js';
import { launchChromium } from './chromium.js';
import { newWatchedPage } from './engines.js';
import { skipsShortRun } from './launch.js';

const FIELDS: Readonly<Record<string, string>> = {
  'Policy number': 'AC-2026-1',
  'License plate': 'B-AB 123',
  'First name': 'Zoë',
  'Last name': 'Muster',
  Phone: '+49 30 1234',
  'E-mail': 'zoe@example.com',
};

const browser = skipsShortRun(t, 'the example with an own widget') ? undefined : await launchChromium(t);
if (browser !== undefined) {
  t.test('the claim reaches the host with its extra data, and the user the callback', async (t) => {
    const host = await startHost(t, [pathOf('custom-widget/host.mjs')]);
    // Chromium reports the response to the claim that is not valid.
    const { page, context, complaints } = await newWatchedPage(t, browser, {}, /status of 400/);
    await context.route('https://app.example.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Back</title>' }),
    );
    const origins = new Set<string>();
    page.on('requestfinished', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol === 'http:') origins.add(`${request.resourceType()} ${origin === host.origin}`);
    });

    await page.goto(host.origin + host.path);
    for (const [label, value] of Object.entries(FIELDS)) await page.getByLabel(label).fill(value);
    t.equal(
      await page.getByLabel('Insurer').inputValue(),
      'Acme Insurance',
      'config.policy prefills the form',
    );
    const garage = page.getByLabel('Garage');
    t.same(await garage.locator('option').allInnerTexts(), [
      'No preference',
      'Harbour Garage',
      'Station Motors',
    ]);
    await garage.selectOption('Station Motors');
    t.ok(
      await page.evaluate(
        "document.querySelector('img').decode().then(() => document.styleSheets.length === 1)",
      ),
    );

    const send = page.getByRole('button', { name: 'Send claim' });
    await page.getByLabel('Valid to').fill('2025-12-31');
    await send.click();
    await page.getByText('The request body is not valid').waitFor();
    t.match(
      await page.evaluate(`document.querySelector('[name="policy.validTo"]').validationMessage`),
      'Valid to must not be before',
      'the field has the problem that the service found',
    );
    await page.getByLabel('Valid to').fill('2026-12-31');
    await send.click();

    const thanks = await page.getByText('Your reference is').innerText();
    const [, reference = ''] = /^Thank you\. Your reference is (\S+)\.$/.exec(thanks) ?? [];
    await page.waitForURL(`https://app.example.com/done?reference=${encodeURIComponent(reference)}`);
    t.match(
      host.log(),
      `claim ${reference} was submitted with {"campaign":"winter","garageRegion":"north","garage":"station"}\n`,
      'onSubmit gets extra of the link request and of the widget',
    );
    t.same(complaints, [], 'no error and no violation of the policy on the console');
    for (const type of ['script', 'stylesheet', 'image', 'fetch'])
      t.ok(origins.has(`${type} false`), `${type} of another origin`);

    await page.goto(host.origin + host.path);
    await page.getByText('help@acme.example').waitFor();
    t.equal(await host.end(), 0, 'SIGTERM ends it');
  });

  t.test('the widget says what became of a claim: unknown, the stored one, another one', async (t) => {
    const host = await startHost(t, [pathOf('custom-widget/host.mjs')]);
    const context = await browser.newContext();
    t.teardown(() => context.close());
    context.setDefaultTimeout(60_000);
    await context.route('https://app.example.com/**', (route) => route.fulfill({ body: '' }));
    const [page, other] = [await context.newPage(), await context.newPage()];
    for (const tab of [page, other]) {
      await tab.goto(host.origin + host.path);
      for (const [label, value] of Object.entries(FIELDS)) await tab.getByLabel(label).fill(value);
    }
    const send = (tab: typeof page) => tab.getByRole('button', { name: 'Send claim' }).click();

    await page.route(`**${host.path}`, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await send(page);
    await page.getByText('We do not know whether the claim arrived.').waitFor();
    await page.unroute(`**${host.path}`);
    await send(page);
    await page.getByText('Your reference is').waitFor();

    await other.getByLabel('Phone').fill('+49 30 4321');
    await send(other);
    await other.getByText('This one differs from it, and was not taken.').waitFor();
    t.equal(await other.getByLabel('Phone').inputValue(), '+49 30 4321', 'nothing typed is lost');
    t.equal(host.log().match(/was submitted/g)?.length, 1, 'one claim');
  });

  t.test('the policy of the example rejects every other origin', async (t) => {
    const host = await startHost(t, [pathOf('custom-widget/host.mjs')]);
    const page = await browser.newPage();
    t.teardown(() => page.close());
    await page.route('https://third.example/**', (route) => route.fulfill({ body: '' }));
    await page.goto(host.origin + host.path);
    const violations = await page.evaluate<string[]>(`new Promise((resolve) => {
      const violations = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        if (violations.push(effectiveDirective) === 4) resolve(violations.sort());
      });
      document.head.append(Object.assign(document.createElement('script'), { src: 'https://third.example/a.js' }));
      document.head.append(
        Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'https://third.example/a.css' }));
      document.body.append(Object.assign(new Image(), { src: 'https://third.example/a.svg' }));
      fetch('https://third.example/a.json').catch(() => {});
    })`);
    t.same(violations, ['connect-src', 'img-src', 'script-src-elem', 'style-src-elem']);
  });
}
