/**
 * The mock, for tests and for programs that embed it.
 *
 * @module claimlink/mock-server
 */

export type {
  DataControl,
  LinkSubmissionResult,
  MockClientControl,
  MockControl,
  SharedControl,
} from './control/methods.js';
export type * from './control.js';
export { MockControlError } from './control-error.js';
export type { LogFormat } from './defaults.js';
export { createMockFetch, type MockFetch } from './mock-fetch.js';
export type { LogStream, MockFetchOptions, MockServerOptions } from './options.js';
export type {
  LaterChange,
  MockSession,
  Scenario,
  ScenarioClient,
  ScenarioClock,
  ScenarioLink,
  ScenarioSession,
  ScenarioUser,
} from './scenario/scenario.js';
export { loadScenario } from './scenario/scenario-file.js';
export { type MockServer, startMockServer } from './server.js';
