// startMockServer: a mock behind an HTTP server, with its dashboard and its control API.
import type { MockControl } from './control.js';
import { createApp, type MockApp } from './http/app.js';
import { type BoundServer, bindServer } from './http/bind.js';
import { createInProcessControl } from './in-process.js';
import { type MockServerOptions, resolveMockOptions } from './options.js';
import { type MockState, openMockState } from './state/mock-state.js';

/** A running mock server. */
export interface MockServer extends MockControl {
  /** URL of the server, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The contract's {base_url}: start of links. Same as `url` without the option `publicUrl`. */
  readonly publicUrl: string;
  readonly port: number;
  /** A page for people: requests, links, sessions, faults, clock and snapshots. */
  readonly dashboardUrl: string;
  /** Base of the control routes. */
  readonly controlUrl: string;
  readonly seed: number | string;
  /** Resolves when every change up to now is on disk; immediately without a persist file. */
  saved(): Promise<void>;
  /** Ends connections after running responses, and resolves when the port is free. May be called twice. */
  close(): Promise<void>;
  /** `await using mock = await startMockServer()` closes it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a mock server: the service on seeded data, in memory or in a file. Resolves when the server responds.
 * @throws `options_invalid` for invalid options, for a port that is in use (its cause has the system's code), and for a
 * persist file that is damaged or in use
 */
export async function startMockServer(options: MockServerOptions = {}): Promise<MockServer> {
  const resolved = resolveMockOptions(options);
  const bound = await bindServer(resolved);
  let state: MockState | undefined;
  try {
    state = await openMockState(resolved, (resolved.publicUrl ?? bound.url).replace(/\/+$/, ''));
    const mock = await createApp(state, bound);
    bound.serve(mock.handler);
    return toMockServer(bound, state, mock);
  } catch (error) {
    await bound.close();
    await state?.close();
    throw error;
  }
}

function toMockServer(bound: BoundServer, state: MockState, mock: MockApp): MockServer {
  const { url, port } = bound;
  let closing: Promise<void> | undefined;
  async function end(): Promise<void> {
    mock.stop();
    await bound.close();
    await mock.app.close();
    await state.close();
  }
  function close(): Promise<void> {
    closing ??= end();
    return closing;
  }

  return Object.freeze({
    ...createInProcessControl(async () => ({ state, mock })),
    // The start text shows the clients. A request in this process would delay the first response.
    clients: async () => structuredClone(state.clients()),
    url,
    publicUrl: state.publicUrl,
    port,
    dashboardUrl: `${url}/`,
    controlUrl: `${url}/__mock`,
    seed: state.options.seed,
    saved: () => state.saved(),
    close,
    [Symbol.asyncDispose]: close,
  });
}
