// Carries control calls of this process to the app of a mock, without a port.
import { unreachable } from './client/control-client.js';
import type { ControlTransport } from './client/transport.js';
import type { MockApp } from './http/app.js';
import { isInScope } from './http/events.js';
import { INTERNAL_HEADER } from './http/guard.js';
import type { MockState } from './state/types.js';

/** Creates the transport. It also works if the mock has no control routes for others, or asks for a token. */
export function createInProcessTransport(
  { app, internalToken }: MockApp,
  state: MockState,
): ControlTransport {
  return {
    async request({ method, path, body }) {
      try {
        const response = await app.inject({
          method,
          url: `/__mock${path}`,
          headers: {
            [INTERNAL_HEADER]: internalToken,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { payload: JSON.stringify(body) }),
        });
        return { status: response.statusCode, body: response.body };
      } catch (error) {
        throw unreachable('The mock is closed.', error);
      }
    },
    async subscribe(scope, { onEvent, onClose }) {
      return state.events.subscribe((event) => {
        if (isInScope(event, scope)) onEvent(event);
      }, onClose);
    },
  };
}
