/**
 * The mock, for tests and for programs that embed it.
 *
 * @module claimlink/mock-server
 */

export { MockControlError } from './control/control-error.js';
export type {
  DataControl,
  LinkSubmissionResult,
  MockClientControl,
  MockControl,
  PhotoInput,
  SharedControl,
} from './control/methods.js';
export type {
  LaterChange,
  MockSession,
  Scenario,
  ScenarioClient,
  ScenarioClock,
  ScenarioLink,
  ScenarioMoment,
  ScenarioNotice,
  ScenarioSession,
  ScenarioUser,
} from './control/scenario.js';
export type * from './control/types.js';
export { createMockFetch, type MockFetch } from './mock-fetch.js';
export { loadScenario } from './scenario/scenario-file.js';
export type { LogFormat } from './schemas/defaults.js';
export { type MockServer, startMockServer } from './server.js';
export type { LogStream, MockFetchOptions, MockServerOptions } from './state/options.js';
