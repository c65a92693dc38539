// The bundled scripts and the stylesheet are constants that go into a page unescaped.
import t from 'tap';
import {
  FORM_SCRIPT,
  FRAME_SCRIPT,
  HEAD_SCRIPT,
  RESULT_SCRIPT,
  STYLE,
} from '../../lib/generated/page-assets.js';

t.test('nothing in them ends the element around them', async (t) => {
  t.notMatch(HEAD_SCRIPT + FORM_SCRIPT + FRAME_SCRIPT + RESULT_SCRIPT + STYLE, /<[/!]/);
});

t.test('they write text, never markup, and build no code', async (t) => {
  t.notMatch(
    FORM_SCRIPT + FRAME_SCRIPT + RESULT_SCRIPT,
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(/,
  );
});

t.test('the stylesheet fetches nothing', async (t) => {
  t.notMatch(STYLE, /url\(|@import|@font-face/);
});

t.test('the form page stays small: its scripts and styles have at most 28,250 characters', async (t) => {
  t.ok(HEAD_SCRIPT.length + FORM_SCRIPT.length + STYLE.length <= 28_250);
});

t.test('the script of framed pages has at most 1,500 characters, and posts to no `*`', async (t) => {
  t.ok(FRAME_SCRIPT.length <= 1500, `${FRAME_SCRIPT.length} characters`);
  t.notMatch(FRAME_SCRIPT, /["'`]\*["'`]/);
});
