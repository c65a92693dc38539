// Jest, with ES modules: one mock for the run, two workers. Run it: NODE_OPTIONS=--experimental-vm-modules jest
export default {
  testMatch: ['**/*.test.mjs'],
  transform: {},
  globalSetup: './global-setup.mjs',
  globalTeardown: './jest-teardown.mjs',
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB', // makes Jest use both workers even for fast files
};
