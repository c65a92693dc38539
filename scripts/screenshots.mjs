// Writes the pictures of the README, docs/images/*.png: the claim form and the dashboard in Chromium. The mock runs
// with a fixed seed and a fixed clock. Access codes, durations and fonts differ, so two runs may differ in some pixels.
import { mkdirSync, writeFileSync } from 'node:fs';
import upng from 'upng-js';
import { startMockServer } from '../dist/mock-server/index.js';
import { launchChromium } from './chromium.mjs';

const IMAGES = new URL('../docs/images/', import.meta.url);
const NOW = new Date('2026-03-02T09:30:00Z');
const SERVER = 'http://127.0.0.1:4010';

/** A palette makes a picture half as large. */
const COLOURS = 64;

mkdirSync(IMAGES, { recursive: true });
let time = NOW.getTime();
// The address in the picture is that of the documents. The server takes a free port.
const mock = await startMockServer({ port: 0, publicUrl: SERVER, now: () => new Date(time) });
const browser = await launchChromium();

const [{ clientId, apiKey }] = await mock.clients();
const config = {
  currentUserId: 'user-1',
  contact: { email: 'claims@demo-insurance.example', phone: '+44 20 7946 0100' },
  policy: {
    provider: 'Demo Insurance',
    number: 'P-2026-000123',
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    holder: {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada.lovelace@mail.example',
      phone: '+44 20 7946 0200',
    },
    vehicle: { licensePlate: 'AB12 CDE' },
  },
};
const callbackUrl = 'https://app.example.com/claims?reference={SESSION_REFERENCE}';
const here = (url) => url.replace(SERVER, mock.url);

async function call(path, body, headers = {}) {
  time += 60_000;
  const method = body === undefined ? 'GET' : 'POST';
  const init = { method, headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers } };
  const response = await fetch(`${mock.url}/${clientId}${path}`, {
    ...init,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
}

async function picture(name, url, { width, height }, prepare = async () => {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light', locale: 'en-GB' });
  await page.clock.setFixedTime(new Date(time));
  await page.goto(url);
  await prepare(page);
  const png = upng.decode(await page.screenshot({ animations: 'disabled' }));
  const [pixels] = upng.toRGBA8(png);
  writeFileSync(new URL(name, IMAGES), Buffer.from(upng.encode([pixels], width, height, COLOURS)));
}

const { data: form } = await call('/link', { callbackUrl, config });
await picture('claim-form.png', here(form), { width: 760, height: 720 });

await call('/sessions/user-1');
const { data: submitted } = await call('/link', { callbackUrl, callbackOnSubmit: true, config });
await mock.submitLink(submitted);
await call('/link', { callbackUrl, config: { ...config, contact: {} } });
await call('/sessions/user-1', undefined, { 'x-api-key': 'clk_test_wrong' });
await mock.addFault({ clientId, route: 'createLink', status: 503, times: 2 });
await call('/link', { callbackUrl, config });
await picture('dashboard.png', mock.url, { width: 1100, height: 800 }, async (page) => {
  await page.locator('#requests li').first().waitFor();
});
await browser.close();
await mock.close();
