// Which answers are the same: what people type for a value, and what is another value.
import t from 'tap';
import { type AnswerKind, answerLength, isSameAnswer } from '../../lib/core/same-answer.js';
import { readDocument } from '../docs/markdown.js';
import { sized } from '../size.js';

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

/** Names, plates and phone numbers of six countries, each with what people type for it. */
const COUNTRIES: Readonly<
  Record<string, Readonly<Record<AnswerKind, Readonly<Record<string, readonly string[]>>>>>
> = {
  DE: {
    text: {
      Müller: ['Mueller', 'MULLER', 'mu\u0308ller'],
      Weiß: ['Weiss', 'WEIẞ', 'WEISS'],
      'Löb-Bär': ['Loeb Baer', 'Lob Bar', 'LÖB–BÄR'],
      "d'Österländich": ['d’Osterlandich', 'D´Oesterlaendich'],
      'Groß-Gerau': ['gross gerau', 'GROSSGERAU'],
    },
    plate: {
      'FÜS-AB 123': ['füs ab 123', 'FUS-AB-123', 'FUES AB123', 'FU\u0308S AB 123'],
      'B-CL 2026': ['B:CL 2026', 'b•cl•2026', 'ВСL2026'],
      'M-X 1E': ['mx1e', 'M_X_1E'],
      'LÖ-W 77H': ['LOE W77H', 'lo-w/77h'],
      '0-17-1': ['0171', '0 17 1'],
    },
    phone: {
      '+49 30 1234567': ['030/1234567', '0049301234567', '(030) 123 45 67'],
      '0171 2345678': ['+491712345678', '345678'],
      '089 4567-890': ['089 4567890 ext. 12', '+49 (89) 4567 890'],
      '04121/987654': ['987654', '+49.4121.987654'],
      '0202 334455#12': ['0202 334455', '334455 x12'],
    },
  },
  TR: {
    text: {
      İnan: ['inan', 'INAN', 'İNAN', 'ınan'],
      Yılmaz: ['YILMAZ', 'yilmaz'],
      Öztürk: ['OZTURK', 'Oeztuerk'],
      Şahin: ['sahin', 'ŞAHİN'],
      Çağlar: ['caglar', 'ÇAĞLAR'],
    },
    plate: {
      '34 ABC 123': ['34abc123', '34-ABC-123'],
      '06 İZ 4567': ['06 IZ 4567', '06iz4567'],
      '35 KLM 89': ['35.klm.89'],
      '01 A 12345': ['01A12345'],
      '16 ŞK 100': ['16 SK 100'],
    },
    phone: {
      '+90 532 123 45 67': ['0532 1234567', '5321234567'],
      '0212 345 67 89': ['+902123456789'],
      '0312 111 22 33': ['0312-111-22-33'],
      '0 (232) 444 55 66': ['02324445566'],
      '+90 (216) 777 88 99': ['0216 777 88 99 ext 5'],
    },
  },
  GR: {
    text: {
      Παπαδόπουλος: ['ΠΑΠΑΔΟΠΟΥΛΟΣ', 'παπαδοπουλοσ'],
      Γεωργίου: ['ΓΕΩΡΓΙΟΥ', 'γεωργιου'],
      Χατζηϊωάννου: ['ΧΑΤΖΗΙΩΑΝΝΟΥ'],
      Οικονόμου: ['οικονομου'],
      Αγγελής: ['ΑΓΓΕΛΗΣ'],
    },
    plate: {
      'ΙΚΑ-1234': ['IKA1234', 'ικα 1234', 'ika-1234'],
      'ΥΖΗ-5678': ['YZH 5678'],
      'ΑΒΕ 1001': ['ABE1001'],
      'ΝΧΟ-2020': ['NXO2020'],
      'ΜΡΤ-4321': ['MPT 4321'],
    },
    phone: {
      '+30 210 1234567': ['2101234567', '00302101234567'],
      '6971 234 568': ['+30 697 1234568'],
      '2310-456789': ['2310 456789'],
      '26510 12345': ['2651012345'],
      '28210 98765': ['+302821098765'],
    },
  },
  UA: {
    text: {
      Шевченко: ['ШЕВЧЕНКО'],
      "Лук'яненко": ['Лук’яненко', 'Лукʼяненко', 'Лук`яненко', 'лукяненко'],
      Київський: ['КИЇВСЬКИЙ', 'київськии'],
      'Нечуй-Левицький': ['Нечуй Левицький'],
      Єрмоленко: ['єрмоленко'],
    },
    plate: {
      'АА 1234 ВС': ['AA1234BC', 'аа 1234 вс', 'AA 1234 ВС'],
      'КІ 5678 ОН': ['KI5678OH'],
      'ВХ 0001 ТР': ['BX 0001 TP'],
      'АЕ 4321 МК': ['ae-4321-mk'],
      'СН 9999 ХІ': ['CH9999XI'],
    },
    phone: {
      '+380 44 123 45 67': ['0441234567'],
      '067 234 56 78': ['+380672345678'],
      '(050) 345-67-89': ['0503456789'],
      '0482 765 432': ['765432'],
      '+38 (032) 222-33-44': ['0322223344'],
    },
  },
  IE: {
    text: {
      "O'Brien": ['O’Brien', 'O´Brien', 'O`Brien', 'O′Brien', 'Oʻ Brien', 'obrien'],
      'Ó Súilleabháin': ['O Suilleabhain', 'ÓSÚILLEABHÁIN'],
      'Ní Dhomhnaill': ['Ni Dhomhnaill'],
      'Mac Giolla Phádraig': ['macgiollaphadraig'],
      "D'Arcy-Smyth": ['darcy smyth'],
    },
    plate: {
      '191-D-12345': ['191D12345', '191 d 12345'],
      '12-LH-67': ['12lh67'],
      '231-KY-1': ['231 KY 1'],
      '08-MO-9999': ['08/MO/9999'],
      '241-WX-101': ['241_WX_101'],
    },
    phone: {
      '+353 1 234 5678': ['01 2345678'],
      '087 123 4567': ['+353871234567'],
      '(021) 4567890': ['0214567890 x3'],
      '091-765432': ['765432'],
      '1800 654 321': ['1800654321'],
    },
  },
  EG: {
    text: {
      'عبد الرحمن': ['عبدالرحمن', 'عَبد الرَّحمن', 'عبد الرحمـن'],
      أحمد: ['احمد'],
      فاطمة: ['فاطمه'],
      مصطفى: ['مصطفي', 'مصطفی'],
      الشربينى: ['الشربيني', 'الشربینی'],
    },
    plate: {
      'أ ب ج ١٢٣٤': ['ابج1234', 'ا-ب-ج-۱۲۳۴'],
      'س ط ع ٥٦٧': ['سطع567'],
      'ق ل م ٩٨٧٦': ['قلم ٩٨٧٦'],
      'ن ه و ٢٠٢٦': ['نهو2026'],
      'ى ر د ٣٣٣': ['يرد333'],
    },
    phone: {
      '+20 2 1234 5699': ['٠٢١٢٣٤٥٦٩٩', '0212345699'],
      '٠١٠١٢٣٤٥٦٧٨': ['01012345678', '۰۱۰۱۲۳۴۵۶۷۸'],
      '0122 345 6789': ['+20 122 345 6789'],
      '03-4567890': ['٠٣ ٤٥٦٧٨٩٠'],
      '+20 100 999 8877': ['0100 999 8877 ext. 2'],
    },
  },
};

for (const [country, kinds] of Object.entries(COUNTRIES)) {
  t.test(`${country}: names, plates and phone numbers are answered as people type them`, async (t) => {
    for (const [kind, values] of Object.entries(kinds) as [AnswerKind, Record<string, string[]>][]) {
      t.equal(Object.keys(values).length, 5, kind);
      for (const [value, answers] of Object.entries(values)) {
        for (const answer of answers) t.ok(isSameAnswer(value, answer, kind), `${value} = ${answer}`);
        for (const other of Object.keys(values))
          if (other !== value) t.notOk(isSameAnswer(value, other, kind), `${value} is not ${other}`);
      }
    }
  });
}

/** The table of the documents: the spellings of each group, and the separators. */
const ROWS = readDocument('docs/client-settings.md')
  .split(/<!-- answers:(?:start|end) -->/)[1]
  ?.split('\n')
  .map((row) => Array.from(row.matchAll(/`([^`]+)`/g), ([, group = '']) => group.split(' ')))
  .filter((groups) => groups.length > 0);
const [SEPARATORS = [], MARKS = [], LETTERS = [], SPELLED_OUT = [], DIGITS = [], SHAPES = []] = ROWS ?? [];
const SPACES = [' ', '\u00a0', '`', '\u200b', '\u202d', '\u00ad', '', '', ''];
const PLAIN = [
  'a',
  'b',
  'e',
  'i',
  'o',
  's',
  'u',
  't',
  'j',
  '0',
  '3',
  '7',
  'ж',
  'ω',
  'ب',
  'मी',
  'मि',
  '李',
  'が',
  'か',
];

/** Creates numbers from 0 to `below` that are the same in every run (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

/** One letter of a value: its spellings, and what the two forms of the value have for it. */
interface Letter {
  spellings: readonly string[];
  plain: string;
  spelledOut: string;
}

function lettersFor(kind: AnswerKind): Letter[] {
  const isPlate = kind === 'plate';
  const groups = [...MARKS, ...LETTERS, ...SPELLED_OUT, ...DIGITS, ...(isPlate ? SHAPES : [])];
  const letters = [...groups, ...PLAIN.map((letter) => [letter])].map((spellings): Letter => {
    const plain = spellings.at(-1)?.toLowerCase() ?? '';
    return { spellings, plain, spelledOut: spellings.length > 2 ? (spellings[1] ?? '') : plain };
  });
  return isPlate ? letters.filter(({ plain }) => /^[a-z0-9]+$/.test(plain)) : letters;
}

const KINDS = ['text', 'plate'] as const;
const LETTERS_OF = { text: lettersFor('text'), plate: lettersFor('plate') };
const COUNT = sized(100_000, 10_000);

t.test(
  `${COUNT} spellings by the table of docs: those of a value are right, those of another value are wrong`,
  async (t) => {
    t.ok(ROWS?.length === 6 && SHAPES.length > 20, 'the table has its rows');
    const random = createRandom(20_261_128);
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
    const formsOf = (value: readonly Letter[]) =>
      (['plain', 'spelledOut'] as const).map((form) => value.map((letter) => letter[form]).join(''));
    const stored = (value: readonly Letter[]) => value.map(({ spellings }) => spellings[0]).join('');
    /** Writes each letter in one form or in the stored one, in any case, with separators. Returns the forms of what it wrote. */
    const spell = (value: readonly Letter[]): { text: string; forms: string[] } => {
      const form = pick(['plain', 'spelledOut'] as const);
      const letters = value.map((letter): Letter => {
        const written = random(2) === 0 ? letter[form] : (letter.spellings[0] ?? '');
        return written === letter.spellings[0]
          ? letter
          : { spellings: [written], plain: written, spelledOut: written };
      });
      const text = letters
        .map(({ spellings: [written = ''] }) => {
          const cased = random(2) === 0 ? written.toUpperCase() : written.toLowerCase();
          return cased + (random(3) === 0 ? (pick(SEPARATORS)[0] ?? '') : pick(SPACES));
        })
        .join('');
      return { text: random(2) === 0 ? text.normalize('NFD') : text, forms: formsOf(letters) };
    };
    const failures: string[] = [];
    for (let index = 0; index < COUNT / 2; index++) {
      const kind = pick(KINDS);
      const letters = LETTERS_OF[kind];
      const value = Array.from({ length: 3 + random(9) }, () => pick(letters));
      // A value that differs in one letter, or lacks one.
      const at = random(value.length);
      const other = [
        ...value.slice(0, at),
        ...(random(3) === 0 ? [] : [pick(letters)]),
        ...value.slice(at + 1),
      ];
      const { text: right } = spell(value);
      if (!isSameAnswer(stored(value), right, kind)) failures.push(`${kind}: ${stored(value)} is ${right}`);
      const { text: wrong, forms } = spell(other);
      const isSame = formsOf(value).some((form) => forms.includes(form));
      if (!isSame && isSameAnswer(stored(value), wrong, kind))
        failures.push(`${kind}: ${stored(value)} is not ${wrong}`);
    }
    t.strictSame(failures.slice(0, 10), []);
  },
);

t.test('the digits of every script count as 0 to 9', async (t) => {
  for (const system of Intl.supportedValuesOf('numberingSystem')) {
    const digits = new Intl.NumberFormat('en', { numberingSystem: system, useGrouping: false });
    const text = digits.format(9_876_543_210);
    if (/^\p{Nd}+$/u.test(text)) t.ok(isSameAnswer('9876543210', text), `${system}: ${text}`);
  }
});
