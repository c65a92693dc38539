// A receiver of submissions, as the claims system of a company.

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from '../listen.js';
import type { Dice } from '../mock-server/dice.js';
import type { Scope } from '../storage/postgres-server.js';

export interface ClaimsSystem {
  url: string;
  /** Ids of each reference that it accepted. */
  accepted: Map<string, string[]>;
  /** References that arrived before their commit. */
  early: string[];
  rejected: number;
  /** Highest number of attempts. */
  attempts: number;
}

/** Starts a claims system, which ends with the scope. It rejects one of ten requests. */
export async function startClaimsSystem(
  t: Scope,
  dice: Dice,
  isCommitted: (reference: string) => Promise<boolean>,
): Promise<ClaimsSystem> {
  const system: ClaimsSystem = { url: '', accepted: new Map(), early: [], rejected: 0, attempts: 0 };
  const server = createServer(async (req, res) => {
    const { id, attempt, reference } = JSON.parse(await text(req));
    system.attempts = Math.max(system.attempts, attempt);
    if (!(await isCommitted(reference))) system.early.push(reference);
    await wait(dice.upTo(30));
    if (dice.chance(0.1)) {
      system.rejected++;
      res.writeHead(503).end();
      return;
    }
    system.accepted.set(reference, [...(system.accepted.get(reference) ?? []), id]);
    res.writeHead(204).end();
  });
  system.url = await serve(t, server);
  return system;
}
