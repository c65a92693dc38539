// The bundled scripts and the stylesheet are constants that go into a page unescaped.
import t from 'tap';
import * as assets from '../../lib/generated/page-assets.js';

const { FORM_SCRIPT, FRAME_SCRIPT, HEAD_SCRIPT, STYLE } = assets;

const ASSETS = Object.entries<string>({ ...assets });
const SCRIPTS = ASSETS.filter(([name]) => name.endsWith('SCRIPT'));
const STYLES = ASSETS.filter(([name]) => name.endsWith('STYLE'));
const OF_PAGES = ['FORM_SCRIPT', 'FRAME_SCRIPT', 'HEAD_SCRIPT', 'RESULT_SCRIPT', 'RESULT_STYLE', 'STYLE'];

for (const [name, code] of ASSETS)
  t.test(`${name}: nothing in it ends the element around it`, async (t) => {
    t.notMatch(code, /<[/!]/);
  });

for (const [name, code] of SCRIPTS)
  t.test(`${name} writes text, never markup, and builds no code`, async (t) => {
    t.notMatch(code, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(/);
  });

for (const [name, css] of STYLES)
  t.test(`${name} fetches nothing`, async (t) => {
    t.notMatch(css, /url\(|@import|@font-face/);
  });

for (const [name, code] of ASSETS.filter(([name]) => !OF_PAGES.includes(name)))
  t.test(`${name}: a part of the form has at most 1,500 bytes`, async (t) => {
    t.ok(Buffer.byteLength(code) <= 1500, `${Buffer.byteLength(code)} bytes`);
  });

t.test('the form page stays small: its scripts and styles have at most 28,250 characters', async (t) => {
  t.ok(HEAD_SCRIPT.length + FORM_SCRIPT.length + STYLE.length <= 28_250);
});

t.test('the script of framed pages has at most 1,500 characters, and posts to no `*`', async (t) => {
  t.ok(FRAME_SCRIPT.length <= 1500, `${FRAME_SCRIPT.length} characters`);
  t.notMatch(FRAME_SCRIPT, /["'`]\*["'`]/);
});
