// A deployment in this process for the contract suite: the service of the HTTP suite with a clock that advances.
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import {
  type ContractCase,
  type ContractTarget,
  contractSuite,
  isNotApplicable,
} from '../../lib/testing/index.js';
import type { Mount } from '../adapters/mounts.js';
import { createTestService, KEYS, NOW, PUBLIC_URL, type TestServiceOptions } from '../adapters/service.js';

export type Handler = (request: Request) => Promise<Response>;

/** Creates the service. Each call of its clock returns a time that is a millisecond later. */
export function createTickingService(options: TestServiceOptions = {}) {
  let calls = 0;
  return createTestService({ now: () => new Date(NOW.getTime() + calls++), ...options });
}

/** Creates the service as a fetch handler. */
export async function createHandler(options?: TestServiceOptions): Promise<Handler> {
  return createFetchHandler((await createTickingService(options)).claimlink);
}

/** Returns the target for the service. */
export function targetOf(fetch: Handler, changes: Partial<ContractTarget> = {}): ContractTarget {
  return {
    baseUrl: PUBLIC_URL,
    clientId: 'acme',
    otherClientId: 'other',
    apiKey: KEYS.good,
    userId: 'user-1',
    fetch,
    ...changes,
  };
}

/** Sends requests for PUBLIC_URL to a mount, with the real fetch if the mount has a socket. */
export function fetchFrom(mount: Mount): Handler {
  return async (request) => {
    const { method, url } = request;
    const path = url.slice(PUBLIC_URL.length);
    const bytes = new Uint8Array(await request.arrayBuffer());
    const body = request.body === null ? {} : { body: bytes };
    if (mount.socket) {
      const { port, prefix } = mount.socket;
      const { headers, redirect } = request;
      return fetch(`http://127.0.0.1:${port}${prefix}${path}`, { method, headers, redirect, ...body });
    }
    const answer = await mount.send({ method, path, headers: Object.fromEntries(request.headers), ...body });
    const headers = Object.entries(answer.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    return new Response(answer.body || null, { status: answer.status, headers });
  };
}

/** The rules about photos. The services of the suite's tests take none; photo-rules.test.ts has one that does. */
export const PHOTO_SECTION = 'Decision: photos';

/** The result of a rule. */
export interface Outcome {
  rule: ContractCase;
  outcome: 'passed' | 'failed' | 'not applicable';
  message: string;
}

/** Runs all rules in order, but those about photos. */
export async function runSuite(target: ContractTarget): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const rule of contractSuite(target).filter(({ section }) => section !== PHOTO_SECTION)) {
    try {
      await rule.run();
      outcomes.push({ rule, outcome: 'passed', message: '' });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      outcomes.push({ rule, outcome: isNotApplicable(error) ? 'not applicable' : 'failed', message });
    }
  }
  return outcomes;
}

/** Returns the names and messages of the rules with this outcome. */
export function rulesWith(outcomes: readonly Outcome[], expected: Outcome['outcome']): string[] {
  return outcomes
    .filter(({ outcome }) => outcome === expected)
    .map(({ rule, message }) => `${rule.name} (${message})`);
}
