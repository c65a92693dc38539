// Views to render in the tests of the widget, and what to read off a page.
import type { WidgetConfig } from '../../lib/core/types.js';
import type { FormView } from '../../lib/core/widget.js';

/** What the views of all pages have. */
export const PAGE_VIEW = { nonce: 'n0nce', locale: 'en', policy: '' };

export const contact = {
  email: 'help@insurer.example',
  phone: '+44 (0)20 7946 0000',
  link: 'https://insurer.example/help',
};

export function formView(config: Partial<WidgetConfig> = {}, more: Partial<FormView> = {}): FormView {
  return {
    ...PAGE_VIEW,
    now: new Date('2025-01-01T10:00:00Z'),
    latestIncidentDate: '2026-03-03',
    link: {
      linkId: 'a1b2',
      clientId: 'demo',
      clientName: 'Demo Insurance',
      userId: 'user-1',
      callbackUrl: 'https://app.example/done',
      callbackOnSubmit: false,
      config: { contact, currentUserId: 'user-1', ...config },
      openedAt: new Date('2025-01-01T10:00:00Z'),
      expiresAt: new Date('2025-01-02T10:00:00Z'),
    },
    ...more,
  };
}

/** Every field filled in, with one contact. */
export function postedForm(changes: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams({
    '/policy/provider': 'Acme',
    '/policy/number': 'A-1',
    '/policy/validFrom': '2025-01-01',
    '/policy/validTo': '2025-12-31',
    '/policy/vehicle/licensePlate': 'AB 123',
    '/incident/date': '2025-06-01',
    '/incident/description': 'A bump.',
    '/policy/holder/firstName': 'Ada',
    '/policy/holder/lastName': 'Lovelace',
    '/policy/holder/phone': '123',
    '/policy/holder/email': 'ada@example.com',
    '/policy/linkedContacts/0/firstName': 'Bob',
    '/policy/linkedContacts/0/lastName': 'Ross',
    '/policy/linkedContacts/0/email': 'bob@example.com',
    '/policy/linkedContacts/0/phone': '456',
    ...changes,
  });
}

/** The page without what is constant: style and scripts. */
export function markup(html: string): string {
  return html.replace(/<(style|script)\b([^>]*)>[\s\S]*?<\/\1>/g, '<$1$2></$1>');
}

/** The tags of one name. */
export function tags(html: string, name: string): string[] {
  return markup(html).match(new RegExp(`<${name}\\b(?:"[^"]*"|[^>"])*>`, 'g')) ?? [];
}

/** The tag of the control of one name. */
export function control(html: string, name: string): string {
  return (
    [...tags(html, 'input'), ...tags(html, 'textarea')].find((tag) => tag.includes(` name="${name}"`)) ?? ''
  );
}

/** The values of one attribute, in order. */
export function values(html: string, attribute: string): string[] {
  return Array.from(
    markup(html).matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g')),
    ([, value = '']) => value,
  );
}

/** The step that a form starts with. */
export function currentStep(html: string): string | undefined {
  return / data-step="([a-z]+)" data-current/.exec(markup(html))?.[1];
}

function bare(tag: string): string {
  return tag.replace(/="[^"]*"/g, '=""');
}

/** What a page must never have, whatever it shows; empty for a good page. */
export function faults(html: string): string[] {
  const ids = values(html, 'id');
  const missing = (attribute: string): string[] =>
    values(html, attribute)
      .flatMap((value) => value.split(' '))
      .filter((id) => !ids.includes(id))
      .map((id) => `${attribute}="${id}" leads nowhere`);
  const everyTag = tags(html, '[a-z][a-z0-9]*');
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `id ${id} is there twice`),
    ...missing('for'),
    ...missing('aria-describedby'),
    ...missing('aria-labelledby'),
    ...everyTag.filter((tag) => / (?:style|on[a-z]+|src|srcset|action|formaction|ping)=/.test(bare(tag))),
    ...everyTag.filter((tag) => / href="\s*(?:javascript|data:(?!,")|vbscript|blob|file)/i.test(tag)),
    ...everyTag.filter(
      (tag) => /^<(?:script|style)\b/.test(tag) && !/ nonce="n0nce"| type="application\/json"/.test(tag),
    ),
    ...everyTag.filter((tag) => /^<(?:x-evil|img|iframe|object|base)\b/.test(tag)),
  ];
}

/** Breaks out of text, of attributes and of scripts, wherever one is not escaped. */
export const HOSTILE = `'"><x-evil onclick=alert(1)></script></style></textarea></title><img src=x>&amp;{{x}}`;
export const HOSTILE_ESCAPED =
  '&#39;&quot;&gt;&lt;x-evil onclick=alert(1)&gt;&lt;/script&gt;&lt;/style&gt;&lt;/textarea&gt;&lt;/title&gt;&lt;img src=x&gt;&amp;amp;{{x}}';
