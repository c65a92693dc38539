// The published test kit: conformance suites that any test runner can run.
export { isNotApplicable, NotApplicableError } from './contract-suite/expect.js';
export { type ContractCase, contractSuite } from './contract-suite/suite.js';
export type { ContractTarget } from './contract-suite/target.js';
export { type ConformanceCase, storageSuite } from './storage-suite/suite.js';
