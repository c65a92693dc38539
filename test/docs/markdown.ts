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
  ...['docs', 'docs/evidence'].flatMap((folder) =>
    readdirSync(new URL(folder, REPOSITORY))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
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

/** Returns a file without its first comment, or its part between `// #region name` and `// #endregion`; in Python, with `#`. */
export function codeAt(source: string): string {
  const [path = '', region] = source.split('#', 2);
  const text = readDocument(path);
  if (region === undefined) return text.replace(/^(?:\/\/ .*\n)+/, '');
  const [, rest = ''] = text.split(new RegExp(`^(?://|#) #region ${region}\n`, 'm'), 2);
  return (
    rest
      .split(/^(?:\/\/|#) #endregion$/m, 1)[0]
      ?.trimEnd()
      .concat('\n') ?? ''
  );
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

/** The first cells of a row, in Markdown. The document has the cells that are `undefined`, and those that follow. */
export type Row = readonly (string | undefined)[];

/** The head of a table, and its rows. */
interface Table {
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Splits a document before and after the table between `<!-- name:start -->` and `<!-- name:end -->`. */
function splitAt(markdown: string, name: string): [before: string, table: string, after: string] {
  const start = `<!-- ${name}:start -->\n`;
  const [before, text] = markdown.split(start, 2);
  const [table, after] = text?.split(`<!-- ${name}:end -->`, 2) ?? [];
  if (before === undefined || table === undefined || after === undefined)
    throw new Error(
      `The document has no table ${name}: add its head between <!-- ${name}:start --> and <!-- ${name}:end -->.`,
    );
  return [before + start, table, `<!-- ${name}:end -->${after}`];
}

function parseTable(table: string): Table {
  const [head = '', line = '', ...rows] = table.trim().split('\n');
  const cellsOf = (row: string) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
  return { head: [head, line], rows: rows.map(cellsOf) };
}

/** Returns the rows of a table, without its head and without the marks of code. */
export function tableOf(markdown: string, name: string): string[][] {
  const { rows } = parseTable(splitAt(markdown, name)[1]);
  return rows.map((cells) => cells.map((cell) => cell.replaceAll('`', '')));
}

/** Returns a document with the rows of a table replaced. A cell of a new row that the code does not have is `TODO`. */
export function replaceTable(markdown: string, name: string, rows: readonly Row[]): string {
  const [before, table, after] = splitAt(markdown, name);
  const { head, rows: present } = parseTable(table);
  if (head[0] === '') throw new Error(`The table ${name} has no head.`);
  const columns = (head[0] ?? '').split('|').length - 2;
  const lines = rows.map((row) => {
    // The first cell names a row; in a table of traces, the first two do.
    const candidates = present.filter(([first]) => first === row[0]);
    const former = candidates.find((cells) => cells[1] === row[1]) ?? candidates[0] ?? [];
    const cells = Array.from({ length: columns }, (_, index) => row[index] ?? former[index] ?? 'TODO');
    return `| ${cells.join(' | ')} |`.replaceAll(/\| {2}(?=\|)/g, '| ');
  });
  return `${before}${[...head, ...lines].join('\n')}\n${after}`;
}
