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

t.test('README links to every document', async (t) => {
  const targets = linkTargets(readDocument('README.md'));
  t.same(
    DOCUMENTS.filter((path) => path !== 'README.md' && !targets.includes(path)),
    [],
  );
});
