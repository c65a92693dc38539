// Programs that use generated clients, as TypeScript. Each lists the newest session of a user, creates a link, submits
// a claim behind it and prints what it got. The last request is one that the types allow and the server rejects.

const INPUT = `
const [baseUrl = '', clientId = '', apiKey = ''] = process.argv.slice(2);
const userId = 'auth0|a/b?c';
const config = { currentUserId: userId, contact: { email: 'claims@example.com', phone: '+49 30 123456' } };
const extra = { tariff: { code: 'T-1' } };
const policy = {
  number: 'PN-1',
  provider: 'Acme Insurance',
  validFrom: '2026-01-01',
  validTo: '2026-12-31',
  holder: { firstName: 'Ada', lastName: 'Example', id: 'H-1', phone: '+49 30 123456', email: 'ada@example.com' },
  vehicle: { licensePlate: 'B-AB 123' },
};
const callbackUrl = 'https://app.example.com/claims';
`;

const OUTPUT = `
// The types of openapi-fetch include the page, which is text.
const body = typeof submission.data === 'string' ? undefined : submission.data;
const reference: string | undefined = body?.data.reference;
const newest: string | undefined = listing.data?.[0]?.reference;
console.log(JSON.stringify({
  isNewest: reference !== undefined && reference === newest,
  count: listing.data?.length,
  code: rejection.error?.code,
  rule: rejection.error?.errors?.[0]?.rule,
}));
`;

/** Over the types of openapi-typescript, in schema.d.ts. */
export const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
${INPUT}
const client = createClient<paths>({ baseUrl, headers: { 'x-api-key': apiKey } });
const link = await client.POST('/{clientId}/link', { params: { path: { clientId } }, body: { callbackUrl, config: { ...config, extra } } });
const url = new URL(link.data?.data ?? '');
const accessCode = url.pathname.split('/').at(-1) ?? '';
const token = url.searchParams.get('token') ?? '';
const submission = await client.POST('/verify/{accessCode}', {
  params: { path: { accessCode }, query: { token } },
  headers: { accept: 'application/json' },
  body: { policy, extra: { note: 'set by a generated client' } },
});
const listing = await client.GET('/{clientId}/sessions/{userId}', {
  params: { path: { clientId, userId }, query: { limit: 1 } },
});
const rejection = await client.POST('/{clientId}/link', {
  params: { path: { clientId } },
  body: { callbackUrl: 'ftp://app.example.com', config },
});
// @ts-expect-error: the member has another type.
export const wrong: number | undefined = listing.data?.[0]?.status;
// @ts-expect-error: the member \`config\` is required.
export const invalid = () => client.POST('/{clientId}/link', { params: { path: { clientId } }, body: { callbackUrl } });
${OUTPUT}`;

/** Over the client of @hey-api/openapi-ts, in client/. */
export const HEY_API = `
import { client } from './client/client.gen.js';
import { createLink, listSessions, submitClaim } from './client/sdk.gen.js';
${INPUT}
client.setConfig({ baseUrl, auth: () => apiKey });
const link = await createLink({ path: { clientId }, body: { callbackUrl, config: { ...config, extra } } });
const url = new URL(link.data?.data ?? '');
const accessCode = url.pathname.split('/').at(-1) ?? '';
const token = url.searchParams.get('token') ?? '';
const submission = await submitClaim({
  path: { accessCode },
  query: { token },
  headers: { accept: 'application/json' },
  body: { policy, extra: { note: 'set by a generated client' } },
});
const listing = await listSessions({ path: { clientId, userId }, query: { limit: 1 } });
const rejection = await createLink({ path: { clientId }, body: { callbackUrl: 'ftp://app.example.com', config } });
// @ts-expect-error: the member has another type.
export const wrong: number | undefined = listing.data?.[0]?.status;
// @ts-expect-error: the member \`config\` is required.
export const invalid = () => createLink({ path: { clientId }, body: { callbackUrl } });
${OUTPUT}`;
