// A partner with the control token of a client, against an operator who opens the partner's links in Chromium.
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import t from 'tap';
import { connectMock } from '../../mock-server/control/connect.js';
import { type Fault, type MockServerOptions, startMockServer } from '../../mock-server/index.js';
import { linkRequest } from '../mock-server/caller.js';
import { launchChromium } from './chromium.js';
import { CREDENTIALS, TOKEN } from './dashboard-access.js';
import { card, makeLink, openDashboard } from './dashboard-page.js';

const PARTNER_TOKEN = 'token-of-the-partner';
const partner = { clientId: 'partner', apiKey: 'clk_partner', controlToken: PARTNER_TOKEN };
const victim = { clientId: 'victim', apiKey: 'clk_victim' };

/** Adds a client, which only the operator may do. */
const ATTACK = `document.title = 'ran';
fetch('/__mock/addClient', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"clientId":"stolen"}' });`;
const FORM = `<form id="form" method="post" action="/__mock/reset" enctype="text/plain"><input name="a"><button>Continue</button></form>`;
const PAGE = `<!doctype html><title>stored</title><h1>stored</h1><script>${ATTACK}</script>
<img src="x" onerror="${ATTACK.replaceAll('"', '&quot;')}"><svg onload="${ATTACK.replaceAll('"', '&quot;')}"></svg>
<iframe srcdoc="&lt;script&gt;parent.fetch('/__mock/clients')&lt;/script&gt;"></iframe>
<iframe src="/"></iframe><meta http-equiv="refresh" content="0; url=/__mock/clients">
<a id="script" href="javascript:${encodeURIComponent(ATTACK)}">script</a>${FORM}`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><title>stored</title><script>${ATTACK.replaceAll('&', '&amp;')}</script><text y="20">stored</text></svg>`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>stored</title><script><![CDATA[${ATTACK}]]></script></head><body>stored</body></html>`;

/** What a partner stores as the response to its own link. */
const FAULTS: Record<string, Fault> = {
  'a page': { status: 200, headers: { 'content-type': 'text/html' }, body: PAGE },
  'a page of an error': { status: 503, headers: { 'Content-Type': 'text/html' }, body: PAGE },
  'a page after a delay': { body: PAGE, headers: { 'content-type': 'text/html' }, delayMs: 1 },
  'a page with a policy of its own': {
    body: PAGE,
    headers: {
      'content-type': 'text/html',
      'content-security-policy': "sandbox allow-scripts allow-same-origin; script-src 'unsafe-inline'",
    },
  },
  'an SVG image': { body: SVG, headers: { 'content-type': 'image/svg+xml' } },
  'an XML page': { body: XHTML, headers: { 'content-type': 'application/xhtml+xml' } },
};

/** How an operator reaches the dashboard. */
const ACCESS: Record<string, { mock: MockServerOptions; context: BrowserContextOptions }> = {
  'Basic credentials': { mock: { controlToken: TOKEN }, context: CREDENTIALS },
  'a bearer token': {
    mock: { controlToken: TOKEN },
    context: { extraHTTPHeaders: { authorization: `Bearer ${TOKEN}` } },
  },
  'no token': { mock: {}, context: {} },
};

/** Notes the requests of all pages but the dashboard to other paths than a link. */
function watchRequests(context: BrowserContext): string[] {
  const requests: string[] = [];
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    // The frame of a new page does not exist yet.
    const isOfDashboard = !request.isNavigationRequest() && request.frame().page() === context.pages()[0];
    if (!isOfDashboard && pathname.startsWith('/__mock')) requests.push(`${request.method()} ${pathname}`);
  });
  return requests;
}

const browser = await launchChromium(t);
if (browser !== undefined) {
  for (const [access, options] of Object.entries(ACCESS)) {
    t.test(`with ${access}, no page that a partner stores does anything with the mock`, async (t) => {
      await using mock = await startMockServer({ port: 0, clients: [partner, victim], ...options.mock });
      const client = await connectMock(mock.url, { token: PARTNER_TOKEN }).client('partner');
      await client.createLink(linkRequest('user-1'));
      const { page, context } = await openDashboard(t, browser, mock, options.context);
      const sent = watchRequests(context);
      for (const [what, fault] of Object.entries(FAULTS)) {
        await client.clearFaults();
        await client.addFault({ ...fault, route: 'openLink' });
        const opening = context.waitForEvent('page');
        await card(page, 'links').getByRole('link', { name: /^Open/ }).click();
        const opened = await opening;
        await opened.getByText('stored').first().waitFor({ state: 'attached' });
        for (const selector of ['#script', '#form button'])
          if ((await opened.locator(selector).count()) > 0) await opened.locator(selector).click();
        // The dashboard shows a session that is added after everything that the page did at once.
        const { reference } = await client.addSession('user-1', {});
        await card(page, 'sessions').getByText(reference).waitFor();
        t.same(sent, [], `${what} sends nothing to the control API`);
        t.match(opened.url(), /\/verify\//, what);
        t.equal(await opened.title(), 'stored', what);
        await opened.close();
      }
      t.same((await mock.clients()).map(({ clientId }) => clientId).sort(), ['partner', 'victim']);
    });
  }

  t.test('texts that a partner stores are shown as text on the dashboard and on the pages', async (t) => {
    const markup = `"><script>document.title='ran'</script><img src=x onerror="document.title='ran'">`;
    await using mock = await startMockServer({ port: 0, clients: [partner, victim], controlToken: TOKEN });
    const client = await connectMock(mock.url, { token: PARTNER_TOKEN }).client('partner');
    await client.update({ name: markup, branding: { displayName: markup } });
    await client.setSessions(markup, [{ reference: markup, status: markup, extra: { [markup]: markup } }]);
    const request = linkRequest(markup);
    await client.createLink({ ...request, config: { ...request.config, policy: { provider: markup } } });
    await client.snapshot(markup);
    await client.addFault({ userId: markup, route: 'listSessions', body: markup });
    const headers = { 'x-api-key': partner.apiKey, 'content-type': 'application/json', 'x-note': markup };
    for (const path of [`sessions/${encodeURIComponent(markup)}`, `sessions/${encodeURIComponent('<b>')}`])
      await fetch(`${mock.url}/partner/${path}`, { headers });
    await fetch(`${mock.url}/partner/link`, { method: 'POST', headers, body: JSON.stringify({ markup }) });
    const { page, context } = await openDashboard(t, browser, mock, CREDENTIALS);
    for (const row of await page.locator('summary').all()) await row.click();
    t.equal(await page.title(), 'partner · claimlink mock');
    t.equal(await page.locator('main img').count(), 0);
    const opening = context.waitForEvent('page');
    await card(page, 'links').getByRole('link', { name: /^Open/ }).first().click();
    const opened = await opening;
    await opened.locator('#claim').waitFor();
    t.not(await opened.title(), 'ran');
    t.equal(await opened.locator('img[src=x]').count(), 0);
    for (const path of ['state', 'scenario', 'requests', 'links', 'snapshots', 'faults']) {
      const response = await opened.goto(`${mock.url}/__mock/${path}`);
      t.match(response?.headers(), { 'content-type': /json/, 'x-content-type-options': 'nosniff' }, path);
      t.not(await opened.title(), 'ran', path);
    }
    await opened.goto(
      `${mock.url}/__mock/callback?reference=${encodeURIComponent(markup)}&status=${encodeURIComponent(markup)}`,
    );
    t.match(await opened.title(), /^Callback/);
  });

  t.test('a page of the service that a fault asks for works as it does in the service', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { url } = await makeLink(mock);
    await mock.addFault({ route: 'openLink', delayMs: 1 });
    const context = await browser.newContext();
    t.teardown(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    t.equal(await page.evaluate('self.origin'), mock.url, 'a delayed page has its origin');
    await mock.failNext({ route: 'openLink', status: 410 });
    const response = await page.goto(url);
    t.equal(response?.status(), 410);
    t.equal(await page.evaluate('self.origin'), mock.url);
  });
}
