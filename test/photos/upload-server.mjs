// A process that takes photos through node:http into a folder, and tells what memory it has.
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { createFolderStore } from 'claimlink/photos';

const publicUrl = 'http://127.0.0.1';
const settings = { form: { photos: { need: 'optional' } } };
const key = { kid: '1', algorithm: 'HS256', secret: 'a secret for tests, of over 32 bytes' };
const claimlink = createClaimlink({
  storage: createMemoryStorage({ clients: [{ clientId: 'acme', settings }] }),
  signer: createLinkSigner({ keys: [key], issuer: publicUrl }),
  publicUrl,
  photos: { store: createFolderStore(process.argv[2] ?? '') },
});
const contact = { email: 'help@acme.example', phone: '1', link: 'https://acme.example' };
const request = {
  callbackUrl: 'https://acme.example/done',
  callbackOnSubmit: false,
  config: { contact, currentUserId: 'user-1' },
};
const answers = {
  link: async () => (await claimlink.createLink('acme', request)).url,
  memory: () => ({ rss: process.memoryUsage.rss(), peak: process.resourceUsage().maxRSS * 1024 }),
};
process.on('message', async (name) => process.send?.(await answers[name]()));
const server = createServer(createNodeHandler(claimlink));
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
