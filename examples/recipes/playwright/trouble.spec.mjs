// What the user sees when the service fails.
import { workSideBySide } from '../side-by-side.mjs';
import { baseUrl, expect, mock, test } from './fixtures.mjs';

test('the page reports a failure of the service, and the next attempt works', async ({ openApp, tenant }) => {
  await tenant.failNext({ route: 'createLink', status: 500 });
  const page = await openApp('user-1');
  await expect(page.getByRole('status')).toHaveText(/\d claims/);
  await page.getByRole('button', { name: 'Report a claim' }).click();
  await expect(page.getByRole('status')).toHaveText('Please try again later (500).');
  await page.getByRole('button', { name: 'Report a claim' }).click();
  await expect(page.getByRole('link', { name: 'Open the form' })).toBeVisible();
  const requests = await tenant.waitForRequests({ route: 'createLink', count: 2 });
  expect(requests.map(({ status }) => status)).toEqual([500, 200]);
});

test('an old link has expired', async ({ openApp, tenant }) => {
  const page = await openApp('user-1');
  await page.getByRole('button', { name: 'Report a claim' }).click();
  const url = await page.getByRole('link', { name: 'Open the form' }).getAttribute('href');
  await tenant.advanceClock(24 * 60 * 60 * 1000);
  expect((await page.goto(url)).status()).toBe(410);
});

test('the tenants of two workers are separate', async ({ tenant }) => {
  const { seen, expected } = await workSideBySide({ mock, tenant, baseUrl, worker: 1 });
  expect(seen).toEqual(expected);
});
