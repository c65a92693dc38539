// The published test kit: conformance suites that any test runner can run.
export { isNotApplicable, NotApplicableError } from './contract-expect.js';
export { type ContractCase, contractSuite } from './contract-suite.js';
export type { ContractTarget } from './contract-target.js';
export { type ConformanceCase, storageSuite } from './storage-suite.js';
