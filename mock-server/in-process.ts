// The methods of a mock in this process: control calls reach its app without a port.
import { createControlClient, unreachable } from './client/control-client.js';
import type { MockControl } from './control.js';
import type { MockApp } from './http/app.js';
import type { MockState } from './state/mock-state.js';

/**
 * Creates the methods. They also work if the mock has no control routes for others, or asks for a token. `open` is
 * called for each call.
 */
export function createInProcessControl(
  open: () => Promise<{ state: MockState; mock: MockApp }>,
): MockControl {
  return createControlClient({
    async request({ method, path, headers, body }) {
      const { mock } = await open();
      try {
        const options = { method, url: `/__mock${path}`, ...(headers && { headers }), ...(body && { body }) };
        const response = await mock.inject(options, { isControl: true });
        return { status: response.statusCode, body: response.body };
      } catch (error) {
        throw unreachable('The mock is closed.', error);
      }
    },
    async subscribe(scope, onEvent, onClose) {
      return (await open()).state.events.subscribe(onEvent, onClose, scope);
    },
  });
}
