// The policy of an own widget: the one of the built-in pages with further sources.
import t from 'tap';
import type { PolicySources } from '../../lib/index.js';
import { extendPolicy } from '../../lib/widget/index.js';

const POLICY = "default-src 'none'; script-src 'nonce-abc'; img-src data:; frame-ancestors 'none'";

t.test('sources are added to their directives, and directives that are missing are added', async (t) => {
  t.equal(
    extendPolicy(POLICY, {
      scriptSrc: ['https://widget.example'],
      imgSrc: ['data:', 'https://img.example'],
      connectSrc: ["'self'", 'https://api.example'],
    }),
    "default-src 'none'; script-src 'nonce-abc' https://widget.example; img-src data: https://img.example; " +
      "frame-ancestors 'none'; connect-src 'self' https://api.example",
  );
  t.equal(extendPolicy(POLICY, {}), POLICY);
});

t.test('each member has its directive', async (t) => {
  const sources = ['https://widget.example'];
  const directives: Record<keyof PolicySources, string> = {
    scriptSrc: 'script-src',
    connectSrc: 'connect-src',
    imgSrc: 'img-src',
    styleSrc: 'style-src',
    fontSrc: 'font-src',
    frameSrc: 'frame-src',
    workerSrc: 'worker-src',
  };
  for (const [member, directive] of Object.entries(directives))
    t.equal(
      extendPolicy("default-src 'none'", { [member]: sources }),
      `default-src 'none'; ${directive} https://widget.example`,
    );
});

t.test("a source replaces 'none', which excludes every other source", async (t) => {
  t.equal(extendPolicy("script-src 'none'", { scriptSrc: ["'self'"] }), "script-src 'self'");
});

t.test('a source that would begin another source or directive is rejected', async (t) => {
  for (const source of ['', 'a b', "https://x; script-src 'unsafe-inline'", 'https://x,y', 'a\nb', 'ä'])
    t.throws(
      () => extendPolicy(POLICY, { scriptSrc: [source] }),
      { code: 'options_invalid', problems: [{ pointer: '/sources/scriptSrc', rule: 'value' }] },
      JSON.stringify(source),
    );
});

t.test('members that are unknown, or no lists, are rejected', async (t) => {
  for (const sources of [
    { mediaSrc: ['data:'] },
    { 'script-src': ['data:'] },
    { scriptSrc: 'https://a.example' },
  ])
    t.throws(
      () => extendPolicy(POLICY, sources as object),
      /mediaSrc is not an option|did you mean scriptSrc|scriptSrc must be a list of sources/,
    );
});
