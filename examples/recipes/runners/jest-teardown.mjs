// Closes the mock after the last worker. Vitest calls the function that global-setup.mjs returns.
export default () => globalThis.closeMock();
