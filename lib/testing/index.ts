/**
 * Test suites for any test runner.
 *
 * @module claimlink/testing
 */

export { isNotApplicable, NotApplicableError } from './contract-suite/expect.js';
export {
  type ContractCase,
  contractSuite,
  type FailedExchange,
  isRuleFailure,
  type RuleFailure,
} from './contract-suite/suite.js';
export type { ContractTarget } from './contract-suite/target.js';
export { type PhotoStoreSuiteOptions, photoStoreSuite } from './photo-store-suite/suite.js';
export type { ConformanceCase } from './storage-suite/conformance-case.js';
export type { LockEvent } from './storage-suite/outbox.js';
export type { Provision, StorageRecords } from './storage-suite/provisioning.js';
export { type StorageCase, type StorageSuiteOptions, storageSuite } from './storage-suite/suite.js';
