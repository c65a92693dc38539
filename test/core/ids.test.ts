// Ids in paths: which clientIds and userIds the service accepts. It percent-decodes them once.
import t from 'tap';
import type { Problem } from '../../lib/core/errors.js';
import { CLIENT_ID, createWorld, outcomeOf, problemOf, referencesOf, storedSession } from './world.js';

const EMOJI = '👩‍🚒';

const GOOD_USER_IDS: Record<string, [segment: string, userId: string]> = {
  'an encoded slash': ['a%2Fb', 'a/b'],
  'an encoded question mark': ['a%3Fb', 'a?b'],
  'an encoded percent sign, decoded once': ['a%2541', 'a%41'],
  'an encoded emoji': [encodeURIComponent(EMOJI), EMOJI],
  'a bare emoji': [EMOJI, EMOJI],
  'a plus, which does not stand for a space': ['a+b', 'a+b'],
  'encoded spaces at either end': ['%20a%20', ' a '],
  'three dots': ['...', '...'],
  'a dot before a letter': ['.a', '.a'],
  '100 characters': ['x'.repeat(100), 'x'.repeat(100)],
  '50 emoji of two code units': [encodeURIComponent('🚗'.repeat(50)), '🚗'.repeat(50)],
  verify: ['verify', 'verify'],
  ['__proto__']: ['__proto__', '__proto__'],
};

for (const [what, [segment, userId]] of Object.entries(GOOD_USER_IDS)) {
  t.test(`a userId may be ${what}`, async (t) => {
    const world = await createWorld();
    await world.storage.insertSession({
      clientId: CLIENT_ID,
      userId,
      ...storedSession({ reference: 'S-9' }),
    });
    const response = await world.list('', segment);
    t.equal(response.status, 200);
    t.strictSame(referencesOf(response), ['S-9']);
  });
}

const DOTS: Problem = { rule: 'id', detail: 'must not be "." or ".."' };
const CONTROL: Problem = { rule: 'control_characters', detail: 'must not contain control characters' };
const ESCAPE: Problem = { rule: 'percent_encoding', detail: 'has a malformed percent escape' };
const SURROGATE: Problem = { rule: 'text', detail: 'must not contain lone surrogates' };

const BAD_IDS: Record<string, [segment: string, outcome: string, problem?: Problem]> = {
  'one dot': ['.', '400 request_invalid', DOTS],
  'two dots': ['..', '400 request_invalid', DOTS],
  'one encoded dot, %2e': ['%2e', '400 request_invalid', DOTS],
  'two encoded dots, %2E%2e': ['%2E%2e', '400 request_invalid', DOTS],
  'a dot and an encoded dot, .%2e': ['.%2e', '400 request_invalid', DOTS],
  'a NUL, %00': ['a%00b', '400 request_invalid', CONTROL],
  'a line feed, %0A': ['a%0Ab', '400 request_invalid', CONTROL],
  'a DEL, %7F': ['a%7Fb', '400 request_invalid', CONTROL],
  'a C1 control, %C2%85': ['a%C2%85b', '400 request_invalid', CONTROL],
  'a malformed escape, %ZZ': ['a%ZZb', '400 request_invalid', ESCAPE],
  'a cut escape, %2': ['a%2', '400 request_invalid', ESCAPE],
  'an encoded lone surrogate, %ED%A0%80': ['%ED%A0%80', '400 request_invalid', ESCAPE],
  'an overlong encoding, %C0%AF': ['%C0%AF', '400 request_invalid', ESCAPE],
  'a bare lone surrogate': ['a\ud800', '400 request_invalid', SURROGATE],
  '257 characters': ['x'.repeat(257), '414 uri_too_long'],
  '257 encoded characters': ['%C3%BC'.repeat(257), '414 uri_too_long'],
  '129 emoji of two code units': [encodeURIComponent('🚗'.repeat(129)), '414 uri_too_long'],
  '8000 characters': ['x'.repeat(8000), '414 uri_too_long'],
};

for (const [what, [segment, outcome, problem]] of Object.entries(BAD_IDS)) {
  t.test(`a userId of ${what} is ${outcome}`, async (t) => {
    const { list } = await createWorld();
    const response = await list('', segment);
    t.equal(outcomeOf(response), outcome);
    if (problem) t.strictSame(problemOf(response).errors, [{ parameter: 'userId', ...problem }]);
  });

  t.test(`a clientId of ${what} is ${outcome} on both endpoints`, async (t) => {
    const { call } = await createWorld();
    const listing = await call('GET', `/${segment}/sessions/user-1`);
    t.equal(outcomeOf(listing), outcome, 'the listing');
    if (problem) t.strictSame(problemOf(listing).errors, [{ parameter: 'clientId', ...problem }]);
    t.equal(outcomeOf(await call('POST', `/${segment}/link`, { body: '{}' })), outcome, 'the link endpoint');
  });
}

t.test('a response does not quote a rejected id', async (t) => {
  const { list } = await createWorld();
  t.notOk((await list('', 'secret%00')).body.includes('secret'));
  t.notOk((await list('', 'secret'.repeat(20))).body.includes('secretsecret'));
});

t.test('a clientId is percent-decoded', async (t) => {
  const { call } = await createWorld();
  t.equal((await call('GET', '/%61cme/sessions/user-1')).status, 200);
});

t.test('ids that differ in case or Unicode form are different', async (t) => {
  const world = await createWorld();
  await world.storage.insertSession({ clientId: CLIENT_ID, userId: 'caf\u00e9', ...storedSession() });
  t.strictSame(referencesOf(await world.list('', 'caf%C3%A9')), ['S-1']);
  t.strictSame(referencesOf(await world.list('', 'cafe%CC%81')), []);
  t.strictSame(referencesOf(await world.list('', 'CAF%C3%89')), []);
  t.equal(outcomeOf(await world.call('GET', '/ACME/sessions/user-1')), '404 client_not_found');
});
