// The published test kit: conformance suites that any test runner can run.
export { type ConformanceCase, storageSuite } from './storage-suite.js';
