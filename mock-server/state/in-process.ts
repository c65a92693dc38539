// The methods of a mock in this process.

import { checkWith } from '../control/check.js';
import { createControl } from '../control/client.js';
import { MockControlError } from '../control/control-error.js';
import { controlError, invalidValue, toControlError } from '../control/errors.js';
import { METHODS, type MethodName, type MockControl, type MockMethods } from '../control/methods.js';
import type { Mock } from './mock.js';

/**
 * Checks the input of a method and runs it. Resolves when a change is saved.
 * @throws `request_invalid` and the errors of the method
 */
export async function runMethod(
  name: MethodName,
  input: object,
  mock: Mock,
  signal: AbortSignal,
): Promise<unknown> {
  const problems = checkWith(`input_${name}`, input);
  if (problems.length > 0) throw invalidValue('The input', problems);
  const methods: MockMethods = mock.methods;
  const result = await methods[name](input, signal);
  if (!METHODS[name].isRead) await mock.saved();
  return result;
}

/** Creates the methods. They need no token. `open` is called for each call. */
export function createInProcessControl(open: () => Mock | Promise<Mock>): MockControl {
  return createControl({
    async call(name, input) {
      const mock = await open();
      if (mock.closing.aborted) throw new MockControlError(0, 'unreachable', 'The mock is closed.');
      try {
        return await runMethod(name, input, mock, mock.closing);
      } catch (error) {
        throw (
          toControlError(error) ?? controlError('internal', 'An unexpected error occurred.', undefined, error)
        );
      }
    },
    async subscribe(selection, onEvent, onClose) {
      const problems = checkWith('events', selection);
      if (problems.length > 0) throw toControlError(invalidValue('The selection', problems));
      return (await open()).events.subscribe(selection, onEvent, onClose);
    },
  });
}
