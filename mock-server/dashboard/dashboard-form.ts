// The form on the dashboard that makes a link: every member of the request, the rarer ones folded away.
import { STEP_KEYS } from '../../lib/index.js';
import {
  checkField,
  type FormState,
  formStart,
  formState,
  type TextField,
  textField,
} from './dashboard-fields.js';
import { contactField, contactRows, PERSON, toFields, withPrefill } from './dashboard-link-fields.js';
import type { DashboardView } from './dashboard-view.js';
import { type Html, html } from './html.js';

const LABELS = { firstName: 'First name', lastName: 'Last name', email: 'Email', phone: 'Phone' } as const;

/** The card. */
export function formCard(view: DashboardView): Html {
  const { client, userId, samples, policy } = view;
  const sample = toFields(withPrefill(samples.linkRequest(client, userId), policy));
  const form = formState(view, 'make-link');
  const field = (name: string, options: Omit<TextField, 'name' | 'fallback'>) =>
    textField(form, { name, fallback: sample.get(name) ?? '', ...options });
  const rows = contactRows(view.refused?.action === form.action ? view.refused.fields : sample);

  return html`<section class="card" aria-labelledby="make">
<h2 id="make">Make a link</h2>
${formStart(view, form.action, { isKept: true })}
<div class="fields">
${field('/config/currentUserId', { label: 'User id', isMono: true })}
${field('/config/initialStepKey', { label: 'First step', choices: STEP_KEYS, placeholder: 'default' })}
${field('/callbackUrl', { label: 'Callback URL', isMono: true, isWide: true, inputMode: 'url', hint: 'Where the user goes afterwards. {SESSION_REFERENCE} and {STATUS} are filled in.' })}
</div>
${checkField(form, { name: '/callbackOnSubmit', label: 'Redirect at once, without a success page' })}
${fold(
  form,
  'Policy to prefill',
  ['/config/policy/'],
  [
    html`<div class="fields">
${field('/config/policy/provider', { label: 'Provider' })}
${field('/config/policy/number', { label: 'Policy number', isMono: true })}
${field('/config/policy/validFrom', { label: 'Valid from', placeholder: 'YYYY-MM-DD' })}
${field('/config/policy/validTo', { label: 'Valid to', placeholder: 'YYYY-MM-DD' })}
${field('/config/policy/vehicle/licensePlate', { label: 'License plate' })}
</div>`,
    people('Holder', [
      PERSON.map((member) => field(`/config/policy/holder/${member}`, { label: LABELS[member] })),
    ]),
    people(
      'Linked contacts',
      Array.from({ length: rows }, (_, index) =>
        PERSON.map((member) =>
          field(contactField(index, member), { label: `${LABELS[member]} of contact ${index + 1}` }),
        ),
      ),
    ),
  ],
)}
${fold(
  form,
  'Help and privacy',
  ['/config/contact/', '/config/privacyPolicyUrl'],
  [
    html`<div class="fields">
${field('/config/contact/email', { label: 'Contact email', inputMode: 'email' })}
${field('/config/contact/phone', { label: 'Contact phone', inputMode: 'tel' })}
${field('/config/contact/link', { label: 'Contact link', inputMode: 'url', isMono: true })}
${field('/config/privacyPolicyUrl', { label: 'Privacy policy URL', inputMode: 'url', isMono: true })}
</div>`,
  ],
)}
<p class="row"><button class="button primary" id="make-link">Make the link</button></p>
</form>
</section>`;
}

/** Fields that most will leave as they are; open when something is wrong in them. */
function fold(form: FormState, title: string, prefixes: readonly string[], content: readonly Html[]): Html {
  const isOpen = prefixes.some((prefix) => form.hasProblemsIn(prefix));
  return html`<details class="fold-away"${isOpen && html` open`}><summary>${title}</summary><div class="folded">${content}</div></details>`;
}

function people(legend: string, rows: readonly (readonly Html[])[]): Html {
  return html`<fieldset><legend>${legend}</legend>${rows.map((row) => html`<div class="fields">${row}</div>`)}</fieldset>`;
}
