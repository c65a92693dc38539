// Reading JSON with places: it takes what JSON.parse takes, and nothing else.
import t from 'tap';
import { readJsonText } from '../../../mock-server/scenario/json-text.js';
import { createDice } from '../dice.js';

const SAMPLE = `{
  "a": [1, -2.5e+3, 0.5, true, false, null, "", "x\\u00e4\\n\\"\\\\/", [], {}, [[{"b": {"c": []}}]]],
  "": { "ü": "🪨", "e\\/f": 1E5 }
}`;

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

t.test('what JSON.parse takes is read as the same, and what it refuses is refused', async (t) => {
  const dice = createDice(7);
  const characters = '{}[]:,"\\ \n\t\r0123456789.+-eEtrufalsn/*\u0000\u00a0\ufeffx\'';
  let taken = 0;
  const mismatches: string[] = [];
  for (let round = 0; round < 5000; round++) {
    let text = SAMPLE;
    for (let changes = dice.upTo(3); changes > 0; changes--) {
      const at = dice.upTo(text.length);
      const inserted = dice.upTo(2) === 0 ? '' : characters.charAt(dice.upTo(characters.length - 1));
      text = text.slice(0, at) + inserted + text.slice(at + dice.upTo(2));
    }
    const expected = parsed(text);
    const { value, problems } = readJsonText(text);
    const isSame =
      expected === undefined
        ? problems.length > 0
        : JSON.stringify(value) === JSON.stringify(expected.value) ||
          problems.every(({ detail }) => detail === 'stands here twice');
    if (!isSame) mismatches.push(text);
    if (expected !== undefined) taken++;
  }
  t.strictSame(mismatches, []);
  t.ok(taken > 500 && taken < 4500, 'some were taken, some refused', { taken });
});

t.test(
  'members are placed at their names, items at themselves, what is missing at what lacks it',
  async (t) => {
    const text = '{"a": [1, {"b~/": 2}]}';
    const { offsetsOf } = readJsonText(text);
    t.strictSame(
      [...offsetsOf(['', '/a', '/a/0', '/a/1', '/a/1/b~0~1', '/a/1/c', '/a/7/c', '/x/y'])],
      [
        ['', 0],
        ['/a', 1],
        ['/a/0', 7],
        ['/a/1', 10],
        ['/a/1/b~0~1', 11],
        ['/a/1/c', 10],
        ['/a/7/c', 1],
        ['/x/y', 0],
      ],
    );
  },
);

t.test('a string of a million characters is read', async (t) => {
  const long = `${'x'.repeat(500_000)}${'\n"'.repeat(250_000)}`;
  t.equal(readJsonText(JSON.stringify([long])).problems.length, 0);
});

t.test('__proto__ is a name as any other', async (t) => {
  const { value } = readJsonText('{"__proto__": {"polluted": true}}');
  t.strictSame(Object.keys(value as object), ['__proto__']);
});
