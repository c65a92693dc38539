// startMockServer: puts storage, seeds, signer, service, dashboard and HTTP server together.
import { createClaimlink, createLinkSigner, type RedactedRequest } from '../lib/index.js';
import { createApp } from './app.js';
import { CONTROL_PATHS } from './control-routes.js';
import { type BoundServer, bindServer } from './http-server.js';
import { createLog } from './log.js';
import { type MockServerOptions, type ResolvedMockOptions, resolveMockOptions } from './options.js';
import { createSamples } from './samples.js';
import { createSeeder } from './seed.js';
import { createSeededStorage } from './seeded-storage.js';
import { insertClients, openWorldStore } from './world-store.js';

/** A client of a running mock, with what a test needs to call the API. */
export interface MockClient {
  clientId: string;
  /** Send it as x-api-key. */
  apiKey: string;
  /** Users to begin with. Any other id works too: whoever is asked for gets sessions. */
  userIds: readonly string[];
}

/** A running mock server. */
export interface MockServer {
  /** Where it listens, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The contract's {base_url}, which links start with. The same as `url` unless `publicUrl` was given. */
  readonly publicUrl: string;
  readonly port: number;
  /** A page for people: clients, users, sessions, a form that makes a link. */
  readonly dashboardUrl: string;
  /** What the control routes are below. */
  readonly controlUrl: string;
  readonly seed: number | string;
  readonly clients: readonly MockClient[];
  /** Ends connections once running answers are out, and resolves when the port is free. May be called twice. */
  close(): Promise<void>;
  /** `await using mock = await startMockServer()` closes it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Users that the dashboard and the ready line name. */
const USER_IDS: readonly string[] = Object.freeze(['user-1', 'user-2', 'user-3', 'user-4', 'user-5']);

/**
 * Starts a mock server: the real service on seeded data, in memory or in a database. It resolves when the server answers.
 * @throws `options_invalid` for bad options, and for a port that is in use (its cause has the system's code);
 * `storage_unavailable`, `schema_mismatch` or what the driver throws for a database that cannot be used.
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
  const { url, port } = bound;
  const publicUrl = (options.publicUrl ?? url).replace(/\/+$/, '');
  const log = createLog(options.log, options.logStream);
  const seeder = createSeeder(options);
  const store = await openWorldStore(options);
  const storage = createSeededStorage({ storage: store.storage, seeder });
  await insertClients(storage, options);

  const claimlink = createClaimlink({
    storage,
    signer: createLinkSigner({
      keys: [{ kid: 'mock', algorithm: 'HS256', secret: store.linkSecret }],
      issuer: publicUrl,
    }),
    publicUrl,
    allowLoopbackCallbacks: true,
    now: options.now,
    onError: (error, request) => log.error(error, request),
  });
  const { app, handler } = await createApp({
    server: bound.server,
    claimlink,
    log,
    url,
    world: {
      publicUrl,
      seed: options.seed,
      clients: options.clients,
      userIds: USER_IDS,
      samples: createSamples({ url, publicUrl, seeder }),
    },
  });

  function redact(method: string, target: string): RedactedRequest {
    if (claimlink.owns(target)) return claimlink.redact({ method, url: target });
    const path = target.split('?', 1)[0] ?? '';
    return { method, path: CONTROL_PATHS.has(path) ? path : '/*' };
  }

  bound.serve((request, response) => {
    log.watch(response, redact(request.method ?? '', request.url ?? ''));
    handler(request, response);
  });

  async function close(): Promise<void> {
    await bound.close();
    await app.close();
  }

  return Object.freeze({
    url,
    publicUrl,
    port,
    dashboardUrl: `${url}/`,
    controlUrl: `${url}/__mock`,
    seed: options.seed,
    clients: Object.freeze(
      options.clients.map(({ clientId, apiKey }) => Object.freeze({ clientId, apiKey, userIds: USER_IDS })),
    ),
    close,
    [Symbol.asyncDispose]: close,
  });
}
