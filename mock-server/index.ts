/**
 * The mock, for tests and for programs that embed it.
 *
 * @module claimlink/mock-server
 */

export type * from './control.js';
export { MockControlError } from './control-error.js';
export type { LogFormat } from './defaults.js';
export { createMockFetch, type MockFetch, type MockFetchOptions } from './mock-fetch.js';
export type { LogStream, MockServerOptions, MockWorldOptions } from './options.js';
export {
  type Scenario,
  type ScenarioClient,
  type ScenarioClock,
  type ScenarioContact,
  type ScenarioLink,
  type ScenarioSession,
  type ScenarioUser,
  scenarioSchema,
} from './scenario/scenario.js';
export { checkScenario } from './scenario/scenario-check.js';
export { loadScenario } from './scenario/scenario-file.js';
export { createSeeder, type Seeder, type SeederOptions } from './seed/seed.js';
export { createSeededStorage, type SeededStorageOptions } from './seed/seeded-storage.js';
export { type MockServer, startMockServer } from './server.js';
