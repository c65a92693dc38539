// A user reports a claim: the form opens in a second tab, and the claim shows in the first one.
// #region test
import { expect, test } from './fixtures.mjs';

test('a reported claim shows among the user’s claims', async ({ openApp, context, tenant }) => {
  const page = await openApp('user-empty');
  await expect(page.getByRole('status')).toHaveText('0 claims');
  await page.getByRole('button', { name: 'Report a claim' }).click();
  const form = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Open the form' }).click();
  const tab = await form;
  for (let step = 0; step < 3; step++) await tab.getByRole('button', { name: 'Next' }).click();
  await tab.getByRole('button', { name: 'Send claim' }).click();
  await expect(tab.getByRole('heading', { name: 'Your claim has been sent' })).toBeVisible();

  const [{ reference, state }] = await tenant.links();
  expect(state).toBe('submitted');
  await page.reload();
  await expect(page.getByRole('listitem')).toHaveText([`${reference}: submitted`]);
});

// #endregion

import { workSideBySide } from '../side-by-side.mjs';

test('the other worker does not see what this one does', async ({ tenant }) => {
  const { seen, expected } = await workSideBySide(tenant, 0);
  expect(seen).toEqual(expected);
});
