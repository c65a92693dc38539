// The page after a claim that differs from the one that was sent before.
import t from 'tap';
import type { SentClaim } from '../../lib/core/widget.js';
import { DEVICE_TEXT_SCRIPT } from '../../lib/generated/page-assets.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, markup, PAGE_VIEW, postedForm } from './views.js';

const { readForm, renderChanged } = createStandaloneWidget();
const VIEW = {
  ...PAGE_VIEW,
  reference: 'REF-1',
  submittedAt: new Date('2026-03-02T10:00:30Z'),
  fields: postedForm({ '/incident/description': 'Corrected <b>' }),
  contact,
};

t.test('it says when the first claim was sent, that changes were not saved, whom to tell', async (t) => {
  const html = markup(renderChanged(VIEW).html);
  t.match(html, 'Your changes were not saved');
  t.match(
    html,
    'A claim was already sent with this link on <time data-time datetime="2026-03-02T10:00:30.000Z">2 March 2026 at 10:00 UTC</time>.',
  );
  t.match(html, 'Description: Corrected &lt;b&gt;');
  t.match(html, '<a href="mailto:help@insurer.example">');
  t.match(html, '<strong dir="ltr" translate="no" data-reference><span>REF-1</span></strong>');
  t.notMatch(html, 'has been sent</h1>');
  t.same(faults(html), []);
});

/** The claim that the link has stored. */
const claim = readForm(postedForm()) as SentClaim;
const differences = (html: string) => /<pre[^>]* data-differences>([\s\S]*?)<\/pre>/.exec(markup(html))?.[1];
const mail = (html: string) =>
  /href="(mailto:[^"]*\?[^"]*)"/.exec(markup(html))?.[1]?.replaceAll('&amp;', '&');

t.test(
  'a browser that did not send the stored claim gets its own text, and nothing of the difference',
  async (t) => {
    const { html } = renderChanged(VIEW);
    t.equal(differences(html), undefined);
    t.notMatch(markup(html), 'What differs');
    t.equal(mail(html), 'mailto:help@insurer.example?subject=Insurance%20claims%3A%20REF-1');
  },
);

t.test(
  'the browser that sent the stored claim sees what differs, and the mail has that and no more',
  async (t) => {
    const fields = postedForm({
      '/incident/description': 'Corrected <b> & more',
      '/incident/date': '',
      '/policy/holder/phone': ' 123 ',
      '/policy/linkedContacts/0/phone': '457',
    });
    const { html } = renderChanged({ ...VIEW, fields, claim });
    const lines = [
      'What happened',
      'Date of the incident: Not given',
      'Description: Corrected <b> & more',
      '',
      'How we reach you',
      'Person 1: Bob Ross, bob@example.com, 457',
    ];
    const text = lines.join('\n').replace('<b> & more', '&lt;b&gt; &amp; more');
    t.equal(differences(html), text);
    t.equal(
      mail(html),
      `mailto:help@insurer.example?subject=Insurance%20claims%3A%20REF-1&body=${encodeURIComponent(lines.join('\r\n'))}`,
    );
    t.notMatch(markup(html), 'data-copy="[data-differences]"');
    const section = /<section class="entered"[\s\S]*<\/section>/.exec(html)?.[0] ?? '';
    t.match(section, 'data-differences', 'it goes when the user deletes the text');
    t.match(section, 'body=');
    t.same(faults(html), []);
  },
);

t.test('a removed person differs as well; what the claim only writes in another way does not', async (t) => {
  const { policy } = claim;
  const twice = {
    ...policy,
    linkedContacts: [...(policy.linkedContacts ?? []), ...(policy.linkedContacts ?? [])],
  };
  const stored = { ...claim, policy: { ...twice, validFrom: '2025-01-01T00:00:00Z' } };
  const { html } = renderChanged({ ...VIEW, fields: postedForm(), claim: stored });
  t.equal(differences(html), 'How we reach you\nPerson 2: Not given');
  const same = renderChanged({ ...VIEW, fields: postedForm(), claim });
  t.equal(differences(same.html), undefined);
  const ofHost = renderChanged({ ...VIEW, fields: new URLSearchParams({ number: 'P-1' }), claim });
  t.equal(differences(ofHost.html), undefined, 'a form of the host has fields of its own');
});

t.test('a difference that is too long for a mail has a button that copies it', async (t) => {
  const lengths = { fits: 1500, long: 1501 };
  const head = encodeURIComponent('What happened\r\nDescription: ').length;
  for (const [name, length] of Object.entries(lengths)) {
    const fields = postedForm({ '/incident/description': 'x'.repeat(length - head) });
    const { html } = renderChanged({ ...VIEW, fields, claim });
    t.equal(mail(html)?.includes('body='), name === 'fits', name);
    t.equal(markup(html).includes('data-copy="[data-differences]"'), name === 'long', name);
  }
  const arabic = postedForm({ '/incident/description': 'ش'.repeat(400) });
  t.notMatch(mail(renderChanged({ ...VIEW, fields: arabic, claim }).html), 'body=', 'six characters each');
});

t.test(
  'a whole page names the link, so that its script removes the text of the tab and of the device',
  async (t) => {
    const view = { ...VIEW, linkId: 'a1b2' };
    const { html } = renderChanged(view);
    t.match(html, '<template id="entered-template" data-link="a1b2"></template>');
    t.notOk(html.includes(DEVICE_TEXT_SCRIPT));
    const kept = renderChanged({ ...view, deviceDraft: { clientId: 'demo', isShown: true } });
    t.match(kept.html, 'data-key="claimlink-draft:demo:a1b2"></template>');
    t.ok(kept.html.includes(DEVICE_TEXT_SCRIPT));
    t.notMatch(kept.main, 'entered-template', 'the form has it already');
    t.same(faults(kept.html), []);
  },
);

t.test('it shows the fields of an own form by their names', async (t) => {
  const fields = new URLSearchParams({ number: 'P-1', firstName: 'Ada <b>', email: '' });
  t.match(markup(renderChanged({ ...VIEW, fields }).html), '>number: P-1\nfirstName: Ada &lt;b&gt;</pre>');
});

t.test('Continue leads to the callback, and the page does not go on by itself', async (t) => {
  const html = markup(renderChanged({ ...VIEW, redirectUrl: 'https://app.example/done' }).html);
  t.match(html, 'data-continue href="https://app.example/done"');
  t.notMatch(html, 'data-seconds');
  t.notMatch(markup(renderChanged(VIEW).html), 'data-continue');
});
