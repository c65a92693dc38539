/**
 * Controls a running mock from another process or from a browser. Imports nothing but itself.
 *
 * @module claimlink/mock-client
 */

import { assertOptions, mustBeFunction, type OptionChecks } from '../../lib/core/assert-options.js';
import { createControl } from './client.js';
import { type ConnectOptions, createFetchTransport } from './fetch-transport.js';
import type { MockControl } from './methods.js';

export { MockControlError } from './control-error.js';
export type { ConnectOptions } from './fetch-transport.js';
export type {
  DataControl,
  LinkSubmissionResult,
  MockClientControl,
  MockControl,
  SharedControl,
} from './methods.js';
export type { LaterChange, MockSession, ScenarioNotice, ScenarioSession } from './scenario.js';
export type * from './types.js';

const CHECKS: OptionChecks<ConnectOptions> = {
  token: (value) => (typeof value === 'string' ? undefined : 'must be a text'),
  fetch: mustBeFunction,
};

/**
 * Returns the methods of a mock that runs at this URL, such as `http://127.0.0.1:4010`. Sends nothing yet: the first
 * call rejects if there is no mock.
 * @throws `options_invalid` for an unknown or invalid option.
 */
export function connectMock(url: string | URL, options: ConnectOptions = {}): MockControl {
  assertOptions(options, CHECKS);
  return createControl(createFetchTransport(String(url), options));
}
