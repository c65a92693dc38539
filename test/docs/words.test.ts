// The documents use plain English: these words make a sentence hard to read for people who learned English later.
import t from 'tap';
import { DOCUMENTS, proseOf, readDocument } from './markdown.js';

const WORDS = /\b(?:whoever|nobody|somebody|theirs|lest|(?:is|are) told|that is none|spoil\w*)\b/gi;

for (const path of DOCUMENTS) {
  t.test(`${path} has no word of the list`, async (t) => {
    const text = readDocument(path);
    // Released versions keep their text.
    const current = path === 'CHANGELOG.md' ? (text.split(/^## \[0\.1\.0\]$/m)[0] ?? '') : text;
    t.same(proseOf(current).replaceAll(/\s+/g, ' ').match(WORDS) ?? [], []);
  });
}
