// The html`` tag escapes whatever is not markup by type. Data in a script element cannot end the element.
import t from 'tap';
import { attributes, escapeHtml, html, jsonForScript, raw } from '../../lib/widget/html.js';

t.test('the five special characters are escaped', async (t) => {
  t.equal(escapeHtml(`a&b<c>d"e'f`), 'a&amp;b&lt;c&gt;d&quot;e&#39;f');
  t.equal(escapeHtml('plain'), 'plain');
});

t.test('a value in a template is escaped, in text and in attributes', async (t) => {
  t.equal(html`<a title="${'"x"'}">${'<b>'}</a>`.toString(), '<a title="&quot;x&quot;">&lt;b&gt;</a>');
});

t.test('markup in a template stays markup, and is not escaped twice', async (t) => {
  t.equal(html`<p>${html`<b>${'&'}</b>`}${raw('<hr>')}</p>`.toString(), '<p><b>&amp;</b><hr></p>');
});

t.test('arrays are joined, numbers written, undefined and false left out', async (t) => {
  t.equal(html`${[1, '<', [html`<i>`]]}|${undefined}|${false}`.toString(), '1&lt;<i>||');
});

t.test('an object that only looks like markup is not taken for it', async (t) => {
  const forged = JSON.parse('{"text":"<b>"}');
  t.throws(() => html`${forged}`);
});

t.test('attributes are escaped; true writes the bare name, undefined and false nothing', async (t) => {
  const written = attributes({ id: `"'`, hidden: true, value: '', name: undefined, checked: false, rows: 6 });
  t.equal(written.toString(), ' id="&quot;&#39;" hidden value="" rows="6"');
});

t.test('data in a script element is the same after parsing, and cannot end the element', async (t) => {
  const data = { text: '</script><!--<script>\u2028\u2029"\\' };
  const json = jsonForScript(data);
  t.notMatch(json, /[<\u2028\u2029]/);
  t.same(JSON.parse(json), data);
});
