// JSON and YAML that people edit: what the parser of YAML accepts, and mistakes in words of our own.
import type { Document } from 'yaml';

/** A mistake in a text, and where it is. */
export interface TextProblem {
  offset: number;
  detail: string;
}

/** Limit against a short text whose aliases describe gigabytes. */
export const MAX_ALIASES = 1000;

const REPEATED_KEY = 'repeats a key of its object: keep one of them';

/** Details of errors of YAML whose messages are for programmers, by the code of the parser. */
const DETAILS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: REPEATED_KEY,
  MULTIPLE_DOCS: 'begins a second document: a file has one, so remove this line and what follows',
  NON_STRING_KEY: 'must be a text: a key is neither a list nor an object',
  TAG_RESOLVE_FAILED: 'is a tag, which is not read: write the value without it',
};

const MERGE_KEY = 'is no merge key here: write the members, or share a whole value, as in policy: *name';

export async function parseYamlText(text: string): Promise<Document.Parsed> {
  const { parseDocument } = await import('yaml');
  return parseDocument(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  });
}

/** Returns the first mistake in a document of YAML: those after it are mostly its consequences. */
export async function firstMistake(document: Document.Parsed): Promise<TextProblem | undefined> {
  const [first] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) return { offset: first.pos[0], detail: DETAILS[first.code] ?? first.message };
  const { visit } = await import('yaml');
  let problem: TextProblem | undefined;
  visit(document, {
    Scalar(position, { value, type, range }) {
      if (position !== 'key' || value !== '<<' || type !== 'PLAIN') return undefined;
      problem = { offset: range?.[0] ?? 0, detail: MERGE_KEY };
      return visit.BREAK;
    },
  });
  return problem;
}

/**
 * Finds the first key that an object of a JSON text has twice. JSON.parse takes the last value without an error. The text must
 * be valid.
 */
export function repeatedKey(json: string): TextProblem | undefined {
  const objects: Set<unknown>[] = [];
  const colon = /\s*:/y;
  for (let offset = 0; offset < json.length; offset++) {
    const character = json[offset];
    if (character === '{') objects.push(new Set());
    else if (character === '}') objects.pop();
    if (character !== '"') continue;
    const start = offset;
    // A regular expression would overflow the stack for a long text.
    while (json[++offset] !== '"') if (json[offset] === '\\') offset++;
    colon.lastIndex = offset + 1;
    if (!colon.test(json)) continue;
    const keys = objects.at(-1);
    const key: unknown = JSON.parse(json.slice(start, offset + 1));
    if (keys?.has(key)) return { offset: start, detail: REPEATED_KEY };
    keys?.add(key);
  }
  return undefined;
}
