// The documents use plain English: these words make a sentence hard to read for people who learned English later.
import t from 'tap';
import { DOCUMENTS, proseOf, readDocument } from './markdown.js';

const WORDS = /\b(?:whoever|nobody|somebody|theirs|lest|(?:is|are) told|that is none|spoil\w*)\b/gi;

/** Documents of the mock server, which are rewritten together with it. Remove each one when it is. */
const NOT_YET = ['docs/control-api.md', 'docs/mock.md', 'docs/recipes.md'];

for (const path of DOCUMENTS.filter((document) => !NOT_YET.includes(document))) {
  t.test(`${path} has no word of the list`, async (t) => {
    const text = readDocument(path);
    // Released versions keep their text.
    const current = path === 'CHANGELOG.md' ? (text.split(/^## \[0\.1\.0\]$/m)[0] ?? '') : text;
    t.same(proseOf(current).replaceAll(/\s+/g, ' ').match(WORDS) ?? [], []);
  });
}
