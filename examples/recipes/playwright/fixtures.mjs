// Fixtures of the tests: a client for each worker, and the front end as one of its users.
import { test as base } from '@playwright/test';
import { connectMock } from 'claimlink/mock-client';

export { expect } from '@playwright/test';

const { MOCK_URL, FRONTEND_URL } = process.env;
export const mock = connectMock(MOCK_URL);
export const baseUrl = MOCK_URL;

export const test = base.extend({
  client: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern.
    async ({}, use, { parallelIndex }) => {
      const clientId = `client-${parallelIndex}`;
      await mock.removeClient(clientId); // of a worker that crashed
      const client = await mock.addClient({ clientId, name: `Worker ${parallelIndex}` });
      await use(client);
      await client.remove();
    },
    { scope: 'worker' },
  ],
  openApp: async ({ page, client }, use) => {
    await use(async (user) => {
      const { clientId, apiKey } = client;
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

test.beforeEach(({ client }) => client.reset());
