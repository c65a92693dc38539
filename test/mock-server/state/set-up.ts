// Opens states for tests, with a clock that the test sets.
import { type Claimlink, createClaimlink, type LinkRequest } from '../../../lib/index.js';
import { type MockServerOptions, resolveMockOptions } from '../../../mock-server/options.js';
import { type MockState, openMockState } from '../../../mock-server/state/mock-state.js';

export const NOW = new Date('2026-02-01T12:00:00.000Z');
export const PUBLIC_URL = 'http://localhost:4010';

/** Two clients, so that a test can show what stays apart. */
export const CLIENTS = [
  { clientId: 'demo', apiKey: 'key-of-demo' },
  { clientId: 'other', apiKey: 'key-of-other' },
];

export interface OpenState {
  state: MockState;
  /** The service over this state, at the time of the client. */
  service: Claimlink;
  system: { now: Date };
  createLink(clientId: string, userId: string): Promise<string>;
}

export async function openState(options: MockServerOptions = {}): Promise<OpenState> {
  const system = { now: NOW };
  const clients = options.scenario === undefined ? { clients: CLIENTS } : {};
  const resolved = resolveMockOptions({ now: () => system.now, ...clients, ...options });
  const state = await openMockState(resolved, PUBLIC_URL);
  const { storage, signer, publicUrl, now } = state;
  const service = createClaimlink({ storage, signer, publicUrl, now, allowLoopbackCallbacks: true });
  return {
    state,
    service,
    system,
    async createLink(clientId, userId) {
      const { url } = await state.runFor(clientId, () => service.createLink(clientId, linkRequest(userId)));
      return url;
    },
  };
}

export function linkRequest(userId: string): LinkRequest {
  return {
    callbackUrl: 'https://example.com/back',
    config: { contact: { email: 'a@example.com', phone: '1' }, currentUserId: userId },
  };
}

/** Opens or submits a link as a browser does. */
export async function submit({ state, service }: OpenState, url: string): Promise<string> {
  const { client, link } = state.findLink(url);
  const { clientId } = client.client;
  const claim = state.seeder.claimOf(clientId, link.userId, client.links.ordinalOf(link.id));
  const { reference } = await state.runFor(clientId, () => service.submitClaim(...partsOf(url), claim));
  return reference;
}

/** Access code and token of a URL. */
export function partsOf(url: string): [accessCode: string, token: string] {
  const { pathname, searchParams } = new URL(url);
  return [pathname.slice('/verify/'.length), searchParams.get('token') ?? ''];
}
