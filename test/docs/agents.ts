// The files for agents: docs/llms.txt and the skill that drives the mock. They have the texts of the documents.
// `npm run generate:docs` writes them.
import { posix } from 'node:path';
import { readDocument } from './markdown.js';

export const LLMS_TXT = 'docs/llms.txt';
export const SKILL = 'skills/claimlink-mock/SKILL.md';

/** Decides when an agent reads the skill. */
const SKILL_DESCRIPTION =
  'Starts and drives the mock server of claimlink, an API for claims-submission links: generated sessions, links ' +
  'without a browser, faults, a clock and a request log. Use it to develop or test a client of that API without a deployment.';

/** Returns the text below a heading, up to the next heading of the same level or above. */
function sectionOf(markdown: string, heading: string): string {
  const level = heading.indexOf(' ');
  const lines = markdown.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`There is no heading ${heading}`);
  let isCode = false;
  const end = lines.findIndex((line, index) => {
    if (line.startsWith('```')) isCode = !isCode;
    return index > start && !isCode && new RegExp(`^#{1,${level}} `).test(line);
  });
  return lines
    .slice(start + 1, end < 0 ? undefined : end)
    .join('\n')
    .trim();
}

/** Returns the path of a link's target from the root, or `undefined` if it leads to the web or to its own page. */
function targetPath(document: string, target: string): string | undefined {
  if (/^(?:https:|#)/.test(target)) return undefined;
  const [path = ''] = target.split('#', 1);
  return decodeURIComponent(posix.join(posix.dirname(document), path));
}

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Replaces links by paths of the installed package, because an agent may have a copy of the skill elsewhere. */
function withPaths(document: string, markdown: string): string {
  const text = markdown.replaceAll(/^<!--.*-->\n/gm, '').replaceAll(LINK, (link, label: string, target) => {
    const path = targetPath(document, target);
    if (path === undefined) return target.startsWith('#') ? label : link;
    const file = `\`node_modules/claimlink/${path}\``;
    return path.endsWith(label) ? file : `${label} (${file})`;
  });
  return text.trim();
}

/** Returns an item of a list for each document in the tables of README, in their groups. A row may have several documents. */
function documentList(readme: string): string {
  return sectionOf(readme, '## Documentation')
    .replaceAll(/^###/gm, '##')
    .replaceAll(/^\|.*\n?/gm, (row) => {
      const [, cell = '', content = ''] = row.split('|').map((text) => text.trim());
      const links = [...cell.matchAll(LINK)];
      const contents = links.length > 1 ? content.split('; ') : [content];
      if (contents.length < links.length)
        throw new Error(`Name the content of each link, with ; between: ${row}`);
      return links
        .map(
          ([, label, target = ''], index) =>
            `- [${label}](${posix.relative('docs', target)}): ${contents[index]}\n`,
        )
        .join('');
    });
}

function llmsTxt(readme: string): string {
  const [, introduction = ''] = /^# claimlink\n\n([\s\S]+?)\n\n/.exec(readme) ?? [];
  const [list = '', license] = documentList(readme).split(/\n\n(?=The license)/);
  if (license === undefined) throw new Error('The documentation of README does not end with the license.');
  return `# claimlink

> ${introduction.replaceAll('\n', ' ')}

The files are those of the installed package: \`node_modules/claimlink/docs/llms.txt\` is this one.

${list.trim()}

## Agents

- [SKILL.md](${posix.relative('docs', SKILL)}): how to drive the mock; copy its folder to the skills of your agent
`;
}

function skill(readme: string): string {
  const documents = {
    mock: readDocument('docs/mock.md'),
    tests: readDocument('docs/mock-tests.md'),
    ci: readDocument('docs/ci-and-sandbox.md'),
    control: readDocument('docs/control-api.md'),
  };
  const [introduction = ''] = sectionOf(readme, '## The mock server').split('\n\n', 1);
  const requests = sectionOf(readme, '## Try it').split(
    'List the sessions of a user, in another terminal:',
  )[1];
  const [curl] =
    /```sh\ncurl [\s\S]*?\/__mock\/[\s\S]*?```/.exec(sectionOf(documents.mock, '## Start')) ?? [];
  if (requests === undefined || curl === undefined) throw new Error('The documents have no curl lines.');
  return `---
name: claimlink-mock
description: ${JSON.stringify(SKILL_DESCRIPTION)}
---

# Drive the mock of claimlink

${withPaths('README.md', introduction)}

This file is made from the documents of the package: \`node_modules/claimlink/docs/llms.txt\` lists all of them.

## Start and end it

${withPaths('docs/ci-and-sandbox.md', sectionOf(documents.ci, '## In CI'))}

## Call the service

List the sessions of a user:

${withPaths('README.md', requests)}

## Call the control API

These lines work with the default client:

${curl}

${withPaths('docs/control-api.md', documents.control.replace(/^# .*\n/, ''))}

## Faults

${withPaths('docs/mock-tests.md', sectionOf(documents.tests, '## Faults'))}
`;
}

/** Returns the files for agents, made from the documents. */
export function generateAgentFiles(): [path: string, text: string][] {
  const readme = readDocument('README.md');
  return [
    [LLMS_TXT, llmsTxt(readme)],
    [SKILL, skill(readme)],
  ];
}
