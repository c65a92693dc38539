// The methods of a mock in this process: control calls reach its app without a port.
import { createControlClient, unreachable } from './client/control-client.js';
import type { MockControl } from './control.js';
import type { MockApp } from './http/app.js';
import { INTERNAL_HEADER } from './http/guard.js';
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
      const { app, internalToken } = (await open()).mock;
      try {
        const response = await app.inject({
          method,
          url: `/__mock${path}`,
          headers: { ...headers, [INTERNAL_HEADER]: internalToken },
          ...(body !== undefined && { body }),
        });
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
