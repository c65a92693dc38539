// A portal that shows the claim form of another origin in a frame. Run: node host.mjs, then open the URL that it prints.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { createPortal } from './portal.mjs';

async function listen(port) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

const portal = await listen(Number(process.env.PORT ?? '3000'));
const service = await listen(0);

const publicUrl = `${service.origin}/claims`;
const claimlink = createClaimlink({
  storage: createMemoryStorage({
    clients: [{ clientId: 'acme', name: 'Acme Insurance', frameAncestors: [portal.origin] }],
  }),
  publicUrl,
  signer: createLinkSigner({
    keys: [{ kid: 'dev', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: publicUrl,
  }),
  onSubmit: ({ session }) => console.error(`claim ${session.reference} was submitted`),
  onError: (error, request, submission) => console.error(request ?? submission, error),
});
service.server.on('request', createNodeHandler(claimlink, { basePath: '/claims' }));

/** Creates a link for the user who is signed in. In production, the portal calls the API with its key. */
async function createLink() {
  const { url } = await claimlink.createLink('acme', {
    callbackUrl: 'https://app.example.com/done?reference={SESSION_REFERENCE}',
    config: {
      contact: { email: 'help@acme.example', phone: '+49 30 5678' },
      currentUserId: 'user-1',
      policy: { provider: 'Acme Insurance', validFrom: '2026-01-01', validTo: '2026-12-31' },
    },
  });
  return url;
}
portal.server.on('request', createPortal({ serviceOrigin: service.origin, createLink }));

console.log(`${portal.origin}/`);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    portal.server.close();
    service.server.close();
  });
