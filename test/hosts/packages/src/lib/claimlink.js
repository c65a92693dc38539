// A service with two clients: `asking` asks the recipient first.
import { randomBytes } from 'node:crypto';
import { createClaimlink, createLinkSigner, createMemoryStorage, hashApiKey } from 'claimlink';

// The build loads this module as well, and has no origin.
const { ORIGIN = 'http://127.0.0.1', PREFIX = '/claims', API_KEY = 'none' } = process.env;
const publicUrl = `${ORIGIN}${PREFIX}`;
const keys = [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }];
const clock = { ahead: 0 };

export const claimlink = createClaimlink({
  storage: createMemoryStorage({
    clients: [
      { clientId: 'acme', name: 'Acme Insurance', settings: { allowDecline: true } },
      {
        clientId: 'asking',
        name: 'Asking Insurance',
        settings: { allowDecline: true, recipientCheck: ['/policy/vehicle/licensePlate'] },
      },
    ],
    apiKeys: [{ id: 'acme', clientId: 'acme', hash: hashApiKey(API_KEY), createdAt: new Date() }],
  }),
  signer: createLinkSigner({ keys, issuer: publicUrl }),
  publicUrl,
  allowLoopbackCallbacks: true,
  events: ['link.declined', 'link.renewal_requested'],
  onEvent() {},
  now: () => new Date(Date.now() + clock.ahead),
});

/** Creates a link of a week ago, or of now. */
export async function createLink({ clientId, request, isOld }) {
  clock.ahead = isOld ? -7 * 86_400_000 : 0;
  const link = await claimlink.createLink(clientId, request);
  clock.ahead = 0;
  return link;
}
