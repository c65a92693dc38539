// Which calls of its storage mark the state of a client as changed.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { STORAGE_METHODS, type StorageMethod } from '../../../lib/core/guarded-storage.js';
import { hashAccessCode } from '../../../lib/index.js';
import { markChanges, READING_METHODS } from '../../../mock-server/state/mark-changes.js';
import { openState, partsOf } from './set-up.js';

const PORT: readonly StorageMethod[] = Object.values(STORAGE_METHODS).flat();

t.test('the methods that only read are methods of the port, each named once', async (t) => {
  t.same(
    READING_METHODS.filter((name) => !PORT.includes(name)),
    [],
  );
  t.equal(new Set(READING_METHODS).size, READING_METHODS.length);
});

t.test('a method that is not known to only read marks a change, and returns what it returned', async (t) => {
  let changes = 0;
  const storage = markChanges(
    { findLink: () => 'found', newMethod: (...args: number[]) => args },
    () => changes++,
  );
  t.equal(storage.findLink(), 'found');
  t.equal(changes, 0);
  t.same(storage.newMethod(1, 2), [1, 2]);
  t.equal(changes, 1);
});

t.test('what a call of the storage changes without an event is in the next snapshot', async (t) => {
  const { state, createLink } = await openState();
  const [accessCode] = partsOf(await createLink('demo', 'ada'));
  const client = state.need('demo');
  const text = () => Buffer.concat(client.toJson()).toString();
  t.notMatch(text(), '"attempts":1');
  client.storage.takeAttempt({ clientId: 'demo', accessCodeHash: hashAccessCode(accessCode), limit: 5 });
  t.match(text(), '"attempts":1');
});

t.test('an attempt to handle an event that fails after a save is in the next save', async (t) => {
  const persistFile = join(t.testdir({}), 'state.json');
  let fail = () => {};
  const handling = new Promise<void>((_, reject) => {
    fail = () => reject(new TypeError('not now'));
  });
  const { state, createLink } = await openState({
    persistFile,
    events: ['link.revoked'],
    onEvent: () => handling,
  });
  t.teardown(() => state.close());
  await state.methods.revokeLink({ link: await createLink('demo', 'ada') });
  const attempt = state.need('demo').deliverPending();
  await state.saved();
  fail();
  await attempt;
  await state.need('demo').idle();
  await state.saved();
  t.match(await readFile(persistFile, 'utf8'), /"attempts":1,[^{}]*"reason":"TypeError"/);
});
