// What the user sees when the service fails.
import { workSideBySide } from '../side-by-side.mjs';
import { baseUrl, expect, mock, test } from './fixtures.mjs';

test('the page reports a failure of the service, and the next attempt works', async ({ openApp, client }) => {
  await client.failNext({ route: 'createLink', status: 500 });
  const page = await openApp('user-1');
  await expect(page.getByRole('status')).toHaveText(/\d claims/);
  await page.getByRole('button', { name: 'Report a claim' }).click();
  await expect(page.getByRole('status')).toHaveText('Please try again later (500).');
  await page.getByRole('button', { name: 'Report a claim' }).click();
  await expect(page.getByRole('link', { name: 'Open the form' })).toBeVisible();
  const requests = await client.waitForRequests({ route: 'createLink', count: 2 });
  expect(requests.map(({ status }) => status)).toEqual([500, 200]);
});

test('an old link has expired', async ({ openApp, client }) => {
  const page = await openApp('user-1');
  await page.getByRole('button', { name: 'Report a claim' }).click();
  const url = await page.getByRole('link', { name: 'Open the form' }).getAttribute('href');
  await client.advanceClock(24 * 60 * 60 * 1000);
  expect((await page.goto(url)).status()).toBe(410);
});

test('the clients of two workers are separate', async ({ client }) => {
  const { actual, expected } = await workSideBySide({ mock, client, baseUrl, worker: 1 });
  expect(actual).toEqual(expected);
});
