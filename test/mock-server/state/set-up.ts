// Opens states for tests, with a clock that the test sets.
import type { Claimlink, LinkRequest } from '../../../lib/index.js';
import { type Mock, type MockListeners, openMock } from '../../../mock-server/state/mock.js';
import { type MockServerOptions, resolveMockOptions } from '../../../mock-server/state/options.js';

export const NOW = new Date('2026-02-01T12:00:00.000Z');
export const PUBLIC_URL = 'http://localhost:4010';

/** Two clients, so that a test can show what stays apart. */
export const CLIENTS = [
  { clientId: 'demo', apiKey: 'key-of-demo' },
  { clientId: 'other', apiKey: 'key-of-other' },
];

export interface OpenState {
  state: Mock;
  /** The service of a client. */
  of(clientId: string): Claimlink;
  system: { now: Date };
  createLink(clientId: string, userId: string): Promise<string>;
}

export async function openState(
  options: MockServerOptions = {},
  listeners: MockListeners = {},
): Promise<OpenState> {
  const system = { now: NOW };
  const clients = options.scenario === undefined ? { clients: CLIENTS } : {};
  const resolved = resolveMockOptions({ now: () => system.now, ...clients, ...options });
  const state = await openMock(resolved, PUBLIC_URL, listeners);
  const of = (clientId: string) => state.need(clientId).service.claimlink;
  return {
    state,
    of,
    system,
    createLink: async (clientId, userId) =>
      (await of(clientId).createLink(clientId, linkRequest(userId))).url,
  };
}

export function linkRequest(userId: string): LinkRequest {
  return {
    callbackUrl: 'https://example.com/back',
    config: { contact: { email: 'a@example.com', phone: '1' }, currentUserId: userId },
  };
}

/** Submits a link as a browser does. */
export async function submit({ state }: OpenState, url: string): Promise<string> {
  return (await state.methods.submitLink({ link: url })).reference;
}

/** Access code and token of a URL. */
export function partsOf(url: string): [accessCode: string, token: string] {
  const { pathname, searchParams } = new URL(url);
  return [pathname.slice('/verify/'.length), searchParams.get('token') ?? ''];
}
