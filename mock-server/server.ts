// startMockServer: a mock behind an HTTP server, with its dashboard and its control API.

import type { MockControl } from './control/methods.js';
import { createApp } from './http/app.js';
import { type BoundServer, bindServer } from './http/bind.js';
import { createLog } from './http/log.js';
import { createInProcessControl } from './state/in-process.js';
import { type Mock, openMock } from './state/mock.js';
import { type MockServerOptions, resolveMockOptions } from './state/options.js';

/** A running mock server. */
export interface MockServer extends MockControl {
  /** URL of the server, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The contract's {base_url}: start of links. Same as `url` without the option `publicUrl`. */
  readonly publicUrl: string;
  readonly port: number;
  /** A page for people: requests, links, sessions, faults and the clock. */
  readonly dashboardUrl: string;
  /** Base of the control routes. */
  readonly controlUrl: string;
  readonly seed: number | string;
  /** Secret of the webhook, given or generated. undefined: there is no webhook. */
  readonly webhookSecret: string | undefined;
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
  const log = createLog(resolved.log, resolved.logStream);
  const bound = await bindServer(resolved);
  let mock: Mock | undefined;
  try {
    const publicUrl = (resolved.publicUrl ?? bound.url).replace(/\/+$/, '');
    mock = await openMock(resolved, publicUrl, {
      onError: log.error,
      onWait: log.hint,
      onMissingPhotos: log.hint,
      onAttempt: log.response,
    });
    const { app, listener } = await createApp(mock, log, bound);
    bound.serve(listener);
    return toMockServer(bound, mock, () => app.close());
  } catch (error) {
    await bound.close();
    await mock?.close();
    throw error;
  }
}

function toMockServer(bound: BoundServer, mock: Mock, closeApp: () => Promise<unknown>): MockServer {
  const { url, port } = bound;
  let closing: Promise<void> | undefined;
  async function end(): Promise<void> {
    mock.stop();
    await bound.close();
    await closeApp();
    await mock.close();
  }
  function close(): Promise<void> {
    closing ??= end();
    return closing;
  }

  return Object.freeze({
    ...createInProcessControl(() => mock),
    url,
    publicUrl: mock.publicUrl,
    port,
    dashboardUrl: `${url}/`,
    controlUrl: `${url}/__mock`,
    seed: mock.options.seed,
    webhookSecret: mock.options.webhookSecret,
    close,
    [Symbol.asyncDispose]: close,
  });
}
