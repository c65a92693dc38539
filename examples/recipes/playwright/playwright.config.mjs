// Playwright: one mock and the application's front end for the run, two workers. Run it: playwright test
import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

// The browser of the system if there is one, otherwise the browser of `playwright install`.
const { CHROMIUM_PATH = '/usr/bin/chromium' } = process.env;

export default defineConfig({
  globalSetup: './global-setup.mjs',
  workers: 2,
  reporter: 'list',
  expect: { timeout: 15_000 },
  outputDir: '../node_modules/.cache/playwright',
  use: {
    launchOptions: {
      ...(existsSync(CHROMIUM_PATH) && { executablePath: CHROMIUM_PATH }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
