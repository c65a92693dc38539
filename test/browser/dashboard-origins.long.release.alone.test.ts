// Pages of other origins in Chromium: they can neither control the mock nor read from it. Local apps may call the API.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type MockServer, startMockServer } from '../../mock-server/index.js';
import { REPOSITORY } from '../repository.js';
import { launchChromium } from './chromium.js';
import { makeLink, openDashboard } from './dashboard-page.js';

const JSON_HEADERS = `headers: { 'content-type': 'application/json', 'x-api-key': 'clk_test_demo' }`;

/** Code in a page that would change something. */
const WRITES: Record<string, string> = {
  'a POST without a preflight': `fetch(MOCK + '/__mock/reset', { method: 'POST', mode: 'no-cors' })`,
  'a form by fetch': `fetch(MOCK + '/__mock/reset', { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ clientId: 'demo' }) })`,
  'a POST that claims to be text': `fetch(MOCK + '/__mock/advanceClock', { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: '{"ms":1000}' })`,
  'a POST of JSON': `fetch(MOCK + '/__mock/addClient', { method: 'POST', ${JSON_HEADERS}, body: '{"clientId":"evil"}' })`,
  'a POST of JSON to the clock': `fetch(MOCK + '/__mock/setClock', { method: 'POST', ${JSON_HEADERS}, body: '{"isFrozen":true}' })`,
  'a POST without a body': `fetch(MOCK + '/__mock/clearRequests', { method: 'POST' })`,
  'a request that outlives its page': `fetch(MOCK + '/__mock/reset', { method: 'POST', mode: 'no-cors', keepalive: true })`,
};

/** Code in a page that reads: it resolves to the text that it got. */
const READS: Record<string, string> = {
  'the request log': `fetch(MOCK + '/__mock/requests').then((response) => response.text())`,
  'the request log with credentials': `fetch(MOCK + '/__mock/requests', { credentials: 'include' }).then((response) => response.text())`,
  'the request log without CORS': `fetch(MOCK + '/__mock/requests', { mode: 'no-cors' }).then((response) => response.text())`,
  'the links': `fetch(MOCK + '/__mock/links').then((response) => response.text())`,
  'the dashboard': `fetch(MOCK + '/').then((response) => response.text())`,
  'the events': `new Promise((resolve) => {
    const source = new EventSource(MOCK + '/__mock/events');
    source.onopen = () => { source.close(); resolve('open'); };
    source.onerror = () => { source.close(); resolve(''); };
  })`,
};

const IN_FRAME = `new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.onload = () => {
    try { resolve(frame.contentDocument.body.textContent); } catch { resolve(''); }
  };
  frame.src = MOCK + '/';
  document.body.append(frame);
})`;

const LISTING = `fetch(MOCK + '/demo/sessions/user-1', { ${JSON_HEADERS} }).then((response) => response.text())`;
const TRACED = LISTING.replace(
  `headers: {`,
  `headers: { traceparent: '00-0', 'x-request-id': '1', authorization: 'x',`,
);
const LINK = `fetch(MOCK + '/demo/link', { method: 'POST', ${JSON_HEADERS}, body: JSON.stringify({
  callbackUrl: location.origin + '/done',
  config: { contact: { email: 'a@example.com', phone: '1' }, currentUserId: 'user-1' },
}) }).then((response) => response.text())`;

/** Runs code in a page against the mock. Resolves to '' if it failed. */
function attempt(page: Page, url: string, code: string): Promise<string> {
  return page.evaluate(`${code.replaceAll('MOCK', JSON.stringify(url))}.then(String, () => '')`);
}

const browser = await launchChromium(t, ['--host-resolver-rules=MAP *.example 127.0.0.1']);
if (browser !== undefined) {
  const mock = await startWithState();
  const { port } = mock;
  const context = await browser.newContext();
  t.teardown(() => mock.close());

  // To a browser another port of the same machine is the same site. Another name is another site.
  const otherPort = await startOtherServer(t);
  const pages = new Map<string, Page>();
  for (const host of ['127.0.0.1', 'localhost', 'evil.example']) {
    const page = await context.newPage();
    await page.goto(`http://${host}:${otherPort}/`);
    pages.set(host, page);
  }

  for (const [host, page] of pages) {
    for (const [what, code] of Object.entries(WRITES)) {
      t.test(`a page of ${host} on another port changes nothing by ${what}`, async (t) => {
        const before = await stateOf(mock);
        await attempt(page, mock.url, code);
        t.same(await stateOf(mock), before);
      });
    }

    for (const [what, code] of [...Object.entries(READS), ['the dashboard in a frame', IN_FRAME] as const]) {
      t.test(`a page of ${host} on another port cannot read ${what}`, async (t) => {
        t.equal(await attempt(page, mock.url, code), '');
      });
    }
  }

  t.test('a page on localhost lists sessions and makes a link without any flag', async (t) => {
    const page = pages.get('localhost') as Page;
    t.match(JSON.parse(await attempt(page, mock.url, LISTING)), [{ reference: String }]);
    t.match(JSON.parse(await attempt(page, mock.url, TRACED)), [{ reference: String }], 'with other headers');
    t.match(JSON.parse(await attempt(page, mock.url, LINK)), { data: /\/verify\// });
  });

  t.test('a page of a control origin controls the mock by connectMock, and hears its events', async (t) => {
    const page = pages.get('evil.example') as Page;
    await using open = await startMockServer({
      port: 0,
      controlOrigins: [`http://evil.example:${otherPort}`],
    });
    const call = (url: string) =>
      attempt(
        page,
        url,
        `import('/dist/mock-server/control/connect.js').then(async ({ connectMock }) => {
          const mock = connectMock(MOCK);
          const client = await mock.addClient({ clientId: 'acme' });
          const event = new Promise((resolve) => client.subscribe(resolve, { onClose: resolve }).then(() =>
            client.failNext({ status: 503 })));
          return (await event).part;
        })`,
      );
    t.equal(await call(open.url), 'faults');
    t.match(await open.faults({ clientId: 'acme' }), [{ status: 503 }]);
    t.equal(await call(mock.url), '', 'without the option it cannot');
  });

  t.test('frames of a page cannot take the readers of events, and links lead to the dashboard', async (t) => {
    const page = await context.newPage();
    await page.goto(`http://evil.example:${otherPort}/`);
    await page.evaluate(
      `Promise.all(Array.from({ length: 51 }, (_, index) => new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.onload = resolve;
        frame.src = 'http://h' + index + '.localhost:${port}/__mock/events';
        document.body.append(frame);
      })))`,
    );
    t.equal((await fetch(`${mock.url}/__mock/events`, { signal: AbortSignal.timeout(5000) })).status, 200);
    await page.setContent(`<a href="${mock.url}/">dashboard</a>`);
    await page.getByRole('link').click();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  t.test('a page on another host name cannot call the API', async (t) => {
    const page = pages.get('evil.example') as Page;
    t.equal(await attempt(page, mock.url, LISTING), '');
    t.equal(await attempt(page, mock.url, LINK), '');
  });

  t.test('a host name that resolves to 127.0.0.1 gets nothing from the mock itself', async (t) => {
    const page = await context.newPage();
    const response = await page.goto(`http://rebound.example:${port}/`);
    t.equal(response?.status(), 403);
    const url = `http://rebound.example:${port}`;
    const before = await stateOf(mock);
    for (const code of Object.values(WRITES)) await attempt(page, url, code);
    t.same(await stateOf(mock), before);
    for (const code of [...Object.values(READS), LISTING, LINK]) {
      t.notMatch(await attempt(page, url, code), /reference|verify|user-1|open|dashboard/);
    }
  });

  t.test('a page of the mock reads all of it with the same code, and changes it by JSON only', async (t) => {
    const page = await context.newPage();
    for (const [what, code] of Object.entries(WRITES)) {
      await using ownMock = await startWithState();
      // A page of the mock without a policy that restricts it.
      await page.goto(`${ownMock.url}/__mock/health`);
      for (const read of Object.values(READS).filter((code) => !code.includes('no-cors'))) {
        t.not(await attempt(page, ownMock.url, read), '');
      }
      const before = await stateOf(ownMock);
      await attempt(page, ownMock.url, code);
      const after = await stateOf(ownMock);
      // A redirect of a page of the mock cannot send JSON.
      if (what.includes('JSON')) t.notSame(after, before, what);
      else t.same(after, before, what);
    }
  });

  t.test('the policy of the dashboard allows no other script, style or frame', async (t) => {
    const { page } = await openDashboard(t, browser, mock);
    const policy = (await page.reload())?.headers()['content-security-policy'] ?? '';
    t.match(policy, /default-src 'none'/);
    t.match(policy, /script-src 'nonce-/);
    t.match(policy, /frame-ancestors 'none'/);
    t.notMatch(policy, /unsafe/);
    t.notOk(await page.locator('[style]').count(), 'no style attribute');
  });
}

/** A mock in which something could be lost. */
async function startWithState(): Promise<MockServer> {
  const mock = await startMockServer({ port: 0 });
  await makeLink(mock);
  await fetch(`${mock.url}/demo/sessions/user-1`, { headers: { 'x-api-key': 'clk_test_demo' } });
  return mock;
}

async function stateOf(mock: MockServer) {
  const { isFrozen, offsetMs } = await mock.clock({ clientId: 'demo' });
  return {
    links: (await mock.links()).map(({ url, state }) => [url, state]),
    hasRequests: (await mock.countRequests({ clientId: 'demo' })) > 0,
    clients: (await mock.clients()).map(({ clientId }) => clientId),
    clock: { isFrozen, offsetMs },
  };
}

/** Serves a page that has nothing to do with the mock, and the package. Resolves to its port. */
async function startOtherServer(t: Test): Promise<number> {
  const server = createServer(async ({ url = '/' }, response) => {
    if (url.startsWith('/dist/')) {
      response.setHeader('content-type', 'text/javascript');
      response.end(await readFile(new URL(`.${url}`, REPOSITORY)));
      return;
    }
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Another page</title><link rel="icon" href="data:,"><body></body>');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
