// The methods of MockControl, made of the table of methods. A transport carries their calls.

import { isBytes } from '../../lib/core/plain-data.js';
import { MockControlError } from './control-error.js';
import { METHODS, type MethodName, type MockClientControl, type MockControl } from './methods.js';
import type { ClientSelection, MockClient, MockEvent } from './types.js';

/** Carries calls and events: over HTTP, or to a mock in this process. */
export interface ControlTransport {
  call(name: MethodName, input: object): Promise<unknown>;
  /** Resolves to a function that ends the subscription. `onClose` is called once when the mock ends it. */
  subscribe(
    selection: ClientSelection,
    onEvent: (event: MockEvent) => void,
    onClose: () => void,
  ): Promise<() => void>;
}

export function createControl(transport: ControlTransport): MockControl {
  const methods = createMethods<MockControl>(transport, {});
  return {
    ...methods,
    addClient: async (client) => createClientControl(transport, await methods.addClient(client)),
    async client(clientId) {
      // A caller in JavaScript may pass undefined, which would select all clients.
      const { clients } = await methods.state({ clientId: String(clientId) });
      return createClientControl(transport, clients[0] as MockClient);
    },
  };
}

/** The methods of the table with a fixed client. */
interface FixedMethods {
  updateClient: MockClientControl['update'];
  removeClient(): Promise<boolean>;
}

function createClientControl(
  transport: ControlTransport,
  { clientId, apiKey }: Pick<MockClientControl, 'clientId' | 'apiKey'>,
): MockClientControl {
  const { state, clients, addClient, updateClient, removeClient, setScenario, ...methods } = createMethods<
    MockControl & MockClientControl & FixedMethods
  >(transport, { clientId });
  const remove = async () => void (await removeClient());
  // With its own token the client stays, as a configured client does.
  const dispose = () =>
    remove().catch((error: unknown) => {
      if (!(error instanceof MockControlError) || error.code !== 'control_forbidden') throw error;
    });
  return { ...methods, clientId, apiKey, update: updateClient, remove, [Symbol.asyncDispose]: dispose };
}

/** Creates a function for each method: `T` has their types. With a fixed client, `clientId` is not an argument. */
function createMethods<T>(transport: ControlTransport, fixed: ClientSelection): T {
  const methods = Object.entries(METHODS).map(([name, { input, parameters = input.required ?? [] }]) => {
    const allNames = parameters.filter((parameter) => !Object.hasOwn(fixed, parameter));
    const others = Object.keys(input.properties).filter(
      (key) => !parameters.includes(key) && !Object.hasOwn(fixed, key),
    );
    const call = async (...values: unknown[]) => {
      const names = allNames.filter(
        (parameter, index) => input.required?.includes(parameter) || !hasOnly(values[index], others),
      );
      const named = names.map((parameter, index) => [parameter, toText(values[index])]);
      const rest = values.slice(names.length);
      for (const value of rest) assertMembers(name, value, names, others);
      // The list of `failNext`.
      const inputs = rest.map((value) => (Array.isArray(value) ? { faults: value } : value));
      const members = Object.assign({}, ...inputs, Object.fromEntries(named), fixed);
      if (Array.isArray(members.photos)) members.photos = members.photos.map(toText);
      // As HTTP carries it: Dates as text, without undefined members.
      return transport.call(name as MethodName, JSON.parse(JSON.stringify(members)));
    };
    return [name, call] as const;
  });
  const subscribe: MockControl['subscribe'] = async (listener, options = {}) => {
    assertMembers('subscribe', options, ['listener'], ['clientId', 'onClose']);
    const { onClose = () => {}, ...selection } = options;
    return transport.subscribe({ ...selection, ...fixed }, listener, onClose);
  };
  return { ...Object.fromEntries(methods), subscribe } as T;
}

/** Returns whether a value is an object with some of these members, and no others: the argument before it was left out. */
function hasOnly(value: unknown, members: readonly string[]): boolean {
  if (Object(value) !== value || isBytes(value)) return false;
  const keys = Object.keys(value as object);
  return keys.length > 0 && keys.every((key) => members.includes(key));
}

/** Returns bytes as base64, in Node and in browsers. Other values stay. */
function toText(value: unknown): unknown {
  if (!isBytes(value)) return value;
  let text = '';
  for (let start = 0; start < value.length; start += 8192)
    text += String.fromCharCode(...value.subarray(start, start + 8192));
  return btoa(text);
}

/**
 * Checks an argument whose members are input: the characters of a text would be members.
 * @param names the arguments before it
 * @param members the members that it may have
 * @throws `request_invalid`
 */
function assertMembers(
  method: string,
  value: unknown,
  names: readonly string[],
  members: readonly string[],
): void {
  const isAllowed = Array.isArray(value) ? members.includes('faults') : Object(value) === value;
  if (value === undefined || isAllowed) return;
  const object = members.length === 0 ? [] : [`an object with ${members.join(', ')}`];
  const takes = [...names, ...object].join(', then ');
  throw new MockControlError(422, 'request_invalid', `${method} takes ${takes || 'no argument'}.`);
}
