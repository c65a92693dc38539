// The script of pages that may be framed: who gets it, and what the server writes into it.
import t from 'tap';
import { FRAME_SCRIPT } from '../../lib/generated/page-assets.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, formView, HOSTILE, PAGE_VIEW, postedForm } from './views.js';

const widget = createStandaloneWidget();
const ANCESTORS = ['https://portal.example.com', 'http://127.0.0.1:4000'];
const RECEIPT = { reference: 'CLM-1', submittedAt: new Date('2025-01-01T10:00:00Z') };

/** Each page for a client with these frame ancestors. */
function pagesFor(frameAncestors: readonly string[] | undefined) {
  const view = { ...PAGE_VIEW, ...(frameAncestors && { frameAncestors }) };
  return {
    form: widget.renderForm({ ...formView(), ...view }),
    success: widget.renderSuccess({ ...view, ...RECEIPT, contact }),
    changed: widget.renderChanged({
      ...view,
      ...RECEIPT,
      fields: postedForm(),
      contact,
    }),
    expired: widget.renderUnavailable({ ...view, code: 'link_expired', status: 410, contact }),
    submitted: widget.renderUnavailable({ ...view, code: 'link_submitted', status: 410, receipt: RECEIPT }),
    declined: widget.renderUnavailable({ ...view, code: 'link_revoked', status: 200, declined: 'other' }),
    renewal: widget.renderUnavailable({ ...view, code: 'link_expired', status: 200, renewal: 'requested' }),
    down: widget.renderUnavailable({ ...view, code: 'storage_unavailable', status: 503 }),
  };
}

/** What the server tells the script of a page. */
function frameDataOf(html: string): unknown {
  const [, json] = / data-frame="([^"]*)"/.exec(html) ?? [];
  return json === undefined ? undefined : JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&#39;', "'"));
}

t.test('the pages of a client that allows no frame do not have it', async (t) => {
  for (const ancestors of [undefined, []])
    for (const [name, { html }] of Object.entries(pagesFor(ancestors))) {
      t.notOk(html.includes(FRAME_SCRIPT), name);
      t.equal(frameDataOf(html), undefined, name);
    }
});

t.test('the other pages tell it the origins, and what became of the link', async (t) => {
  const messages: Record<string, unknown> = {
    form: undefined,
    success: { type: 'claimlink:submitted', reference: 'CLM-1' },
    changed: { type: 'claimlink:unavailable', code: 'link_submitted' },
    expired: { type: 'claimlink:unavailable', code: 'link_expired' },
    submitted: { type: 'claimlink:unavailable', code: 'link_submitted' },
    declined: { type: 'claimlink:unavailable', code: 'link_revoked' },
    renewal: { type: 'claimlink:unavailable', code: 'link_expired' },
    down: { type: 'claimlink:unavailable', code: 'storage_unavailable' },
  };
  for (const [name, { html }] of Object.entries(pagesFor(ANCESTORS))) {
    t.equal(html.split(FRAME_SCRIPT).length, 2, `${name} has it once`);
    const message = messages[name];
    t.strictSame(frameDataOf(html), { origins: ANCESTORS, ...(message !== undefined && { message }) }, name);
    t.strictSame(faults(html), [], name);
  }
});

t.test('a text that is no origin is left out, so that no message goes to every page', async (t) => {
  const wrong = ['*', 'null', "'self'", 'https:', 'https://a.example/', 'https://A.example', HOSTILE];
  for (const { html } of Object.values(pagesFor(wrong))) t.notOk(html.includes(FRAME_SCRIPT));
  const { form } = pagesFor([...wrong, 'https://b.example']);
  t.strictSame(frameDataOf(form.html), { origins: ['https://b.example'] });
});

t.test('it is the last script, so that the page works when it tells that it is ready', async (t) => {
  const { form } = pagesFor(ANCESTORS);
  t.match(form.html.slice(form.html.lastIndexOf('<script')), FRAME_SCRIPT);
});
