// What runs before claimlink and the controllers: the log, and the limit of requests to claimlink.
import { Logger } from '@nestjs/common';
import type { Claimlink } from 'claimlink';
import type { NextFunction, Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { tooManyRequests } from './too-many-requests.js';

/** Logs each request without user ids and tokens: the pattern of a route of the host, or the redacted path below the prefix. */
export function createRequestLog(claimlink: Claimlink, basePath: string) {
  const logger = new Logger('request');
  return (req: Request, res: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    const { method, originalUrl: url } = req;
    res.on('close', () => {
      const path = req.route
        ? req.baseUrl + req.route.path
        : claimlink.redact({ method, url }, { basePath }).path;
      const durationMs = Math.round(performance.now() - startedAt);
      logger.log({ method, path, status: res.statusCode, durationMs });
    });
    next();
  };
}

/** Limits the requests of an address. */
export function createRequestLimit(claimlink: Claimlink) {
  return rateLimit({
    windowMs: 60_000,
    limit: ({ path }) => (path.startsWith('/verify/') ? 60 : 600),
    standardHeaders: 'draft-8', // Retry-After as well
    legacyHeaders: false,
    handler(req, res) {
      const { headers, body } = tooManyRequests(claimlink, Number(res.get('retry-after')), req.get('accept'));
      res.status(429).set(headers).send(body);
    },
  });
}
