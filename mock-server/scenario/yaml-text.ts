// Reads YAML 1.2 as people write it, with the place of each mistake. The parser is loaded when the first file is read.
import type { Alias, Document, ErrorCode, Node, YAMLError } from 'yaml';
import { nearestPlaces, pointerToken, type ReadText, type TextProblem } from './json-text.js';

type Yaml = typeof import('yaml');

/** How much the aliases of a text may blow it up; a policy that is shared by some hundred sessions is no attack. */
const MAX_ALIASES = 1000;

/** What the parser finds, in words that do not quote the text, as its own do. */
const SENTENCES: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'is no alias; put the text in quotes',
  BAD_DQ_ESCAPE: 'is an escape that YAML does not have',
  BAD_INDENT: 'is not indented as it must be here, or the bracket before it is not closed',
  BAD_SCALAR_START: 'must not begin with this character; put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'must begin on a line of its own, or be in quotes',
  BLOCK_IN_FLOW: 'must not stand inside of brackets or braces',
  DUPLICATE_KEY: 'stands here twice',
  MISSING_CHAR: 'lacks a character, such as a colon, a comma, a closing quote or a space',
  MULTILINE_IMPLICIT_KEY: 'must be a name on one line, with a colon after it',
  MULTIPLE_DOCS: 'begins a second document; there must be one only',
  NON_STRING_KEY: 'must be a name, and no list or object',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  TAB_AS_INDENT: 'is indented with a tab; YAML wants spaces',
  TAG_RESOLVE_FAILED: 'has a tag that is not known here; leave the tag out',
  UNEXPECTED_TOKEN:
    'is not expected here; a quote, a bracket, a colon or some indentation before it may be wrong',
};

/**
 * Reads one document, in the core schema: dates stay text. A name that stands twice, a tag, a second document and
 * aliases that blow the text up are refused.
 */
export async function readYamlText(text: string): Promise<ReadText> {
  const yaml = await import('yaml');
  const { parseDocument, visit } = yaml;
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  });
  const problems = problemsOf([...document.errors, ...document.warnings]);
  let firstAlias: number | undefined;
  if (problems.length === 0) {
    if (document.contents === null) problems.push({ offset: 0, detail: 'is empty' });
    const anchors = new Set<string>();
    visit(document, {
      Value: (_, { anchor }) => void (anchor !== undefined && anchors.add(anchor)),
      Alias(_, { range, source }) {
        const offset = range?.[0] ?? 0;
        firstAlias ??= offset;
        if (!anchors.has(source))
          problems.push({ offset, detail: 'is an alias of an anchor that is not there' });
      },
    });
  }
  let value: unknown;
  try {
    if (problems.length === 0) value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    // What the parser throws when it counts too many of them.
    if (!(error instanceof ReferenceError)) throw error;
    const detail = `is the first of more than ${MAX_ALIASES} aliases, those inside of others counted again`;
    problems.push({ offset: firstAlias ?? 0, detail });
  }
  return { value, problems, offsetsOf: (pointers) => offsetsOf(yaml, document, pointers) };
}

/** After a mistake in the syntax the parser finds many more that are none: the first one is enough. */
function problemsOf(errors: readonly YAMLError[]): TextProblem[] {
  const [first] = errors
    .filter(({ code }) => code !== 'DUPLICATE_KEY' && code !== 'TAG_RESOLVE_FAILED')
    .sort((a, b) => a.pos[0] - b.pos[0]);
  return (first === undefined ? errors : [first]).map(({ code, pos }) => ({
    offset: pos[0],
    detail: SENTENCES[code] ?? 'is not valid YAML',
  }));
}

function offsetsOf(
  { isAlias, isPair }: Yaml,
  document: Document.Parsed,
  pointers: readonly string[],
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  // The parser looks through the whole document for each.
  const resolved = new Map<Alias, unknown>();
  const resolve = (node: unknown): unknown => {
    if (!isAlias(node)) return node;
    if (!resolved.has(node)) resolved.set(node, node.resolve(document));
    return resolved.get(node);
  };
  const root = document.contents;
  places.set('', root?.range[0] ?? 0);
  for (const pointer of pointers) {
    let node = resolve(root);
    let path = '';
    for (const token of pointer.split('/').slice(1)) {
      const found = memberOf(isPair, node, token);
      if (found === undefined) break;
      path += `/${token}`;
      places.set(path, found.place?.range?.[0] ?? 0);
      node = resolve(found.node);
    }
  }
  return nearestPlaces(pointers, places);
}

/** A member of an object or an item of a list, by its token in a pointer, and the node that stands at its place. */
function memberOf(
  isPair: Yaml['isPair'],
  parent: unknown,
  token: string,
): { node: unknown; place: Node | null } | undefined {
  const items = (parent as { items?: readonly unknown[] } | null | undefined)?.items ?? [];
  const item = items[Number(token)];
  if (!isPair(items[0])) return item === undefined ? undefined : { node: item, place: item as Node };
  const pair = items.find((each) => isPair(each) && pointerToken(String(each.key)) === token);
  return isPair(pair) ? { node: pair.value, place: pair.key as Node } : undefined;
}
