// Cursors: decodeCursor reads what encodeCursor wrote, and rejects everything else.
import t from 'tap';
import {
  decodeCursor,
  decodeSubmissionCursor,
  encodeCursor,
  encodeSubmissionCursor,
} from '../../lib/core/cursor.js';

const CREATED_AT = new Date('2026-03-02T10:00:00.123Z');
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

t.test('decodeCursor returns the position that encodeCursor wrote, with a Date', async (t) => {
  const position = { createdAt: CREATED_AT, reference: 'S-"1" 🚗 caf\u00e9' };
  t.strictSame(decodeCursor(encodeCursor(position)), position);
});

t.test('a cursor needs no escaping in a URL', async (t) => {
  const cursor = encodeCursor({ createdAt: CREATED_AT, reference: '???>>>~~~üüü' });
  t.equal(encodeURIComponent(cursor), cursor);
});

const BAD_CURSORS: Record<string, string> = {
  'an empty text': '',
  'characters outside base64url': '***',
  'text that is not JSON': Buffer.from('{').toString('base64url'),
  'an object': encode({ createdAt: '2026-03-02T10:00:00.123Z', reference: 'a' }),
  'a list of one entry': encode(['2026-03-02T10:00:00.123Z']),
  'a list of three entries': encode(['2026-03-02T10:00:00.123Z', 'a', 'b']),
  'a reference that is a number': encode(['2026-03-02T10:00:00.123Z', 1]),
  'a date that is a number': encode([0, 'a']),
  'a text that is not a date': encode(['yesterday', 'a']),
  'a date that does not exist': encode(['2026-13-02T10:00:00.123Z', 'a']),
  'a date in another form': encode(['2026-03-02', 'a']),
  'a year alone': encode(['1', 'a']),
  'a reference with a NUL': encode(['2026-03-02T10:00:00.123Z', 'a\0']),
  'a reference with a lone surrogate': encode(['2026-03-02T10:00:00.123Z', 'a\ud800']),
  'JSON with spaces': Buffer.from('["2026-03-02T10:00:00.123Z", "a"]').toString('base64url'),
  'base64 with padding': Buffer.from('["2026-03-02T10:00:00.123Z","a"]').toString('base64'),
  'an appended character': `${encodeCursor({ createdAt: CREATED_AT, reference: 'a' })}!`,
};

for (const [what, cursor] of Object.entries(BAD_CURSORS)) {
  t.test(`a cursor of another origin is request_invalid: ${what}`, async (t) => {
    t.throws(() => decodeCursor(cursor), {
      code: 'request_invalid',
      problems: [
        { parameter: 'cursor', rule: 'cursor', detail: 'is not a cursor that this service returned' },
      ],
    });
  });
}

t.test('a cursor with a year that databases do not have is request_invalid', async (t) => {
  for (const createdAt of [
    '+010000-01-01T00:00:00.000Z',
    '-000001-01-01T00:00:00.000Z',
    '0000-01-01T00:00:00.000Z',
  ]) {
    const cursor = encodeCursor({ createdAt: new Date(createdAt), reference: 'r' });
    t.throws(() => decodeCursor(cursor), { code: 'request_invalid' }, createdAt);
  }
});

t.test('a cursor with a count that databases do not have is request_invalid', async (t) => {
  const position = { date: CREATED_AT, reference: 'r' };
  for (const sequence of [0, 1, Number.MAX_SAFE_INTEGER]) {
    const cursor = encodeSubmissionCursor({ ...position, sequence });
    t.strictSame(decodeSubmissionCursor(cursor), { ...position, sequence });
  }
  for (const sequence of [-1, 0.5, Number.MAX_SAFE_INTEGER + 1, 1e21]) {
    const cursor = encodeSubmissionCursor({ ...position, sequence });
    t.throws(() => decodeSubmissionCursor(cursor), { code: 'request_invalid' }, String(sequence));
  }
});
