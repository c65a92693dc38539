// The files for agents are those that npm run generate:docs makes from the documents, and what they name exists.
import { existsSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import { METHODS } from '../../mock-server/control/methods.js';
import { REPOSITORY } from '../repository.js';
import { generateAgentFiles, LLMS_TXT, SKILL } from './agents.js';
import { DOCUMENTS, linkTargets, readDocument } from './markdown.js';

for (const [path, text] of generateAgentFiles())
  t.test(`${path} is what npm run generate:docs writes`, async (t) => {
    t.equal(readDocument(path), text);
  });

t.test('llms.txt has the form of llmstxt.org, and lists each document', async (t) => {
  const text = readDocument(LLMS_TXT);
  t.match(text, /^# claimlink\n\n> [^\n]+\n\n/);
  const files = linkTargets(text).map((target) => new URL(target, new URL(LLMS_TXT, REPOSITORY)));
  for (const file of files) t.ok(existsSync(file), file.pathname);
  const paths = files.map(({ href }) => href.slice(REPOSITORY.href.length));
  const others = DOCUMENTS.filter((path) => path !== 'README.md');
  t.same(paths.sort(), [...others, SKILL].sort());
});

t.test('llms.txt describes each file by a sentence of its own', async (t) => {
  const sentences = [...readDocument(LLMS_TXT).matchAll(/^- \[.*?\]\(.*?\): (.+)$/gm)].map(
    ([, text]) => text,
  );
  t.ok(sentences.length > 20);
  t.same(
    sentences.filter((text, index) => sentences.indexOf(text) < index),
    [],
  );
});

t.test('the skill names each control method, and files of the package that exist', async (t) => {
  const text = readDocument(SKILL);
  const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  t.match(parse(head), { name: 'claimlink-mock', description: /^.{50,1024}$/ }, 'the head of a skill');
  for (const method of Object.keys(METHODS)) t.ok(text.includes(`| \`${method}\` |`), method);
  const files = [...text.matchAll(/`node_modules\/claimlink\/([^`]+)`/g)].map(([, path = '']) => path);
  t.ok(files.length > 5);
  for (const path of files) t.ok(existsSync(new URL(path, REPOSITORY)), path);
  t.same(
    linkTargets(text).filter((target) => !target.startsWith('https:')),
    [],
    'a copy of the skill has no broken links',
  );
});
