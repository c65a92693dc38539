// The scripts are constants that go into a page as they are.
import { Script } from 'node:vm';
import t from 'tap';
import { FORM_SCRIPT, HEAD_SCRIPT } from '../../lib/widget/script.js';
import { SUCCESS_SCRIPT } from '../../lib/widget/script-success.js';
import { STYLE } from '../../lib/widget/style.js';

t.test('they parse', (t) => {
  t.ok(new Script(HEAD_SCRIPT));
  t.ok(new Script(FORM_SCRIPT));
  t.ok(new Script(SUCCESS_SCRIPT));
  t.end();
});

t.test('nothing in them ends the element that they stand in', (t) => {
  t.notMatch(HEAD_SCRIPT + FORM_SCRIPT + SUCCESS_SCRIPT + STYLE, /<[/!]/);
  t.end();
});

t.test('they write text, never markup, and build no code', (t) => {
  t.notMatch(
    FORM_SCRIPT + SUCCESS_SCRIPT,
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(/,
  );
  t.end();
});

t.test('the stylesheet fetches nothing', (t) => {
  t.notMatch(STYLE, /url\(|@import|@font-face/);
  t.end();
});
