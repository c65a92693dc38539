// Which answers are the same: what people type for a value, and what is another value.
import t from 'tap';
import { type AnswerKind, answerLength, isSameAnswer } from '../../lib/core/same-answer.js';

/** Values with spellings of them, and with answers that are wrong. */
const TABLE: readonly (readonly [
  kind: AnswerKind,
  value: string,
  right: readonly string[],
  wrong: readonly string[],
])[] = [
  [
    'plate',
    'B-CL 2026',
    [
      'b-cl 2026',
      'BCL2026',
      ' b cl–2026\u00a0',
      'B\u2011CL 2026',
      'Ｂ-ＣＬ ２０２６',
      'b·cl.2026',
      'B:CL/2026',
      'B•CL_2026',
    ],
    ['B-CL 2027', 'CL2026', 'B-CL 20266', '2026', 'B-CL'],
  ],
  [
    'text',
    'P/2026/000123',
    ['p2026000123', 'P-2026-000123', 'P 2026.000123'],
    ['P/2026/00123', '2026000123'],
  ],
  ['text', '12/345.678-9', ['123456789', '12 345 678 9'], ['12345678', '1234567890']],
  [
    'text',
    "O'Neill-Groß",
    ['o’neill groß', 'ONEILLGROSS', 'O´NEILL-GROẞ', 'O`Neill Gross'],
    ['Neill', "O'Neil-Gross", "O'Neill-Gros"],
  ],
  ['text', 'Ada@Example.com', ['ada@example.com', ' ADA@EXAMPLE.COM '], ['ada@example.org', 'ada']],
  ['text', 'मीना', ['मीना', '\u200bमीना '], ['मन', 'मना']],
  ['text', 'von der Leyen', ['Von der Leyen', 'vonderleyen'], ['Leyen', 'der Leyen']],
  [
    'phone',
    '+49 (30) 123-4567',
    [
      '234567',
      '030 1234567',
      '0049301234567',
      '٠٣٠١٢٣٤٥٦٧',
      '030 1234567 ext. 12',
      '030 1234567x12',
      '030 1234567 #12',
      'tel:+49301234567;ext=12',
    ],
    ['34567', '1234568', 'none', '234567 12'],
  ],
];

for (const [kind, value, right, wrong] of TABLE) {
  t.test(`${value} is answered by its spellings only`, async (t) => {
    for (const answer of [value, ...right]) {
      t.ok(isSameAnswer(value, answer, kind), answer);
      t.ok(isSameAnswer(answer, value, kind), `the other way: ${answer}`);
    }
    for (const answer of wrong) t.notOk(isSameAnswer(value, answer, kind), answer);
  });
}

t.test('an answer without letters and digits is never the same', async (t) => {
  for (const nothing of ['', ' - ', "'", '\u200b', '\u3164', 'ـ', 'ʻ', '\u0301']) {
    t.equal(answerLength(nothing), 0, JSON.stringify(nothing));
    for (const kind of ['text', 'plate', 'phone'] as const)
      t.notOk(isSameAnswer(nothing, nothing, kind), JSON.stringify(nothing));
  }
});
