// A user reports a claim in a second tab, and the first tab lists it.
// #region test
import { expect, test } from './fixtures.mjs';

test('a reported claim is listed among the claims of the user', async ({ openApp, context, client }) => {
  const page = await openApp('user-empty');
  await expect(page.getByRole('status')).toHaveText('0 claims');
  await page.getByRole('button', { name: 'Report a claim' }).click();
  const form = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Open the form' }).click();
  const tab = await form;
  for (let step = 0; step < 3; step++) await tab.getByRole('button', { name: 'Next' }).click();
  await tab.getByRole('button', { name: 'Send claim' }).click();
  await expect(tab.getByRole('heading', { name: 'Your claim has been sent' })).toBeVisible();

  const [{ reference, state }] = await client.links();
  expect(state).toBe('submitted');
  await page.reload();
  await expect(page.getByRole('listitem')).toHaveText([`${reference}: submitted`]);
});

// #endregion

import { workSideBySide } from '../side-by-side.mjs';
import { baseUrl, mock } from './fixtures.mjs';

test('the clients of two workers are separate', async ({ client }) => {
  const { actual, expected } = await workSideBySide({ mock, client, baseUrl, worker: 0 });
  expect(actual).toEqual(expected);
});
