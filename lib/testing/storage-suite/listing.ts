// Rules about a listing: its sessions, their order, the status filter.
import assert from './assert.js';
import {
  assertSession,
  CLIENT_ID,
  later,
  NOON,
  referencesOf,
  type StorageRule,
  sampleRecord,
  sampleSession,
  sessionsOf,
  USER_ID,
  withSessions,
} from './samples.js';

export const listingRules: readonly StorageRule[] = [
  {
    name: 'a listing returns every member of a session, with incident, extra, link, notice, phone numbers and milliseconds',
    async check(storage) {
      await withSessions(storage, {});
      const sessions = await sessionsOf(storage);
      assert.equal(sessions.length, 1);
      assertSession(sessions[0], sampleSession());
    },
  },
  {
    name: 'a listing returns a session without an incident, extra, link, notice and contacts as it was stored',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const { incident: _, extra: __, link: ___, notice: ____, ...bare } = sampleRecord();
      const selectedPolicy = { ...bare.selectedPolicy, linkedContacts: [] };
      await storage.insertSession({ ...bare, selectedPolicy });
      const [session] = await sessionsOf(storage);
      assert.equal(session?.incident, undefined);
      assert.equal(session?.extra, undefined);
      assert.equal(session?.link, undefined);
      assert.equal(session?.notice, undefined);
      assert.deepEqual(session?.selectedPolicy, selectedPolicy);
    },
  },
  {
    name: 'the listing of a user without sessions is empty and has no cursor',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const page = await storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 10 });
      assert.deepEqual([...page.sessions], []);
      assert.equal(page.nextCursor, undefined);
    },
  },
  {
    name: 'the listing of an unknown client is empty',
    async check(storage) {
      assert.deepEqual([...(await sessionsOf(storage, { clientId: 'unknown' }))], []);
    },
  },
  {
    name: 'a listing contains the sessions of one user of one client only',
    async check(storage) {
      await withSessions(storage, { reference: 'mine' }, { reference: 'other-user', userId: 'user-2' });
      await storage.insertClient({ clientId: 'other' });
      await storage.insertSession(sampleRecord({ reference: 'other-client', clientId: 'other' }));
      assert.deepEqual(await referencesOf(storage), ['mine']);
      assert.deepEqual(await referencesOf(storage, { clientId: 'other', userId: 'user-2' }), []);
    },
  },
  {
    name: 'a listing is sorted by createdAt, newest first, not by insertion or date',
    async check(storage) {
      await withSessions(
        storage,
        { reference: 'middle', createdAt: later(1000), date: later(9000) },
        { reference: 'oldest', createdAt: NOON, date: later(99_000) },
        { reference: 'newest', createdAt: later(2000), date: NOON },
      );
      assert.deepEqual(await referencesOf(storage), ['newest', 'middle', 'oldest']);
    },
  },
  {
    name: 'a difference of one millisecond in createdAt decides the order',
    async check(storage) {
      await withSessions(
        storage,
        { reference: 'a', createdAt: NOON },
        { reference: 'z', createdAt: later(1) },
      );
      assert.deepEqual(await referencesOf(storage), ['z', 'a']);
    },
  },
  {
    name: 'sessions with the same createdAt are sorted by reference, by code unit',
    async check(storage) {
      const ordered = ['10', '9', 'B', 'Z', '_', 'a', 'a b', 'aa', 'b', 'ä', 'ｚ'];
      await withSessions(storage, ...ordered.map((reference) => ({ reference })).reverse());
      assert.deepEqual(await referencesOf(storage), ordered);
    },
  },
  {
    name: 'sessions from before 1970 are listed like any others',
    async check(storage) {
      await withSessions(
        storage,
        { reference: 'old', createdAt: new Date('1969-12-31T23:59:59.999Z') },
        { reference: 'epoch', createdAt: new Date(0) },
        { reference: 'new' },
      );
      assert.deepEqual(await referencesOf(storage), ['new', 'epoch', 'old']);
    },
  },
  {
    name: 'the status filter matches the exact status only',
    async check(storage) {
      await withSessions(
        storage,
        { reference: '1', status: 'submitted' },
        { reference: '2', status: 'Submitted' },
        { reference: '3', status: 'submitted ' },
        { reference: '4', status: 'approved' },
      );
      assert.deepEqual(await referencesOf(storage, { status: 'submitted' }), ['1']);
      assert.deepEqual(await referencesOf(storage, { status: 'approved' }), ['4']);
      assert.deepEqual(await referencesOf(storage, { status: '%' }), []);
    },
  },
  {
    name: 'two clients can have sessions with the same reference',
    async check(storage) {
      await withSessions(storage, {});
      await storage.insertClient({ clientId: 'other' });
      await storage.insertSession(sampleRecord({ clientId: 'other' }));
      assert.deepEqual(await referencesOf(storage), ['S-1']);
      assert.deepEqual(await referencesOf(storage, { clientId: 'other' }), ['S-1']);
    },
  },
  {
    name: 'a page that was returned does not change afterwards',
    async check(storage) {
      await withSessions(storage, {});
      const sessions = await sessionsOf(storage);
      await storage.insertSession(sampleRecord({ reference: 'S-2', createdAt: later(1) }));
      assert.deepEqual(
        sessions.map(({ reference }) => reference),
        ['S-1'],
      );
    },
  },
];
