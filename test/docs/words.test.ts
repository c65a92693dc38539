// The texts use plain English: these words make a sentence hard to read for people who learned English later.
import type { Command } from 'commander';
import t from 'tap';
import { createProgram } from '../../cli/program.js';
import { DOCUMENTS, proseOf, readDocument } from './markdown.js';

const WORDS =
  /\b(?:who(?:so)?ever|whatsoever|nobody|somebody|theirs|lest|hereby|thereof|(?:is|are|was|were) told|that is none|as it is|spoil\w*|shelf|shelves|journal|turn(?:s|ed)? the clock|kept|draws?|drawn|foreign(?! (?:key|table)))\b|, too\b/gi;

function hardWords(text: string): string[] {
  return text.replaceAll(/\s+/g, ' ').match(WORDS) ?? [];
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
