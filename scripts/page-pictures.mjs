// Writes pictures of the standalone pages to a new folder, for people to look at: every state of the pages, in six
// languages, two brands, light and dark, at the width of a phone and of a desktop. One file has all states of a page.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createNodeHandler } from '../dist/lib/adapters/node.js';
import { createClaimlink, createLinkSigner, createMemoryStorage } from '../dist/lib/index.js';
import { launchChromium } from './chromium.mjs';

const { values: flags } = parseArgs({
  options: { language: { type: 'string', multiple: true, default: ['en', 'de', 'fr', 'pl', 'fi', 'it'] } },
});

const LOGO_URL = 'https://logo.example/logo.svg';
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40" rx="8" fill="#7a1f5c"/>' +
  '<path d="M16 28 30 10l14 18M56 14h48M56 24h32" stroke="#fff" stroke-width="4" fill="none"/></svg>';

const BRANDS = {
  plain: {},
  nordlicht: {
    displayName: 'Nordlicht Versicherungsverein',
    logoUrl: LOGO_URL,
    primaryColor: '#7a1f5c',
    supportUrl: 'https://nordlicht.example/help',
    imprintUrl: 'https://nordlicht.example/imprint',
  },
};

const CALLBACK = 'https://app.example.com/claims?reference={SESSION_REFERENCE}';
const COMPLETE_POLICY = {
  provider: 'Northwind Mutual',
  number: 'NW-2026-000123',
  validFrom: '2026-01-01',
  validTo: '2026-12-31',
  holder: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@mail.example', phone: '+44 7700 900123' },
  vehicle: { licensePlate: 'AB12 CDE' },
};
const INCOMPLETE_POLICY = {
  ...COMPLETE_POLICY,
  linkedContacts: [{ firstName: 'Charles', lastName: 'Babbage', email: 'charles' }],
};

let handler;
const server = createServer((req, res) => handler(req, res));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const publicUrl = `http://127.0.0.1:${server.address().port}`;
const claimlink = createClaimlink({
  publicUrl,
  storage: createMemoryStorage({
    clients: Object.entries(BRANDS).map(([clientId, branding]) => ({
      clientId,
      name: 'Northwind Insurance',
      callbackOrigins: [new URL(CALLBACK).origin],
      branding,
    })),
  }),
  signer: createLinkSigner({
    keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: publicUrl,
  }),
});
handler = createNodeHandler(claimlink);

async function mint(clientId, policy) {
  const contact = {
    email: 'claims@northwind-insurance.example',
    phone: '+44 20 7946 0100',
    link: 'https://northwind-insurance.example/help',
  };
  const privacyPolicyUrl = 'https://northwind-insurance.example/privacy';
  const { url } = await claimlink.createLink(clientId, {
    callbackUrl: CALLBACK,
    config: { contact, currentUserId: 'user-1', privacyPolicyUrl, policy },
  });
  return url;
}

/** Goes through all states of the pages, and returns a picture of each. */
async function takePictures(page, clientId) {
  const pictures = [];
  const take = async () => pictures.push(await page.screenshot({ fullPage: true, animations: 'disabled' }));
  const next = page.locator('section[data-current] [data-next]');

  await page.goto(await mint(clientId, { vehicle: { licensePlate: 'AB12 CDE' } }));
  await next.click();
  await take();

  await page.goto(await mint(clientId, INCOMPLETE_POLICY));
  await take();
  await next.click();
  await take();
  await next.click();
  await next.click();
  await take();
  await page.locator('[data-remove]').click();
  await next.click();
  await take();

  await page.route('**/verify/**', (route) => route.abort(), { times: 1 });
  await page.locator('#send').click();
  await page.locator('#failure').waitFor();
  await take();
  await page.locator('#send').click();
  await page.locator('[data-stay]').waitFor();
  await take();
  await page.goto(page.url());
  await take();
  return pictures;
}

/** Places pictures side by side. */
async function writeSheet(browser, path, pictures, width) {
  const images = pictures
    .map((bytes) => `<img width="${width}" src="data:image/png;base64,${bytes.toString('base64')}">`)
    .join('');
  const page = await browser.newPage({ viewport: { width: 4 * (width + 12) + 12, height: 600 } });
  await page.setContent(
    `<style>body{margin:12px;display:grid;grid-template-columns:repeat(4,${width}px);gap:12px;align-items:start;background:#888}</style>${images}`,
  );
  await page.screenshot({ path, fullPage: true });
  await page.close();
}

const folder = mkdtempSync(join(tmpdir(), 'claimlink-pages-'));
const browser = await launchChromium();
for (const clientId of Object.keys(BRANDS)) {
  for (const locale of flags.language) {
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [390, 1280]) {
        const context = await browser.newContext({ locale, colorScheme, viewport: { width, height: 800 } });
        await context.route(LOGO_URL, (route) => route.fulfill({ contentType: 'image/svg+xml', body: LOGO }));
        const page = await context.newPage();
        page.setDefaultTimeout(10_000);
        const pictures = await takePictures(page, clientId);
        await context.close();
        const path = join(folder, `${clientId}-${locale}-${colorScheme}-${width}.png`);
        await writeSheet(browser, path, pictures, Math.min(width, 640));
        console.log(path);
      }
    }
  }
}
await browser.close();
server.close();
