import type { Claimlink } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import compression from 'compression';
import express, { type Response } from 'express';

/** Pages only: JSON may have texts of other people. */
const filter = (_req: unknown, res: Response) =>
  String(res.getHeader('content-type')).startsWith('text/html');

export function createHost(claimlink: Claimlink) {
  const app = express();
  app.use('/claims', compression({ filter }), createNodeHandler(claimlink));
  return app;
}
