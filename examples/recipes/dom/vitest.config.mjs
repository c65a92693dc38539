// Vitest: the mock in a test with a DOM. Run it: vitest run --environment jsdom
import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { globals: true, include: ['*.test.mjs'] } });
