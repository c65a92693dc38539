// Jest, with ES modules: the mock in a test with a DOM. Run it: NODE_OPTIONS=--experimental-vm-modules jest -c dom/jest.config.mjs
export default {
  testMatch: ['**/*.test.mjs'],
  transform: {},
  testEnvironment: '../jest/jsdom-with-fetch.mjs',
};
