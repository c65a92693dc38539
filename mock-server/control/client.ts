// The methods of MockControl, made of the table of methods. A transport carries their calls.
import type { ClientSelection, MockEvent } from '../control.js';
import { METHODS, type MethodName, type MockClientControl, type MockControl } from './methods.js';

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
  const methods = createMethods(transport, {});
  const forClient = (call?: Call) => async (argument: unknown) =>
    createClientControl(transport, (await call?.(argument)) as Identity);
  const { addClient, client } = methods;
  return { ...methods, addClient: forClient(addClient), client: forClient(client) } as unknown as MockControl;
}

type Call = (...values: unknown[]) => Promise<unknown>;

interface Identity {
  clientId: string;
  apiKey: string;
}

function createClientControl(transport: ControlTransport, { clientId, apiKey }: Identity): MockClientControl {
  const { state, clients, addClient, client, updateClient, removeClient, ...methods } = createMethods(
    transport,
    { clientId },
  );
  const remove = async () => void (await removeClient?.());
  const control = {
    ...methods,
    clientId,
    apiKey,
    update: updateClient,
    remove,
    [Symbol.asyncDispose]: remove,
  };
  return control as unknown as MockClientControl;
}

/** Creates a function for each method. With a fixed client, `clientId` is not an argument. */
function createMethods(transport: ControlTransport, fixed: ClientSelection): Record<string, Call> {
  const methods = Object.entries(METHODS).map(([name, { input, parameters = input.required ?? [] }]) => {
    const names = parameters.filter((parameter) => !Object.hasOwn(fixed, parameter));
    const call = async (...values: unknown[]) => {
      const named = names.map((parameter, index) => [parameter, values[index]]);
      const rest = values.slice(names.length);
      const members = Object.assign({}, ...rest, Object.fromEntries(named), fixed);
      return transport.call(name as MethodName, toJson(members) as object);
    };
    return [name, call] as const;
  });
  const subscribe: MockControl['subscribe'] = (listener, { onClose = () => {}, ...selection } = {}) =>
    transport.subscribe({ ...selection, ...fixed }, listener, onClose);
  return { ...Object.fromEntries(methods), subscribe: subscribe as Call };
}

/** Returns a copy of an input as JSON would carry it: Dates as text, without undefined members. */
function toJson(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, toJson(member)]])),
  );
}
