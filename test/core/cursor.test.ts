// Cursors: what is written is read back, and nothing else is.
import t from 'tap';
import { decodeCursor, encodeCursor } from '../../lib/core/cursor.js';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

t.test('a position is read back as it was written', async (t) => {
  const position = { createdAt: new Date('2026-03-02T10:00:00.123Z'), reference: 'S-"1" 🚗 caf\u00e9' };
  t.strictSame(decodeCursor(encodeCursor(position)), position);
});

t.test('a cursor needs no escaping in a URL', async (t) => {
  const cursor = encodeCursor({ createdAt: new Date('2026-03-02T10:00:00.123Z'), reference: '???>>>~~~üüü' });
  t.equal(encodeURIComponent(cursor), cursor);
});

const FOREIGN: Record<string, string> = {
  empty: '',
  'not base64url': '***',
  'no JSON': Buffer.from('{').toString('base64url'),
  'an object': encode({ createdAt: '2026-03-02T10:00:00.123Z', reference: 'a' }),
  'too short a list': encode(['2026-03-02T10:00:00.123Z']),
  'too long a list': encode(['2026-03-02T10:00:00.123Z', 'a', 'b']),
  'a reference that is a number': encode(['2026-03-02T10:00:00.123Z', 1]),
  'a date that is a number': encode([0, 'a']),
  'a date that is none': encode(['yesterday', 'a']),
  'a date that does not exist': encode(['2026-13-02T10:00:00.123Z', 'a']),
  'a date in another form': encode(['2026-03-02', 'a']),
  'a date that only JavaScript reads': encode(['1', 'a']),
  'a reference with a NUL': encode(['2026-03-02T10:00:00.123Z', 'a\0']),
  'a reference with a lone surrogate': encode(['2026-03-02T10:00:00.123Z', 'a\ud800']),
  'JSON with spaces': Buffer.from('["2026-03-02T10:00:00.123Z", "a"]').toString('base64url'),
  'base64 with padding': Buffer.from('["2026-03-02T10:00:00.123Z","a"]').toString('base64'),
  'something appended': `${encodeCursor({ createdAt: new Date('2026-03-02T10:00:00.123Z'), reference: 'a' })}!`,
};

for (const [what, cursor] of Object.entries(FOREIGN)) {
  t.test(`a cursor that is foreign is request_invalid: ${what}`, async (t) => {
    t.throws(() => decodeCursor(cursor), {
      code: 'request_invalid',
      details: [{ parameter: 'cursor', detail: 'is not one that this service gave' }],
    });
  });
}

t.test('a position in a year that databases do not know is refused', async (t) => {
  for (const createdAt of [
    '+010000-01-01T00:00:00.000Z',
    '-000001-01-01T00:00:00.000Z',
    '0000-01-01T00:00:00.000Z',
  ]) {
    t.throws(
      () => decodeCursor(encodeCursor({ createdAt: new Date(createdAt), reference: 'r' })),
      { code: 'request_invalid' },
      createdAt,
    );
  }
});
