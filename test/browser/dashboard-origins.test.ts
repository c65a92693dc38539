// A page of another origin in real Chromium: it can neither drive the mock nor read of it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type MockServer, startMockServer } from '../../mock-server/index.js';
import { mintLink } from '../mock-server/links.js';
import { launchChromium } from './chromium.js';

/** What a page may try to change something with, as code that runs in it. */
const WRITES: Record<string, string> = {
  'a form by fetch, as browsers send without asking': `fetch(MOCK + '/__mock/dashboard/reset', { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ client: 'demo', scope: 'all' }) })`,
  'a plain POST of the control API': `fetch(MOCK + '/__mock/reset', { method: 'POST', mode: 'no-cors' })`,
  'a POST that says it is text': `fetch(MOCK + '/__mock/clock/advance', { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: '{"ms":1000}' })`,
  'a POST of JSON, which browsers ask for first': `fetch(MOCK + '/__mock/clients', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"clientId":"evil"}' })`,
  'a PUT, which browsers ask for first': `fetch(MOCK + '/__mock/clock', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"isFrozen":true}' })`,
  'a DELETE, which browsers ask for first': `fetch(MOCK + '/__mock/requests', { method: 'DELETE' })`,
  'a beacon, which outlives its page': `fetch(MOCK + '/__mock/reset', { method: 'POST', mode: 'no-cors', keepalive: true })`,
};

/** What a page may try to read; the code resolves to the text that it got. */
const READS: Record<string, string> = {
  'the journal': `fetch(MOCK + '/__mock/requests').then((answer) => answer.text())`,
  'the journal, credentials and all': `fetch(MOCK + '/__mock/requests', { credentials: 'include' }).then((answer) => answer.text())`,
  'the journal without asking': `fetch(MOCK + '/__mock/requests', { mode: 'no-cors' }).then((answer) => answer.text())`,
  'the links': `fetch(MOCK + '/__mock/links').then((answer) => answer.text())`,
  'the dashboard': `fetch(MOCK + '/').then((answer) => answer.text())`,
  'the events': `new Promise((resolve) => {
    var source = new EventSource(MOCK + '/__mock/events');
    source.onopen = function () { resolve('open'); };
    source.onerror = function () { source.close(); resolve(''); };
  })`,
  'the dashboard in a frame': `new Promise((resolve) => {
    var frame = document.createElement('iframe');
    frame.onload = function () {
      try { resolve(frame.contentDocument.body.textContent); } catch (error) { resolve(''); }
    };
    frame.src = MOCK + '/';
    document.body.append(frame);
  })`,
};

/** The code as it runs in a page: against this mock, resolving to a text, '' for what was kept from it. */
function attempt(mock: MockServer, code: string | undefined): string {
  return `${code?.replaceAll('MOCK', JSON.stringify(mock.url))}.then(String, () => '')`;
}

const browser = await launchChromium(t);
if (browser !== undefined) {
  const mock = await startWithTraces();
  const context = await browser.newContext();
  t.teardown(() => mock.close());

  // The same machine under another port is the same site to a browser; under another name it is not.
  const elsewhere = new Map<string, Page>();
  for (const name of ['127.0.0.1', 'localhost']) {
    const page = await context.newPage();
    await page.goto(`http://${name}:${await startEvil(t)}/`);
    elsewhere.set(name, page);
  }

  for (const [name, page] of elsewhere) {
    for (const [what, code] of Object.entries(WRITES)) {
      t.test(`from another origin (${name}), nothing is changed by ${what}`, async (t) => {
        const before = tracesOf(mock);
        await page.evaluate(attempt(mock, code));
        t.same(tracesOf(mock), before);
      });
    }

    for (const [what, code] of Object.entries(READS)) {
      t.test(`from another origin (${name}), nothing is read of ${what}`, async (t) => {
        t.equal(await page.evaluate(attempt(mock, code)), '');
      });
    }

    t.test(`from another origin (${name}), a form that navigates is refused`, async (t) => {
      const before = tracesOf(mock);
      const answer = page.waitForResponse(`${mock.url}/__mock/dashboard/reset`);
      await page.evaluate(`(() => {
        var form = document.createElement('form');
        form.method = 'post';
        form.action = ${JSON.stringify(mock.url)} + '/__mock/dashboard/reset';
        document.body.append(form);
        form.submit();
      })()`);
      t.equal((await answer).status(), 403);
      t.same(tracesOf(mock), before);
    });
  }

  t.test('from its own origin, the same code reads it all', async (t) => {
    const page = await context.newPage();
    // A page of the mock's origin that no policy of the mock holds back.
    await page.goto(`${mock.url}/__mock/health`);
    for (const what of ['the journal', 'the links', 'the dashboard', 'the events'])
      t.not(await page.evaluate(attempt(mock, READS[what])), '', what);
  });

  t.test('from its own origin, the same code changes what it wants to', async (t) => {
    const page = await context.newPage();
    for (const [what, code] of Object.entries(WRITES)) {
      // Refused to anybody: the control API takes JSON only.
      if (what.includes('says it is text')) continue;
      await using mine = await startWithTraces();
      await page.goto(`${mine.url}/__mock/health`);
      const before = tracesOf(mine);
      await page.evaluate(attempt(mine, code));
      t.notSame(tracesOf(mine), before, what);
    }
  });
}

/** A mock in which something could be lost. */
async function startWithTraces(): Promise<MockServer> {
  const mock = await startMockServer({ port: 0 });
  await mintLink(mock.url);
  return mock;
}

function tracesOf(mock: MockServer) {
  const { isFrozen, offsetMs } = mock.clock.read({ clientId: 'demo' });
  return {
    links: mock.links().map(({ id, state }) => [id, state]),
    requests: mock.requests().map(({ id }) => id),
    clients: mock.clients.map(({ clientId }) => clientId),
    clock: { isFrozen, offsetMs },
  };
}

/** Serves a page that has nothing to do with the mock; resolves to its port. */
async function startEvil(t: Test): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,"><body></body>');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
