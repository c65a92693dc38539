// A complete NestJS host over PostgreSQL: logs, rate limits, health, delivery and shutdown.
//   export DATABASE_URL=postgres://... SIGNING_KEYS="2026-01=$(openssl rand -hex 32)"
//   npx tsx nest-production.ts
// tsx does not write types of parameters for Nest, so dependencies have @Inject.
import 'reflect-metadata';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ConsoleLogger,
  Controller,
  Get,
  Inject,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  ServiceUnavailableException,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createClaimlink, createLinkSigner, isClaimlinkError, type SubmissionEvent } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { createPostgresStorage, migrate } from 'claimlink/postgres';
import { rateLimit } from 'express-rate-limit';
import pg from 'pg';

const { DATABASE_URL, SIGNING_KEYS = '', PORT = '3000' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}/claims` } = process.env;
const DELIVERY_INTERVAL_MS = 10_000;

/** Returns an error for the log, with its code and its causes: the cause of `storage_unavailable` is the error of the driver. */
function describeError(error: unknown): object {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  return { error: String(error), code, ...(cause !== undefined && { cause: describeError(cause) }) };
}

/** The service with its database: starts before the first request, ends after the last one. */
@Injectable()
class ClaimsService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger('claimlink');
  readonly #pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, connectionTimeoutMillis: 2000 });
  readonly #storage = createPostgresStorage(this.#pool);
  #timer: NodeJS.Timeout | undefined;

  readonly claimlink = createClaimlink({
    storage: this.#storage,
    publicUrl: PUBLIC_URL,
    signer: createLinkSigner({
      keys: SIGNING_KEYS.split(',').map((entry) => {
        const [kid = '', secret = ''] = entry.split('=');
        return { kid, algorithm: 'HS256', secret: Buffer.from(secret, 'hex') };
      }),
      issuer: PUBLIC_URL,
    }),
    onSubmit: (event) => this.#handOver(event),
    onError: (error, request, submission) =>
      this.#logger.error({ ...describeError(error), ...request, submission }),
  });

  async onApplicationBootstrap(): Promise<void> {
    this.#pool.on('error', (error) => this.#logger.error(describeError(error))); // an idle connection broke
    await migrate(this.#pool); // several processes may call it at the same time
    if (!(await this.#storage.findClient('acme')))
      await this.claimlink.addClient({ clientId: 'acme', name: 'Acme Insurance' });
    await this.#deliver();
    this.#timer = setInterval(() => this.#deliver(), DELIVERY_INTERVAL_MS);
  }

  /** Nest calls it when the HTTP server has closed. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.claimlink.idle();
    await this.#pool.end();
  }

  /** Passes a submission to your claims system. It may be called again for an event that it has handled. */
  async #handOver({ id, session }: SubmissionEvent): Promise<void> {
    this.#logger.log(`claim ${session.reference} was submitted (event ${id})`);
  }

  /** Repeats a delivery that failed or whose process ended. */
  async #deliver(): Promise<void> {
    try {
      const { failed, pending } = await this.claimlink.deliverPending();
      if (failed > 0) this.#logger.error(`${failed} deliveries have failed, ${pending} are pending`);
    } catch (error) {
      this.#logger.error(describeError(error));
    }
  }
}

@Controller()
class HealthController {
  @Inject(ClaimsService) readonly claims!: ClaimsService;

  /** Does not query the database: a restart does not repair a database. */
  @Get('alive')
  alive() {
    return { status: 'alive' };
  }

  @Get('ready')
  async ready() {
    try {
      await this.claims.claimlink.listSessions('acme', 'health', { limit: 1 });
    } catch (error) {
      if (!isClaimlinkError(error) || error.code !== 'client_not_found')
        throw new ServiceUnavailableException();
    }
    return { status: 'ready' };
  }
}

@Module({ controllers: [HealthController], providers: [ClaimsService] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, {
  logger: new ConsoleLogger({ json: true }),
});
app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
app.set('trust proxy', 'loopback'); // the address of the proxy: requests are counted by the address of its client
const { claimlink } = app.get(ClaimsService);

const requestLogger = new Logger('request');
function logRequest(req: IncomingMessage, res: ServerResponse, next: () => void): void {
  const startedAt = performance.now();
  // Without user ids and tokens.
  const { method, path } = claimlink.redact({ method: req.method ?? '', url: req.url ?? '' });
  res.on('close', () => {
    const durationMs = Math.round(performance.now() - startedAt);
    requestLogger.log({ method, path: `/claims${path}`, status: res.statusCode, durationMs });
  });
  next();
}
const limit = rateLimit({
  windowMs: 60_000,
  limit: ({ path }) => (path.startsWith('/verify/') ? 60 : 600), // requests per address
  standardHeaders: 'draft-8', // Retry-After as well
  legacyHeaders: false,
  message: 'Too many requests. Wait a minute, then try again. A link still works.',
});
// app.use() runs before the body parsers of Nest, and before guards and pipes.
app.use('/claims', logRequest, limit, createNodeHandler(claimlink));

await app.listen(Number(PORT), '127.0.0.1');
// A key for the first steps, valid for a day. Issue lasting keys with: npx claimlink keys issue --client acme
const expiresAt = new Date(Date.now() + 24 * 60 * 60 * 1000);
const { key } = await claimlink.addApiKey('acme', { expiresAt }); // show the key once: only its hash is stored
console.log(`curl -H 'x-api-key: ${key}' ${await app.getUrl()}/claims/acme/sessions/user-1`);
