// express-rate-limit: limits for the routes of claimlink, and for no other route of the host.
import type { Claimlink } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { tooManyRequests } from './response.ts';

export function createHost(claimlink: Claimlink) {
  const app = express();
  app.set('trust proxy', '127.0.0.1'); // the address of the proxy: req.ip is then that of its client
  const limit = rateLimit({
    windowMs: 60_000,
    limit: ({ path }) => (path.startsWith('/verify/') ? 60 : 600), // requests per address
    standardHeaders: 'draft-8', // Retry-After as well
    legacyHeaders: false,
    handler(req, res) {
      const { headers, body } = tooManyRequests(claimlink, Number(res.get('retry-after')), req.get('accept'));
      res.status(429).set(headers).send(body);
    },
  });
  app.use('/claims', limit, createNodeHandler(claimlink));
  return app;
}
