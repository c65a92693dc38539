// Compares two answers as people type them. A table in docs/client-settings.md lists what does not matter.
//
// For the security review. A text has two forms: its letters without marks, and spelled out. Two answers are the same if they
// share a form. Digests of all four pairs of forms are compared in constant time. A text without letters and digits has no
// form, so it is the same as no text.
import { createHash } from 'node:crypto';
import { isEqualMac } from './mac.js';

/**
 * How an answer is compared. `phone`: by its last six digits. `plate`: letters of other scripts count as the Latin letters of
 * the same shape.
 */
export type AnswerKind = 'text' | 'plate' | 'phone';

const PHONE_DIGITS = 6;

/** Marks of these scripts do not matter. In other scripts, such as Devanagari, a mark is a vowel. */
const MARKS = /(^|[\p{N}\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Arab}\p{scx=Hebr}])\p{M}+/gu;
/** What is no part of a word. Apostrophes of some keyboards are letters in Unicode, as is the line in the middle of Arabic words. */
const SEPARATORS = /[^\p{L}\p{N}\p{M}]|[\u02b0-\u02ff\u0640\ua78b\ua78c]|\p{DI}/gu;

/** Letters without a mark that have another common spelling, and letters that other keyboards have instead. */
const SPELLINGS = toMap('ł=l ø=o đ=d ð=d þ=th æ=ae œ=oe ħ=h ς=σ ى=ي ی=ي ک=ك ة=ه ٱ=ا');
const SPELLED_OUT = toMap('ä=ae ö=oe ü=ue å=aa ø=oe đ=dj');
/** Letters of Cyrillic and Greek plates, which have the shape of a Latin letter as a capital. */
const SHAPES = toMap(
  'а=a в=b е=e і=i к=k м=m н=h о=o р=p с=c т=t у=y х=x α=a β=b ε=e ζ=z η=h ι=i κ=k μ=m ν=n ο=o ρ=p τ=t υ=y χ=x',
);

function toMap(pairs: string): ReadonlyMap<string, string> {
  return new Map(pairs.split(' ').map((pair) => pair.split('=') as [string, string]));
}

function spell(text: string, spellings: ReadonlyMap<string, string>): string {
  return Array.from(text, (letter) => spellings.get(letter) ?? letter).join('');
}

/** Returns a text in lower case. Each capital letter has one, and ß and ẞ are "ss". */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

/** Returns the value of a digit of any script. The digits of a script follow one another, from 0 on. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/** Returns the letters and digits of a text. */
function lettersOf(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(SEPARATORS, '').replaceAll(MARKS, '$1');
  return spell(foldCase(plain), SPELLINGS)
    .replaceAll(/\p{Nd}/gu, digitOf)
    .normalize('NFC');
}

/** Returns the last six digits. What follows a number after `x`, `ext` or `#` is an extension. */
function phoneForm(phone: string): string {
  const [number = ''] = /^[^\p{Nd}]*[^x#]*/iu.exec(phone.normalize('NFKC')) ?? [];
  return lettersOf(number).replaceAll(/\D/g, '').slice(-PHONE_DIGITS);
}

/** Returns the two forms of a text. They may be equal. */
function formsOf(text: string, kind: AnswerKind): readonly [plain: string, spelledOut: string] {
  if (kind === 'phone') return [phoneForm(text), phoneForm(text)];
  // A separate accent is no part of the letter before it.
  const words = foldCase(text.replaceAll(SEPARATORS, '').normalize('NFC'));
  const forms = [lettersOf(words), lettersOf(spell(words, SPELLED_OUT))] as const;
  return kind === 'plate' ? [spell(forms[0], SHAPES), spell(forms[1], SHAPES)] : forms;
}

/** Returns the number of characters that count in an answer: of its shorter form. 0: it is no answer. */
export function answerLength(text: string, kind: AnswerKind = 'text'): number {
  return Math.min(...formsOf(text, kind).map((form) => [...form].length));
}

/**
 * Returns whether an answer is the expected one as people type it: without case, accents, spaces, punctuation and invisible
 * characters, as docs/client-settings.md lists them. For `checkRecipient`, and as the service compares the members of a prefill. Answers
 * without letters and digits are never the same. The time depends on the lengths only.
 * @param kind How they are compared. Default: `text`, also for dates in one form.
 */
export function isSameAnswer(expected: string, answer: string, kind: AnswerKind = 'text'): boolean {
  const [first, second] = [expected, answer].map((text) => formsOf(text, kind).map(digest));
  let isSame = false;
  for (const one of first ?? []) for (const other of second ?? []) if (isEqualMac(one, other)) isSame = true;
  return isSame && answerLength(expected, kind) > 0;
}

/** Texts of any length have digests of one length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
