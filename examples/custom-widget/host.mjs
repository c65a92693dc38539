// A host whose form is a widget of another origin. Run: node host.mjs, then open the link that it prints.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { startBundleServer } from './bundle-server.mjs';
import { createClaimWidget } from './widget.mjs';

const bundle = await startBundleServer(); // in production: the origin of your CDN, without a server of your own

const server = createServer().listen(Number(process.env.PORT ?? '3000'), '127.0.0.1');
await once(server, 'listening');
const publicUrl = `http://127.0.0.1:${server.address().port}/claims`;
const claimlink = createClaimlink({
  storage: createMemoryStorage({ clients: [{ clientId: 'acme', name: 'Acme Insurance' }] }),
  publicUrl,
  signer: createLinkSigner({
    keys: [{ kid: 'dev', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: publicUrl,
  }),
  widget: createClaimWidget(bundle.origin),
  onSubmit: ({ session: { reference, extra } }) =>
    console.error(`claim ${reference} was submitted with ${JSON.stringify(extra)}`),
  onError: (error, request, submission) => console.error(request ?? submission, error),
});
server.on('request', createNodeHandler(claimlink, { basePath: '/claims' }));

const { url } = await claimlink.createLink('acme', {
  callbackUrl: 'https://app.example.com/done?reference={SESSION_REFERENCE}',
  config: {
    contact: { email: 'help@acme.example', phone: '+49 30 5678' },
    currentUserId: 'user-1',
    policy: { provider: 'Acme Insurance', validFrom: '2026-01-01', validTo: '2026-12-31' },
    extra: { campaign: 'winter', garageRegion: 'north' },
  },
});
console.log(url);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close();
    bundle.close();
  });
}
