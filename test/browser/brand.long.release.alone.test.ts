// The brand of a client: its logo loads, nothing else of that origin does, and its colours are readable.
import t from 'tap';
import { sized } from '../size.js';
import { axeViolations } from './axe.js';
import { launchEngines } from './engines.js';
import { startHost } from './host.js';
import { openPage } from './page-walk.js';

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40"/></svg>`;
const branding = {
  displayName: 'Nordlicht',
  logoUrl: 'https://img.example/logo.svg',
  primaryColor: '#757575',
  supportUrl: 'https://nordlicht.example/help',
  imprintUrl: 'https://nordlicht.example/imprint',
};

for (const engine of await launchEngines(t)) {
  t.test(`a logo of another origin loads, a script of that origin does not${engine.suffix}`, async (t) => {
    const host = await startHost(t, {}, { branding });
    const page = await openPage(t, engine, 'about:blank');
    await page.route('https://img.example/**', (route) =>
      route.request().url().endsWith('.svg')
        ? route.fulfill({ contentType: 'image/svg+xml', body: LOGO })
        : route.fulfill({ contentType: 'text/javascript', body: 'document.title = "run"' }),
    );
    await page.goto(await host.mint());
    await page.locator('.logo').waitFor();
    t.equal(
      await page.evaluate(
        "document.querySelector('.logo').decode().then(() => document.querySelector('.logo').naturalWidth)",
      ),
      120,
    );
    const violation = await page.evaluate<string>(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        resolve(effectiveDirective + ' ' + blockedURI));
      const script = document.createElement('script');
      script.src = 'https://img.example/script.js';
      document.head.append(script);
    })`);
    t.equal(violation, 'script-src-elem https://img.example/script.js');
    t.not(await page.title(), 'run');
  });

  if (engine.name === 'Chromium') {
    for (const nameInLogo of [false, true])
      t.test(
        `a logo that loads late shifts nothing${nameInLogo ? ', with the name in it' : ''}`,
        async (t) => {
          const host = await startHost(t, {}, { branding: { ...branding, nameInLogo } });
          const page = await openPage(t, engine, 'about:blank', { viewport: { width: 390, height: 844 } });
          let load = () => {};
          const isShown = new Promise<void>((resolve) => (load = resolve));
          const body = LOGO.replaceAll('120', '1200').replaceAll('"40"', '"480"');
          await page.route('https://img.example/**', async (route) => {
            await isShown;
            await route.fulfill({ contentType: 'image/svg+xml', body });
          });
          await page.goto(await host.mint(), { waitUntil: 'domcontentloaded' });
          await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
          window.shift = 0;
          new PerformanceObserver((list) => {
            for (const { value } of list.getEntries()) window.shift += value;
          }).observe({ type: 'layout-shift' });
          resolve();
        })))`);
          load();
          const box = await page.evaluate<number[]>(`document.querySelector('.logo').decode().then(() =>
          new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))))
          .then(() => {
            const { width, height } = document.querySelector('.logo').getBoundingClientRect();
            return [width, height, window.shift];
          })`);
          t.strictSame(box, [160, 40, 0]);
        },
      );
  }

  const colorSchemes = engine.name === 'Firefox' ? [] : (['dark', 'light'] as const).slice(0, sized(1, 1, 2));
  for (const colorScheme of colorSchemes) {
    t.test(`axe finds nothing on branded pages in the ${colorScheme} theme`, async (t) => {
      const host = await startHost(t, {}, { branding });
      const viewport = { width: 320, height: 640 };
      const page = await openPage(t, engine, await host.mint(), { colorScheme, viewport });
      const check = async (state: string) => {
        t.same(await axeViolations(page), [], state);
        t.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320, state);
      };
      await check('form');
      for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Next' }).click();
      await check('review');
      await page.getByRole('button', { name: 'Send claim' }).click();
      await page.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      await check('success');
    });
  }

  t.test(`only the origins of the client may frame its pages${engine.suffix}`, async (t) => {
    const allowed = await startHost(t);
    const portal = allowed.callbackOrigin;
    const host = await startHost(t, {}, { frameAncestors: [portal] });
    const page = await openPage(t, engine, portal);
    const frame = async (url: string) => {
      await page.evaluate(`document.body.innerHTML = '<iframe src="${url}"></iframe>'`);
      const content = await (await page.waitForSelector('iframe')).contentFrame();
      await content?.waitForLoadState();
      return content?.locator('h1').allInnerTexts();
    };
    t.same(await frame(await host.mint()), ['Report a claim']);
    const rejected = await frame(await allowed.mint());
    t.equal(rejected?.includes('Report a claim'), false, 'by default no page can frame it');
  });
}
