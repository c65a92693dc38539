// The service with its database, as a provider of Nest.
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { createClaimlink, createLinkSigner, type SubmissionEvent } from 'claimlink';
import { assertSchema, createPostgresStorage } from 'claimlink/postgres';
import pg from 'pg';

const { DATABASE_URL, SIGNING_KEYS = '', PORT = '3000' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}/claims` } = process.env;
const TABLES = { schema: 'claimlink' }; // a schema of its own: other tools leave it alone
const DELIVERY_INTERVAL_MS = 10_000;

/** Returns an error for the log, with its code and its causes: the cause of `storage_unavailable` is the error of the driver. */
function describeError(error: unknown): object {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  return { error: String(error), code, ...(cause !== undefined && { cause: describeError(cause) }) };
}

/** The service with its database: starts before the first request, ends after the last one. */
@Injectable()
export class ClaimsService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger('claimlink');
  readonly #pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, connectionTimeoutMillis: 2000 });
  #timer: NodeJS.Timeout | undefined;

  readonly claimlink = createClaimlink({
    storage: createPostgresStorage(this.#pool, TABLES),
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
    await assertSchema(this.#pool, TABLES); // a release runs `claimlink migrate` before it replaces the processes
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
