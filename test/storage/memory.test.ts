// The memory storage: the conformance suite, and what is its own.
import t from 'tap';
import type { Link, SessionRecord } from '../../lib/core/types.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';
import {
  linkId,
  sampleKey,
  sampleLink,
  sampleRecord,
  sampleSession,
} from '../../lib/testing/storage-suite/samples.js';

for (const { name, run } of storageSuite(() => createMemoryStorage())) t.test(`conformance: ${name}`, run);

t.test('a seed that does not fit together is rejected', async (t) => {
  t.throws(() => createMemoryStorage({ sessions: [sampleRecord()] }), { code: 'client_not_found' });
  t.throws(() => createMemoryStorage({ clients: [{ clientId: 'a' }, { clientId: 'a' }] }), {
    code: 'already_exists',
  });
  t.throws(() => createMemoryStorage({ client: [] } as object), {
    code: 'options_invalid',
    message: /client is not an option \(did you mean clients\?\)/,
  });
  t.throws(() => createMemoryStorage({ clients: {} as [] }), { code: 'options_invalid' });
});

t.test('of 10 000 short-lived links, at most 2048 are held: new ones replace expired ones', async (t) => {
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }] });
  const start = sampleLink().createdAt.getTime();
  for (let i = 0; i < 10_000; i++) {
    const createdAt = new Date(start + i * 1000);
    const expiresAt = new Date(createdAt.getTime() + 60_000);
    await storage.insertLink(sampleLink({ accessCodeHash: `hash-${i}`, createdAt, expiresAt }));
  }
  const held = await storage.deleteExpiredLinks(new Date(start + 1_000_000_000));
  t.ok(held >= 60 && held <= 2048, `${held} held`);
});

t.test('links that are alive are never swept away', async (t) => {
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }] });
  for (let i = 0; i < 5000; i++) await storage.insertLink(sampleLink({ accessCodeHash: `hash-${i}` }));
  t.equal(await storage.deleteExpiredLinks(new Date(sampleLink().expiresAt.getTime() + 1)), 5000);
});

t.test('a storage holds at most twice as many links as are usable', async (t) => {
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }] });
  const start = sampleLink().createdAt.getTime();
  const end = new Date(start + 1_000_000_000);
  const usable = 2000;
  for (let i = 0; i < usable; i++)
    await storage.insertLink(sampleLink({ accessCodeHash: `usable-${i}`, expiresAt: end }));
  for (let i = 0; i < 8000; i++) {
    const createdAt = new Date(start + i * 1000);
    await storage.insertLink(sampleLink({ accessCodeHash: `${i}`, createdAt, expiresAt: createdAt }));
  }
  const expired = await storage.deleteExpiredLinks(end);
  t.ok(expired <= usable, `${expired} expired links`);
});

t.test('a listing that was returned before shows later changes and deletions', async (t) => {
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }], sessions: [sampleRecord()] });
  const statuses = async () => {
    const { sessions } = await storage.listSessions({ clientId: 'acme', userId: 'user-1', limit: 10 });
    return sessions.map(({ status }) => status);
  };
  t.same(await statuses(), ['submitted']);
  await storage.updateSession({ clientId: 'acme', reference: sampleSession().reference, status: 'accepted' });
  t.same(await statuses(), ['accepted']);
  await storage.deleteSessions(new Date(sampleSession().date.getTime() + 1));
  t.same(await statuses(), []);
});

t.test("what is stored is a copy: the caller's objects may change afterwards", async (t) => {
  const client = { clientId: 'acme', callbackOrigins: ['https://a.example'] };
  const session: SessionRecord = structuredClone(sampleRecord());
  const link: Link = structuredClone(sampleLink());
  const storage = createMemoryStorage();
  await storage.insertClient(client);
  await storage.insertSession(session);
  await storage.insertLink(link);
  client.callbackOrigins.push('https://evil.example');
  session.selectedPolicy.holder.email = 'changed';
  session.createdAt.setTime(0);
  link.config.contact.email = 'changed';
  link.expiresAt.setTime(0);
  const stored = await storage.findLink(linkId(link.accessCodeHash));
  t.same(stored?.client.callbackOrigins, ['https://a.example']);
  t.same(stored?.link, sampleLink());
  const { sessions } = await storage.listSessions({ clientId: 'acme', userId: 'user-1', limit: 1 });
  t.same(sessions[0], sampleSession());
});

t.test('the moments that a caller gives are copied: changing them afterwards changes nothing', async (t) => {
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }], apiKeys: [sampleKey()] });
  const { accessCodeHash, clientId } = sampleLink();
  await storage.insertLink(sampleLink());
  await storage.insertLink(sampleLink({ accessCodeHash: 'revoked' }));
  const at = new Date(sampleLink().createdAt);
  await storage.markLinkOpened({ ...linkId(accessCodeHash), at });
  await storage.submitLink({ ...linkId(accessCodeHash), at, session: sampleSession() });
  await storage.revokeLink({ clientId, accessCodeHash: 'revoked', at });
  await storage.revokeApiKey('key-1', at);
  at.setTime(0);
  const submitted = (await storage.findLink(linkId(accessCodeHash)))?.link;
  t.same([submitted?.openedAt, submitted?.submittedAt], [sampleLink().createdAt, sampleLink().createdAt]);
  t.same((await storage.findLink(linkId('revoked')))?.link.revokedAt, sampleLink().createdAt);
  t.same((await storage.listApiKeys('acme'))[0]?.revokedAt, sampleLink().createdAt);
});

t.test('what is returned is frozen, all the way down', async (t) => {
  const storage = createMemoryStorage({
    clients: [{ clientId: 'acme', callbackOrigins: [] }],
    apiKeys: [sampleKey()],
  });
  const { accessCodeHash } = sampleLink();
  await storage.insertLink(sampleLink());
  await storage.markLinkOpened({ ...linkId(accessCodeHash), at: new Date(1) });
  await storage.submitLink({ ...linkId(accessCodeHash), at: new Date(2), session: sampleSession() });
  const stored = await storage.findLink(linkId(accessCodeHash));
  t.ok(Object.isFrozen(stored?.link), 'the link');
  t.ok(Object.isFrozen(stored?.link.config.contact), 'its config');
  t.ok(Object.isFrozen(stored?.client.callbackOrigins), 'the client');
  t.ok(Object.isFrozen(stored?.session?.selectedPolicy.linkedContacts[0]), 'the session');
  t.ok(Object.isFrozen((await storage.listApiKeys('acme'))[0]), 'the key');
});

t.test('the same session is the same object in every listing, so that its JSON is made once', async (t) => {
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }], sessions: [sampleRecord()] });
  const query = { clientId: 'acme', userId: 'user-1', limit: 1 };
  t.equal((await storage.listSessions(query)).sessions[0], (await storage.listSessions(query)).sessions[0]);
});
