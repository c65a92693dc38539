// What runs before claimlink for each request: the log, and the limit of requests.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { Claimlink } from 'claimlink';
import { rateLimit } from 'express-rate-limit';

/** Logs each request below a prefix, without user ids and tokens. */
export function createRequestLog(claimlink: Claimlink, prefix: string) {
  const logger = new Logger('request');
  return (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    const startedAt = performance.now();
    // Express has removed the prefix from the URL.
    const { method, path } = claimlink.redact({ method: req.method ?? '', url: req.url ?? '' });
    res.on('close', () => {
      const durationMs = Math.round(performance.now() - startedAt);
      logger.log({ method, path: prefix + path, status: res.statusCode, durationMs });
    });
    next();
  };
}

export const requestLimit = rateLimit({
  windowMs: 60_000,
  limit: ({ path }) => (path.startsWith('/verify/') ? 60 : 600), // requests per address
  standardHeaders: 'draft-8', // Retry-After as well
  legacyHeaders: false,
  message: 'Too many requests. Wait a minute, then try again. A link still works.',
});
