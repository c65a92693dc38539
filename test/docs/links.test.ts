// Links between documents lead to files and headings that exist.
import { existsSync } from 'node:fs';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { anchorsOf, DOCUMENTS, linkTargets, readDocument } from './markdown.js';

for (const path of DOCUMENTS) {
  t.test(`every link of ${path} leads somewhere`, async (t) => {
    const base = new URL(path, REPOSITORY);
    for (const target of linkTargets(readDocument(path))) {
      const url = new URL(target, base);
      if (url.protocol !== 'file:') {
        t.equal(url.protocol, 'https:', `${target} is an https URL`);
        continue;
      }
      const anchor = decodeURIComponent(url.hash.slice(1));
      url.hash = '';
      if (!t.ok(existsSync(url), `${target} exists`) || anchor === '') continue;
      const file = url.href.slice(REPOSITORY.href.length);
      t.ok(anchorsOf(readDocument(file)).includes(anchor), `${target} is a heading`);
    }
  });
}

// Links from outside may name sections that are in other documents now.
for (const path of ['docs/pages.md', 'docs/mock.md', 'docs/storage.md'])
  t.test(`a section that left ${path} has its anchor there, with a link to it`, async (t) => {
    const text = readDocument(path);
    const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, anchor = '']) => anchor);
    const moved = text.split('## Moved\n')[1] ?? '';
    t.ok(anchors.length > 0);
    t.same(
      anchors,
      linkTargets(moved).map((target) => /^[a-z-]+\.md#(.+)$/.exec(target)?.[1]),
    );
    t.notOk(
      anchors.some((anchor) => anchorsOf(text).includes(anchor)),
      'no heading has such an anchor',
    );
  });

for (const name of [
  ...['pages', 'client-settings', 'own-pages', 'serve-pages', 'mock', 'mock-tests', 'ci-and-sandbox'],
  ...['storage', 'own-storage', 'storage-port'],
])
  t.test(`docs/${name}.md has under 400 lines, and begins with its readers`, async (t) => {
    const lines = readDocument(`docs/${name}.md`).split('\n');
    t.ok(lines.length < 400, `${lines.length} lines`);
    t.match(lines[2], /^This page is for /);
  });

t.test('README links to every document', async (t) => {
  const targets = linkTargets(readDocument('README.md'));
  t.same(
    DOCUMENTS.filter((path) => path !== 'README.md' && !targets.includes(path)),
    [],
  );
});

t.test(
  'README has the documents in groups: for hosts, for users of the mock, for both, and the evidence',
  async (t) => {
    const [, index = ''] = readDocument('README.md').split('## Documentation\n');
    const groups = index.split(/^### /m).slice(1);
    t.same(
      groups.map((group) => group.split('\n', 1)[0]),
      ['Mount it into your host', 'Develop against the mock', 'Both', 'Evidence'],
    );
    const [host = [], mock = [], both = [], evidence = []] = groups.map((group) => linkTargets(group));
    t.equal(host[0], 'docs/production.md', 'the checklist is first');
    t.same(mock, [
      'docs/mock.md',
      'docs/mock-tests.md',
      'docs/recipes.md',
      'docs/ci-and-sandbox.md',
      'docs/control-api.md',
    ]);
    t.ok(evidence.every((path) => !DOCUMENTS.includes(path) || path.startsWith('docs/evidence/')));
    const listed = [...host, ...mock, ...both, ...evidence].filter((path) => DOCUMENTS.includes(path));
    t.same(listed.sort(), DOCUMENTS.filter((path) => path !== 'README.md').sort(), 'each document once');
  },
);
