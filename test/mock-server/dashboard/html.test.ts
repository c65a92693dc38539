// The html`` tag of the mock's pages.
import t from 'tap';
import { html, toText } from '../../../mock-server/dashboard/html.js';

t.test('text and numbers are escaped, in content and in attributes', async (t) => {
  t.equal(
    toText(html`<a title="${`"'<>&`}">${'<b>'}${1}</a>`),
    '<a title="&quot;&#39;&lt;&gt;&amp;">&lt;b&gt;1</a>',
  );
});

t.test('markup is taken as it is, lists are joined, undefined and false vanish', async (t) => {
  t.equal(
    toText(html`<ul>${['a', '<'].map((text) => html`<li>${text}</li>`)}${undefined}${false}</ul>`),
    '<ul><li>a</li><li>&lt;</li></ul>',
  );
});
