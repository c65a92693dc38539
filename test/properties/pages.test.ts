// The tree of a page is the same whatever its values are.
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, formView, PAGE_VIEW, postedForm } from '../widget/views.js';
import { storableText } from './arbitraries.js';
import { check, inputs } from './check.js';

const PAGES = inputs(200, 20);

const widget = createStandaloneWidget();

/** Elements with the names of their attributes, and comments. Without texts. */
function treeOf(node: DefaultTreeAdapterTypes.Node): unknown {
  const attributes = 'attrs' in node ? node.attrs.map(({ name }) => name) : [];
  // The content of a template is a document of its own.
  const inner = 'content' in node ? node.content : node;
  const children = 'childNodes' in inner ? inner.childNodes : [];
  // A reference is set in groups: their number depends on its length.
  const isGrouped = attributes.includes('data-reference');
  const ignored = isGrouped ? ['#text', 'span'] : ['#text'];
  const elements = children.filter(({ nodeName }) => !ignored.includes(nodeName)).map(treeOf);
  return [node.nodeName, attributes, elements];
}

/** A page with the same value at each place, which is neither empty nor blank. */
function pagesOf(value: string): Record<string, string> {
  const shown = `a1${value}`;
  const policy = {
    provider: shown,
    number: shown,
    validFrom: shown,
    validTo: shown,
    holder: { firstName: shown, lastName: shown, phone: shown, email: shown },
    vehicle: { licensePlate: shown },
    linkedContacts: [{ firstName: shown, lastName: shown, phone: shown, email: shown }],
  };
  const shownContact = {
    ...contact,
    email: shown,
    phone: shown,
    link: `https://help.example/${encodeURI(shown)}`,
  };
  const branding = { displayName: shown, supportUrl: `https://help.example/?q=${encodeURI(shown)}` };
  const view = { ...PAGE_VIEW, branding };
  const link = { ...formView({ policy, contact: shownContact }).link, clientName: shown, callbackUrl: shown };
  const names = [...postedForm().keys()];
  const fields = new URLSearchParams(names.map((name): [string, string] => [name, shown]));
  const problems = names.map((pointer) => ({ rule: 'value' as const, detail: shown, pointer }));
  return {
    form: widget.renderForm(formView({}, { ...view, link })).html,
    'form with problems': widget.renderForm(formView({}, { ...view, link, fields, problems })).html,
    success: widget.renderSuccess({
      ...view,
      reference: shown,
      submittedAt: new Date('2026-03-02T10:00:00Z'),
      contact: shownContact,
      clientName: shown,
      redirectUrl: `https://app.example/${encodeURI(shown)}`,
      claim: {
        policy: { ...policy, holder: { ...policy.holder, id: shown } },
        incident: { description: shown },
      },
    }).html,
    changed: widget.renderChanged({
      ...view,
      reference: shown,
      submittedAt: new Date('2026-03-02T10:00:00Z'),
      fields,
      contact: shownContact,
      clientName: shown,
    }).html,
    'changed, with what differs': widget.renderChanged({
      ...view,
      reference: shown,
      claim: { policy: { ...policy, holder: { ...policy.holder, id: shown } } },
      submittedAt: new Date('2026-03-02T10:00:00Z'),
      // Short enough for a mail.
      fields: new URLSearchParams({ '/incident/description': shown.slice(0, 100) }),
      contact,
    }).html,
    unavailable: widget.renderUnavailable({
      ...view,
      code: 'link_expired',
      status: 410,
      instance: shown,
      fields,
      contact: shownContact,
      clientName: shown,
    }).html,
  };
}

const treesOf = (value: string) =>
  Object.entries(pagesOf(value)).map(([name, html]) => [name, JSON.stringify(treeOf(parse(html)))]);

t.test(`${PAGES} values at every place of every page: the parsed tree is always the same`, async () => {
  const expected = JSON.stringify(treesOf('plain'));
  await check(
    PAGES,
    fc.property(storableText, (value) => JSON.stringify(treesOf(value)) === expected),
  );
});
