// Counts the levels of a text before its parser runs: parsers call themselves for each level, or take memory for it.

/** A session in a scenario may have an `extra` of 32 levels. */
export const MAX_LEVELS = 64;

export const LEVELS_DETAIL = `must not have more than ${MAX_LEVELS} levels`;

/** 1000 sessions with everything that a listing shows. */
export const MAX_VALUES = 100_000;

export const VALUES_DETAIL = `must not have more than ${MAX_VALUES} values`;

/**
 * Returns where the first level beyond the maximum begins in a JSON text, or the first value beyond `maxValues`: small
 * objects take many times the memory of their text.
 */
export function excessOffset(
  json: string,
  maxValues = Number.POSITIVE_INFINITY,
): { offset: number; detail: string } | undefined {
  let levels = 0;
  let values = 1;
  let isInString = false;
  for (let offset = 0; offset < json.length; offset++) {
    const character = json[offset];
    if (isInString) {
      if (character === '\\') offset++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '[' || character === '{') {
      values++;
      if (++levels > MAX_LEVELS) return { offset, detail: LEVELS_DETAIL };
    } else if (character === ']' || character === '}') levels--;
    else if (character === ',') values++;
    if (values > maxValues) return { offset, detail: VALUES_DETAIL };
  }
  return undefined;
}

/** Returns where the first level beyond the maximum begins in a YAML text. Its first parser builds no values. */
export async function deepYamlOffset(yaml: string): Promise<number | undefined> {
  const { Lexer, Parser } = await import('yaml');
  const parser = new Parser();
  for (const token of new Lexer().lex(yaml)) {
    for (const _document of parser.next(token));
    // Besides collections, the stack has the document and a scalar.
    if (parser.stack.length > MAX_LEVELS + 2) return parser.offset;
  }
  return undefined;
}
