// Public entry claimlink/testing: conformance suites for any test runner.

export type { ConformanceCase } from './conformance-case.js';
export { isNotApplicable, NotApplicableError } from './contract-suite/expect.js';
export { type ContractCase, contractSuite } from './contract-suite/suite.js';
export type { ContractTarget } from './contract-suite/target.js';
export type { Provision, StorageRecords } from './storage-suite/provisioning.js';
export { type StorageCase, storageSuite } from './storage-suite/suite.js';
