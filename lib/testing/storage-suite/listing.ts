// Storage cases: inserting sessions, and the order and filter of a listing.
import assert from 'node:assert/strict';
import {
  assertFails,
  assertSession,
  CLIENT_ID,
  later,
  NOON,
  referencesOf,
  type StorageCase,
  sampleRecord,
  sampleSession,
  USER_ID,
} from './samples.js';

const FIRST_PAGE = { clientId: CLIENT_ID, userId: USER_ID, limit: 10 };

export const listingCases: readonly StorageCase[] = [
  {
    name: 'a session comes back with every member, incident and phones included, dates to the millisecond',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertSession(sampleRecord());
      const { sessions } = await storage.listSessions(FIRST_PAGE);
      assert.equal(sessions.length, 1);
      assertSession(sessions[0], sampleSession());
    },
  },
  {
    name: 'a session without an incident and without contacts comes back without them',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const { incident: _, ...bare } = sampleRecord();
      const selectedPolicy = { ...bare.selectedPolicy, linkedContacts: [] };
      await storage.insertSession({ ...bare, selectedPolicy });
      const [session] = (await storage.listSessions(FIRST_PAGE)).sessions;
      assert.equal(session?.incident, undefined);
      assert.deepEqual(session?.selectedPolicy, selectedPolicy);
    },
  },
  {
    name: 'a user without sessions has an empty listing without a cursor',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const page = await storage.listSessions(FIRST_PAGE);
      assert.deepEqual([...page.sessions], []);
      assert.equal(page.nextCursor, undefined);
    },
  },
  {
    name: 'a client that does not exist has an empty listing',
    async check(storage) {
      assert.deepEqual([...(await storage.listSessions({ ...FIRST_PAGE, clientId: 'nobody' })).sessions], []);
    },
  },
  {
    name: "a listing holds one user's sessions of one client only",
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertClient({ clientId: 'other' });
      await storage.insertSession(sampleRecord({ reference: 'mine' }));
      await storage.insertSession(sampleRecord({ reference: 'other-user', userId: 'user-2' }));
      await storage.insertSession(sampleRecord({ reference: 'other-client', clientId: 'other' }));
      assert.deepEqual(await referencesOf(storage), ['mine']);
      assert.deepEqual(await referencesOf(storage, { clientId: 'other', userId: 'user-2' }), []);
    },
  },
  {
    name: 'a listing is newest createdAt first, whatever the order of insertion and of date',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertSession(
        sampleRecord({ reference: 'middle', createdAt: later(1000), date: later(9000) }),
      );
      await storage.insertSession(
        sampleRecord({ reference: 'oldest', createdAt: NOON, date: later(99_000) }),
      );
      await storage.insertSession(sampleRecord({ reference: 'newest', createdAt: later(2000), date: NOON }));
      assert.deepEqual(await referencesOf(storage), ['newest', 'middle', 'oldest']);
    },
  },
  {
    name: 'one millisecond decides the order',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertSession(sampleRecord({ reference: 'a', createdAt: NOON }));
      await storage.insertSession(sampleRecord({ reference: 'z', createdAt: later(1) }));
      assert.deepEqual(await referencesOf(storage), ['z', 'a']);
    },
  },
  {
    name: 'sessions of the same moment are in ascending order of reference, by code unit',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const ordered = ['10', '9', 'B', 'Z', '_', 'a', 'a b', 'aa', 'b', 'ä', 'ｚ'];
      for (const reference of [...ordered].reverse())
        await storage.insertSession(sampleRecord({ reference }));
      assert.deepEqual(await referencesOf(storage), ordered);
    },
  },
  {
    name: 'sessions from before 1970 are listed like all others',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertSession(
        sampleRecord({ reference: 'old', createdAt: new Date('1969-12-31T23:59:59.999Z') }),
      );
      await storage.insertSession(sampleRecord({ reference: 'epoch', createdAt: new Date(0) }));
      await storage.insertSession(sampleRecord({ reference: 'new' }));
      assert.deepEqual(await referencesOf(storage), ['new', 'epoch', 'old']);
    },
  },
  {
    name: 'the status filter takes exactly this status',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertSession(sampleRecord({ reference: '1', status: 'submitted' }));
      await storage.insertSession(sampleRecord({ reference: '2', status: 'Submitted' }));
      await storage.insertSession(sampleRecord({ reference: '3', status: 'submitted ' }));
      await storage.insertSession(sampleRecord({ reference: '4', status: 'approved' }));
      assert.deepEqual(await referencesOf(storage, { status: 'submitted' }), ['1']);
      assert.deepEqual(await referencesOf(storage, { status: 'approved' }), ['4']);
      assert.deepEqual(await referencesOf(storage, { status: '%' }), []);
    },
  },
  {
    name: 'insertSession throws already_exists for a reference taken within the client, by another user too',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertSession(sampleRecord());
      await assertFails('already_exists', () =>
        storage.insertSession(sampleRecord({ camsReference: 'C-2' })),
      );
      await assertFails('already_exists', () => storage.insertSession(sampleRecord({ userId: 'user-2' })));
      assert.equal((await storage.listSessions(FIRST_PAGE)).sessions[0]?.camsReference, 'C-1');
      assert.deepEqual(await referencesOf(storage, { userId: 'user-2' }), []);
    },
  },
  {
    name: 'the same reference under two clients is two sessions',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertClient({ clientId: 'other' });
      await storage.insertSession(sampleRecord());
      await storage.insertSession(sampleRecord({ clientId: 'other' }));
      assert.deepEqual(await referencesOf(storage), ['S-1']);
      assert.deepEqual(await referencesOf(storage, { clientId: 'other' }), ['S-1']);
    },
  },
  {
    name: 'insertSession throws client_not_found without its client, and adds nothing',
    async check(storage) {
      await assertFails('client_not_found', () => storage.insertSession(sampleRecord()));
      await storage.insertClient({ clientId: CLIENT_ID });
      assert.deepEqual(await referencesOf(storage), []);
    },
  },
  {
    name: 'a page that was returned is not changed by a later insertion',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertSession(sampleRecord());
      const page = await storage.listSessions(FIRST_PAGE);
      await storage.insertSession(sampleRecord({ reference: 'S-2', createdAt: later(1) }));
      assert.deepEqual(
        page.sessions.map(({ reference }) => reference),
        ['S-1'],
      );
    },
  },
];
