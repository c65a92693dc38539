// What the tests are given: a tenant for each worker, and the front end opened as one of its users.
import { test as base } from '@playwright/test';
import { createTenant } from '../tenant.mjs';

export { expect } from '@playwright/test';

const { MOCK_URL, FRONTEND_URL } = process.env;

export const test = base.extend({
  tenant: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures are wanted from the pattern.
    async ({}, use) => {
      const tenant = await createTenant(MOCK_URL);
      await use(tenant);
      await tenant.remove();
    },
    { scope: 'worker' },
  ],
  openApp: async ({ page, tenant }, use) => {
    await use(async (user) => {
      const { baseUrl, clientId, apiKey } = tenant;
      await page.addInitScript(
        (config) => {
          globalThis.config = config;
        },
        { baseUrl, clientId, apiKey, user },
      );
      await page.goto(FRONTEND_URL);
      return page;
    });
  },
});

test.beforeEach(({ tenant }) => tenant.reset());
