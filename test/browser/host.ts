// A host for browser tests: claimlink on one origin, the callback on another, as in production.

import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { Test } from 'tap';
import { createNodeHandler } from '../../lib/adapters/node.js';
import { EVENT_TYPES } from '../../lib/core/types.js';
import {
  type ClaimlinkOptions,
  type Client,
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  hashAccessCode,
  hashApiKey,
  type LinkRequest,
  type UserExport,
  type WidgetConfig,
} from '../../lib/index.js';
import { serve } from '../listen.js';

const KEY = 'clk_browser';

export interface BrowserHost {
  /** Where the callback page is: another origin than the service. */
  callbackOrigin: string;
  /** Mints a link over HTTP and gives its URL. */
  mint(config?: Partial<WidgetConfig>, request?: Partial<LinkRequest>): Promise<string>;
  /** The listing of the user, over HTTP. */
  list(): Promise<Record<string, unknown>[]>;
  /** Revokes a link. */
  revoke(url: string): Promise<boolean>;
  /** The types of what became of a link, in order. */
  history(url: string): Promise<string[]>;
  /** Moves the clock of the service. */
  advance(milliseconds: number): void;
  /** Everything that is stored of the user. */
  exportUser(): Promise<UserExport>;
}

/** Prefill that makes a complete claim. */
export const COMPLETE_POLICY = {
  provider: 'Northwind Mutual',
  number: 'NW-2026-1',
  validFrom: '2026-01-01',
  validTo: '2026-12-31T00:00:00Z',
  holder: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '+44 7700 900123' },
  vehicle: { licensePlate: 'AB12 CDE' },
};

/** Options and client of a host whose pages have every part: they report the start, decline and renew. */
export const EVERY_PART = {
  options: { events: EVENT_TYPES, onEvent: () => {} },
  client: { settings: { allowDecline: true } },
} as const;

const accessCodeHashOf = (url: string) => hashAccessCode(/verify\/([^?]+)/.exec(url)?.[1] ?? '');

/** Starts both servers; they end with the test. */
export async function startHost(
  t: Test,
  options: Partial<ClaimlinkOptions> = {},
  client: Partial<Client> = {},
): Promise<BrowserHost> {
  const callbackOrigin = await listen(t, (_req, res) => {
    res.setHeader('content-type', 'text/html');
    res.end('<!doctype html><title>Callback</title><link rel="icon" href="data:,"><h1>You are back</h1>');
  });
  let handler: RequestListener = (_req, res) => res.end();
  const origin = await listen(t, (req, res) => handler(req, res));
  const storage = createMemoryStorage({
    clients: [{ clientId: 'acme', name: 'Acme <Insurance>', callbackOrigins: [callbackOrigin], ...client }],
    apiKeys: [{ id: '1', clientId: 'acme', hash: hashApiKey(KEY), createdAt: new Date(0) }],
  });
  const publicUrl = `${origin}/claims`;
  const signer = createLinkSigner({
    keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: publicUrl,
  });
  let ahead = 0;
  const claimlink = createClaimlink({
    storage,
    signer,
    publicUrl,
    allowLoopbackCallbacks: true,
    now: () => new Date(Date.now() + ahead),
    ...options,
  });
  handler = createNodeHandler(claimlink, { basePath: '/claims' });
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };

  return {
    callbackOrigin,
    async mint(config = {}, request = {}) {
      const body: LinkRequest = {
        callbackUrl: `${callbackOrigin}/done?reference={SESSION_REFERENCE}&status={STATUS}`,
        config: {
          contact: { email: 'help@acme.example', phone: '+49 30 5678', link: 'https://acme.example/help' },
          currentUserId: 'user-1',
          privacyPolicyUrl: 'https://acme.example/privacy',
          policy: COMPLETE_POLICY,
          ...config,
        },
        ...request,
      };
      const response = await fetch(`${publicUrl}/acme/link`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const { data } = (await response.json()) as { data: string };
      return data;
    },
    async list() {
      const response = await fetch(`${publicUrl}/acme/sessions/user-1`, { headers });
      return (await response.json()) as Record<string, unknown>[];
    },
    revoke: (url) => claimlink.revokeLink('acme', accessCodeHashOf(url)),
    async history(url) {
      const link = await claimlink.linkHistory('acme', accessCodeHashOf(url));
      return (link?.history ?? []).map(({ type }) => type);
    },
    advance(milliseconds) {
      ahead += milliseconds;
    },
    exportUser: () => claimlink.exportUser('acme', 'user-1'),
  };
}

async function listen(t: Test, listener: RequestListener): Promise<string> {
  // Axe may take longer than the default of 5 s. Playwright would then send a request on a connection that ends.
  return serve(t, createServer({ keepAliveTimeout: 60_000 }, listener));
}
