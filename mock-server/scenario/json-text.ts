// Reads JSON as people write it: tells where a mistake is, and where each value stands. It never quotes the text.

/** Something that is wrong with a text. */
export interface TextProblem {
  /** Where in the text, in UTF-16 code units from its start. */
  offset: number;
  /** JSON Pointer to the value, where there is one. */
  pointer?: string;
  detail: string;
}

/** A text that was read: either its value, or what is wrong with it. */
export interface ReadText {
  value: unknown;
  problems: readonly TextProblem[];
  /**
   * Where the values of these JSON Pointers stand: a member where its name begins, an item where it begins itself, and
   * what is not there where the value begins that lacks it.
   */
  offsetsOf(pointers: readonly string[]): ReadonlyMap<string, number>;
}

/** Deeper than any world; a deeper text could exhaust the stack. */
const MAX_DEPTH = 100;

/** Reads JSON (RFC 8259). Unlike JSON.parse it refuses a name that stands twice in an object. */
export function readJsonText(text: string): ReadText {
  const found = scan(text, undefined);
  if (!Array.isArray(found)) return { value: undefined, problems: [found], offsetsOf: () => new Map() };
  return {
    value: JSON.parse(text),
    problems: found,
    offsetsOf(pointers) {
      const wanted = withParents(pointers);
      const places = new Map<string, number>();
      scan(text, (pointer, offset) => wanted.has(pointer) && places.set(pointer, offset));
      return nearestPlaces(pointers, places);
    },
  };
}

/** Of each pointer the place, or that of the nearest value around it. */
export function nearestPlaces(
  pointers: readonly string[],
  places: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const nearest = (pointer: string): number =>
    places.get(pointer) ?? (pointer === '' ? 0 : nearest(pointer.slice(0, pointer.lastIndexOf('/'))));
  return new Map(pointers.map((pointer) => [pointer, nearest(pointer)]));
}

function withParents(pointers: readonly string[]): Set<string> {
  const found = new Set(['']);
  for (const whole of pointers) {
    for (let pointer = whole; !found.has(pointer); pointer = pointer.slice(0, pointer.lastIndexOf('/')))
      found.add(pointer);
  }
  return found;
}

/** A name as it stands in a JSON Pointer (RFC 6901). */
export function pointerToken(name: string | number): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Thrown and caught in this file: reading cannot go on. */
class Unreadable extends Error {
  readonly offset: number;

  constructor(offset: number, detail: string) {
    super(detail);
    this.offset = offset;
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has no control characters in strings
const OPEN_STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const WORD = /[\w.+-]/;

/** Goes through the text. Gives the names that stand twice, or the first place where it is no JSON. */
function scan(
  text: string,
  onValue: ((pointer: string, offset: number) => unknown) | undefined,
): TextProblem[] | TextProblem {
  const duplicates: TextProblem[] = [];
  const path: (string | number)[] = [];
  let at = 0;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const next = (): string => {
    match(SPACE);
    return text.charAt(at);
  };
  const fail = (detail: string): never => {
    throw at >= text.length
      ? new Unreadable(text.length, 'ends before it is complete')
      : new Unreadable(at, detail);
  };
  const pointer = (): string => path.map((name) => `/${pointerToken(name)}`).join('');
  const take = (token: string, detail: string): void => {
    if (next() !== token) fail(detail);
    at++;
  };
  const mark = (offset: number): void => {
    onValue?.(pointer(), offset);
  };

  function string(): string {
    const found = match(OPEN_STRING) ?? '';
    const end = text.charAt(at);
    if (end === '\\') fail('is an escape that JSON does not have');
    if (end !== '"') fail('is a control character in a string, such as a line break, or a quote is missing');
    at++;
    return `${found}"`;
  }

  function value(): void {
    if (path.length > MAX_DEPTH) fail('is nested too deeply');
    const first = next();
    if (first === '{') object();
    else if (first === '[') array();
    else if (first === '"') string();
    else if (match(NUMBER) === undefined && match(LITERAL) === undefined)
      fail('must be a value: an object, an array, a string in double quotes, a number, true, false or null');
    else if (WORD.test(text.charAt(at))) fail('does not belong to the value before it');
  }

  function object(): void {
    at++;
    if (next() === '}') {
      at++;
      return;
    }
    const names = new Set<string>();
    for (;;) {
      if (next() !== '"') fail('must be a name in double quotes');
      const offset = at;
      const raw = string();
      const name: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1);
      path.push(name);
      if (names.has(name)) duplicates.push({ offset, pointer: pointer(), detail: 'stands here twice' });
      names.add(name);
      mark(offset);
      take(':', 'must be a colon, after the name');
      value();
      path.pop();
      if (next() === '}') break;
      take(',', 'must be a comma, or the brace that ends the object');
    }
    at++;
  }

  function array(): void {
    at++;
    if (next() === ']') {
      at++;
      return;
    }
    for (let index = 0; ; index++) {
      path.push(index);
      next();
      mark(at);
      value();
      path.pop();
      if (next() === ']') break;
      take(',', 'must be a comma, or the bracket that ends the array');
    }
    at++;
  }

  try {
    if (next() === '') return { offset: 0, detail: 'is empty' };
    mark(at);
    value();
    if (next() !== '') fail('stands after the end of the document');
    return duplicates;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { offset: error.offset, detail: error.message };
  }
}
