// Reads the documents of the repository: tables, code blocks, links and headings.
import { readdirSync, readFileSync } from 'node:fs';
import { REPOSITORY } from '../repository.js';

/** A code block, with the path in the comment `<!-- from path -->` before it. */
export interface CodeBlock {
  language: string;
  code: string;
  source: string | undefined;
}

/** Paths of all documents, relative to the repository. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(new URL('docs/', REPOSITORY))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Returns the text of a document. */
export function readDocument(path: string): string {
  return readFileSync(new URL(path, REPOSITORY), 'utf8');
}

/** Returns the code blocks of a Markdown text. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks = markdown.matchAll(/(?:<!-- from (\S+) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, source, language = '', code = '']) => ({ language, code, source }));
}

/** Returns a file without its first comment, or its part between `// #region name` and `// #endregion`. */
export function codeAt(source: string): string {
  const [path = '', region] = source.split('#', 2);
  const text = readDocument(path);
  if (region === undefined) return text.replace(/^(?:\/\/ .*\n)+/, '');
  const [, rest = ''] = text.split(`// #region ${region}\n`, 2);
  return rest.split('// #endregion\n', 1)[0]?.trimEnd().concat('\n') ?? '';
}

/** Returns a Markdown text without code blocks, inline code and comments. */
export function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/`[^`]*`/g, '');
}

/** Returns the targets of the links and pictures of a Markdown text. */
export function linkTargets(markdown: string): string[] {
  const text = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"/g)].map(
    ([, target, picture]) => target ?? picture ?? '',
  );
}

/** Returns the anchors of the headings of a Markdown text, as GitHub writes them. */
export function anchorsOf(markdown: string): string[] {
  const text = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the rows of the table between `<!-- name:start -->` and `<!-- name:end -->`, without its head. */
export function tableOf(markdown: string, name: string): string[][] {
  const [, text] = markdown.split(`<!-- ${name}:start -->\n`, 2);
  if (text === undefined) throw new Error(`The document has no table ${name}.`);
  const [table = ''] = text.split(`<!-- ${name}:end -->`, 1);
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}
