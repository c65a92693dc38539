// Vitest: one mock for the run, two workers. Run it: vitest run
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { globals: true, include: ['*.test.mjs'], globalSetup: './global-setup.mjs', maxWorkers: 2 },
});
