// claimlink/mock-server: the mock, for tests and for programs that embed it.
export type { LogFormat } from './defaults.js';
export type { MockClientOptions, MockServerOptions } from './options.js';
export type { LogStream } from './output.js';
export {
  type Scenario,
  type ScenarioClient,
  type ScenarioSession,
  type ScenarioUser,
  scenarioSchema,
} from './scenario.js';
export { createSeeder, type Seeder, type SeederOptions } from './seed.js';
export { createSeededStorage, type SeededStorageOptions } from './seeded-storage.js';
export { type MockClient, type MockServer, startMockServer } from './server.js';
