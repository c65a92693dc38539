// startMockServer: a mock behind an HTTP server, with its dashboard and its control API.

import type { MockControl } from './control.js';
import { createSamples } from './dashboard/samples.js';
import { type BoundServer, bindServer, type RequestHandler } from './http/http-server.js';
import { createLog } from './http/log.js';
import { problemAnswer } from './http/problem.js';
import { createMock, type Mock } from './mock.js';
import type { MockServerOptions, ResolvedMockOptions } from './options.js';
import { resolveMockOptions } from './resolve-options.js';
import { createApiHandler } from './traffic/api-handler.js';
import { openWorld } from './world/world-store.js';

/** A running mock server. */
export interface MockServer extends MockControl {
  /** Where it listens, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The contract's {base_url}, which links start with. The same as `url` unless `publicUrl` was given. */
  readonly publicUrl: string;
  readonly port: number;
  /** A page for people: clients, users, sessions, links, the journal, clock and faults. */
  readonly dashboardUrl: string;
  /** What the control routes are below. */
  readonly controlUrl: string;
  readonly seed: number | string;
  /** Resolves when everything up to now is where it outlives the process; at once for a world in memory alone. */
  saved(): Promise<void>;
  /** Ends connections once running answers are out, and resolves when the port is free. May be called twice. */
  close(): Promise<void>;
  /** `await using mock = await startMockServer()` closes it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a mock server: the real service on seeded data, in memory, in a file or in a database. It resolves when the
 * server answers.
 * @throws `options_invalid` for bad options, for a port that is in use (its cause has the system's code), and for a
 * damaged persist file; `storage_unavailable`, `schema_mismatch` or what the driver throws for a database that cannot
 * be used.
 */
export async function startMockServer(options: MockServerOptions = {}): Promise<MockServer> {
  const resolved = resolveMockOptions(options);
  const bound = await bindServer(resolved);
  try {
    return await start(resolved, bound);
  } catch (error) {
    await bound.close();
    throw error;
  }
}

async function start(options: ResolvedMockOptions, bound: BoundServer): Promise<MockServer> {
  const { url } = bound;
  const publicUrl = (options.publicUrl ?? url).replace(/\/+$/, '');
  const log = createLog(options.log, options.logStream);
  const world = await openWorld(options);
  try {
    const mock = createMock(options, world, { publicUrl, log });
    // From the start on, the file has what signs the links.
    await mock.saved();
    return serve(options, bound, mock, { url, publicUrl, log });
  } catch (error) {
    await world.persist?.close();
    throw error;
  }
}

function serve(
  options: ResolvedMockOptions,
  bound: BoundServer,
  mock: Mock,
  { url, publicUrl, log }: { url: string; publicUrl: string; log: ReturnType<typeof createLog> },
): MockServer {
  const { claimlink, control } = mock;
  // Loaded with the first request that is not the service's: a client under test waits for neither.
  let app: ReturnType<typeof openApp> | undefined;
  async function openApp() {
    const { createApp } = await import('./http/app.js');
    return createApp({
      server: bound.server,
      mock,
      log,
      url,
      publicUrl,
      samples: createSamples({ url, publicUrl, seeder: mock.seeder }),
      hasControl: options.control,
      controlToken: options.controlToken,
    });
  }
  const serveApp: RequestHandler = (request, response) => {
    app ??= openApp();
    app.then(
      ({ handler }) => handler(request, response),
      (error: unknown) => {
        log.error(error);
        response.destroy();
      },
    );
  };
  const serveApi = createApiHandler({ mock, corsOrigins: options.corsOrigins });

  bound.serve((request, response) => {
    const { method = '', url: target = '/' } = request;
    if (!claimlink.owns(target)) return serveApp(request, response);
    const redacted = claimlink.redact({ method, url: target });
    log.watch(response, redacted);
    try {
      return serveApi(request, response);
    } catch (error) {
      // A clock of the caller's own may throw; the service answers for itself.
      log.error(error, redacted);
      const { status, headers, body } = problemAnswer('internal');
      response.writeHead(status, headers).end(body);
    }
  });

  let closing: Promise<void> | undefined;
  async function end(): Promise<void> {
    // What is open for as long as the mock is ends first; then running answers, and what they have written.
    mock.events.close();
    mock.journal.close();
    await bound.close();
    await mock.close();
    await (await app)?.app.close();
  }
  function close(): Promise<void> {
    closing ??= end();
    return closing;
  }

  return Object.freeze(
    Object.defineProperties(
      {
        ...control,
        url,
        publicUrl,
        port: bound.port,
        dashboardUrl: `${url}/`,
        controlUrl: `${url}/__mock`,
        seed: options.seed,
        saved: mock.saved,
        close,
        [Symbol.asyncDispose]: close,
      },
      // Clients come and go.
      { clients: { get: () => control.clients, enumerable: true } },
    ),
  );
}
