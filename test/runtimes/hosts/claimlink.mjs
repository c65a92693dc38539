// The service of the hosts in this folder: two clients, a key and a session, in the memory of the process.
import { createClaimlink, createLinkSigner, createMemoryStorage, hashApiKey } from 'claimlink';

const publicUrl = 'https://claims.example.com/claims';
const createdAt = new Date('2026-01-01T00:00:00Z');

const session = {
  reference: 'S-1',
  date: createdAt,
  camsReference: 'CAMS-1',
  status: 'closed',
  createdAt,
  selectedPolicy: {
    number: 'P-1',
    provider: 'Acme',
    holder: {
      firstName: 'Zoë',
      lastName: "O'Hara",
      id: 'user-1',
      phone: '+41 44 000 00 01',
      email: 'zoe@example.com',
    },
    validFrom: '2025-01-01',
    validTo: '2026-12-31',
    linkedContacts: [{ firstName: 'Max', lastName: 'Muster', email: 'max@example.com' }],
    vehicle: { licensePlate: 'B-AB 123' },
  },
};

export const claimlink = createClaimlink({
  storage: createMemoryStorage({
    clients: [{ clientId: 'acme', name: 'Acme Insurance' }, { clientId: 'other' }],
    apiKeys: [{ id: 'key-1', clientId: 'acme', hash: hashApiKey('clk_example'), createdAt }],
    sessions: [{ clientId: 'acme', userId: 'user-1', ...session }],
  }),
  signer: createLinkSigner({
    keys: [{ kid: '1', algorithm: 'HS256', secret: 'a secret for tests, of over 32 bytes' }],
    issuer: publicUrl,
  }),
  publicUrl,
  onError: (error, request) => console.error('onError', request, error),
});
