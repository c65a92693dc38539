// Texts, comments and names of tests use plain English: these words are hard for people who learned English later, or
// are a second word for something that has one already.
import { readdirSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import t from 'tap';
import ts from 'typescript';
import { createProgram } from '../../cli/program.js';
import { REPOSITORY } from '../repository.js';
import { DOCUMENTS, proseOf, readDocument } from './markdown.js';

const WORDS =
  /\b(?:who(?:so)?ever|whatsoever|nobody|somebody|theirs|lest|hereby|thereof|(?:is|are|was|were) told|that is none|(?<!as soon )as it is|spoil\w*|shelf|shelves|journal|turn(?:s|ed)? the clock|kept|draws?|drawn|refus\w*|foreign(?! (?:key|table)))\b|, too\b/gi;

/** Names of variables and parameters that hide what they hold. */
const VAGUE_NAMES = ['seen', 'says', 'own', 'shared', 'found', 'wanted', 'given', 'known'];

const FOLDERS = ['lib', 'cli', 'mock-server', 'bench', 'scripts', 'examples', 'test'];

const UNCHECKED = ['node_modules', 'generated', 'build', 'words.test.ts'];

/** Every text of these folders is one for people. Tests have data such as `/acme/sessions/nobody`. */
const CHECKED_TEXTS = /^(?:lib|cli)\//;

function hardWords(text: string): string[] {
  return text.replaceAll(/\s+(?:(?:\/\/|\*) )?/g, ' ').match(WORDS) ?? [];
}

for (const path of DOCUMENTS) {
  t.test(`${path} has no word of the list`, async (t) => {
    const text = readDocument(path);
    // Released versions keep their text.
    const current = path === 'CHANGELOG.md' ? (text.split(/^## \[0\.1\.0\]$/m)[0] ?? '') : text;
    t.same(hardWords(proseOf(current)), []);
  });
}

t.test('no help text has a word of the list', async (t) => {
  let text = '';
  const output = { isTTY: false, write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream;
  const io = { stdout: output, stderr: output, on() {}, off() {}, exit() {}, env: {} };
  const commands: Command[] = [createProgram(io)];
  for (const command of commands) {
    command.outputHelp();
    commands.push(...command.commands);
  }
  t.ok(commands.length > 10, `${commands.length} commands`);
  t.match(text, /--latency <ms>/);
  t.same(hardWords(text), []);
});

/** Returns the words and names of the list in the comments, texts and declarations of a file. */
function hardWordsOf(path: string): string[] {
  const code = readFileSync(new URL(path, REPOSITORY), 'utf8');
  const words: string[] = [];
  const comments = new Set<number>();
  function visit(node: ts.Node): void {
    for (const { pos, end } of ts.getLeadingCommentRanges(code, node.pos) ?? []) {
      if (!comments.has(pos)) words.push(...hardWords(code.slice(pos, end)));
      comments.add(pos);
    }
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (isText && (CHECKED_TEXTS.test(path) || isTestName(node))) words.push(...hardWords(node.getText()));
    const isDeclaration = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
    if (isDeclaration && VAGUE_NAMES.includes(node.name.getText())) words.push(node.name.getText());
    ts.forEachChild(node, visit);
  }
  visit(ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true));
  return words;
}

/** The files below a folder. Links are not followed: packages of the examples have one to the whole repository. */
function filesOf(folder: string): string[] {
  return readdirSync(new URL(folder, REPOSITORY), { withFileTypes: true })
    .filter(({ name }) => !UNCHECKED.includes(name))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesOf(path) : [path];
    });
}

function isTestName({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && /\btest$/.test(parent.expression.getText());
}

for (const folder of FOLDERS) {
  t.test(`${folder}: no comment, name of a test or name of a variable has a word of the list`, async (t) => {
    const paths = filesOf(folder).filter((path) => /\.(?:tsx?|mjs)$/.test(path));
    t.ok(paths.length > 5, `${paths.length} files`);
    t.same(
      paths.flatMap((path) => hardWordsOf(path).map((word) => `${path}: ${word}`)),
      [],
    );
  });
}
