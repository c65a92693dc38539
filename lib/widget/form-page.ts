// The claim form: one document with all steps. The script shows one step at a time.
import type { FormView, WidgetPage } from '../core/widget.js';
import { FORM_SCRIPT, HEAD_SCRIPT } from '../generated/page-assets.js';
import { type FieldPointer, STEP_KEYS, STEPS, type StepKey } from './fields.js';
import { contacts, type FieldState, ROW_TEMPLATE, single } from './form-fields.js';
import { attributes, type Content, html, type Markup, raw } from './html.js';
import { inlineScript, NEW_TAB, page, pageTitle } from './page.js';
import { type FormProblems, formProblems } from './problems.js';
import { SUCCESS_TITLE, successContent } from './success-page.js';
import { webHref } from './urls.js';
import { postedValues, prefilledValues } from './values.js';

const FORM_TITLE = 'Report a claim';

const FIRST_FIELD: Readonly<Record<StepKey, FieldPointer | undefined>> = {
  policy: '/policy/provider',
  incident: '/incident/date',
  contact: '/policy/holder/firstName',
  review: undefined,
};

const BACK = raw('<button type="button" class="button js-only" data-back>Back</button>\n');
const NEXT = raw('<button type="button" class="button primary js-only" data-next>Next</button>\n');

// With autocomplete, Firefox would restore the button as disabled after a reload.
const SEND = raw(
  '<button type="submit" class="button primary" id="send" autocomplete="off">Send claim</button>\n',
);
const SUCCESS_MARKUP = successContent('', '');

function step(key: StepKey, current: StepKey, content: Content, buttons: Content): Markup {
  return html`<section class="step"${attributes({ 'data-step': key, 'data-current': key === current })} aria-labelledby="step-${key}">
<h2 id="step-${key}" tabindex="-1">${STEPS[key].title}</h2>
${content}<div class="buttons">
${buttons}</div>
</section>
`;
}

function policyStep(state: FieldState): Markup {
  return html`${single('/policy/provider', state)}${single('/policy/number', state)}<fieldset class="plain">
<legend>Period of cover</legend>
<div class="pair">
${single('/policy/validFrom', state)}${single('/policy/validTo', state)}</div>
</fieldset>
${single('/policy/vehicle/licensePlate', state)}`;
}

function incidentStep(state: FieldState): Markup {
  return html`<p class="hint">Tell us what you know now. The rest can follow later.</p>
${single('/incident/date', state)}${single('/incident/description', state)}`;
}

function contactStep(state: FieldState): Markup {
  return html`<fieldset class="plain">
<legend>Policy holder</legend>
<div class="pair">
${single('/policy/holder/firstName', state)}${single('/policy/holder/lastName', state)}${single('/policy/holder/phone', state)}${single('/policy/holder/email', state)}</div>
</fieldset>
${contacts(state)}`;
}

function reviewStep(privacyPolicyUrl: string | undefined): Markup {
  const privacy = webHref(privacyPolicyUrl);
  return html`<div class="js-only" id="review"></div>
<p>Please check that everything is right. Once it is sent, the claim cannot be changed here.</p>
${
  privacy &&
  html`<p>Our <a href="${privacy}" target="_blank" rel="noopener noreferrer">privacy policy${NEW_TAB}</a> says how we use your data.</p>
`
}<p class="failure" id="failure" role="alert" hidden></p>
`;
}

function summary({ summary: lines }: FormProblems): Markup {
  const shown = lines.length > 0;
  // Problems take the focus, so that a screen reader starts there.
  const state = attributes({ hidden: !shown, autofocus: shown });
  return html`<div class="problems" id="problems" role="alert" tabindex="-1" aria-labelledby="problems-title"${state}>
<h2 id="problems-title">There is a problem</h2>
<ul id="problem-list">${lines.map(
    ({ target, text }) => html`<li>${target ? html`<a href="#${target}">${text}</a>` : text}</li>`,
  )}</ul>
</div>
`;
}

function progress(current: StepKey): Markup {
  const items = STEP_KEYS.map(
    (key, index) =>
      html`<li${attributes({ 'aria-current': key === current && 'step' })}><span class="dot">${index + 1}</span><span>${STEPS[key].short}</span></li>`,
  );
  return html`<ol class="progress js-only" aria-label="Progress">${items}</ol>\n`;
}

function firstStep(initialStepKey: string | undefined): StepKey {
  return STEP_KEYS.find((key) => key === initialStepKey) ?? STEP_KEYS[0];
}

export function renderForm(view: FormView): WidgetPage {
  const { link, nonce, fields } = view;
  const { config, clientName } = link;
  const values = fields ? postedValues(fields) : prefilledValues(config.policy);
  const problems = formProblems(view.problems ?? [], values.contacts.length);
  const current = problems.step ?? firstStep(config.initialStepKey);
  const focus = problems.summary.length === 0 && current !== STEP_KEYS[0] ? FIRST_FIELD[current] : undefined;
  const state: FieldState = { values, messages: problems.byPointer, ...(focus && { autofocus: focus }) };
  const title = pageTitle(FORM_TITLE, clientName);
  return page({
    nonce,
    title: problems.summary.length > 0 ? `Error: ${title}` : title,
    clientName,
    contact: config.contact,
    head: inlineScript(nonce, HEAD_SCRIPT),
    main: html`<h1>${FORM_TITLE}</h1>
<p class="lead">It takes a few minutes. We need every answer that is not marked as optional.</p>
${progress(current)}${summary(problems)}<form${attributes({
      id: 'claim',
      class: 'card',
      method: 'post',
      novalidate: true,
      'data-title': title,
      'data-success-title': pageTitle(SUCCESS_TITLE, clientName),
      'data-callback-on-submit': link.callbackOnSubmit,
    })}>
${step('policy', current, policyStep(state), NEXT)}${step('incident', current, incidentStep(state), [BACK, NEXT])}${step(
  'contact',
  current,
  contactStep(state),
  [BACK, NEXT],
)}${step('review', current, reviewStep(config.privacyPolicyUrl), [BACK, SEND])}</form>
<p class="vh" id="status" role="status"></p>`,
    end: html`${ROW_TEMPLATE}<template id="success-template">${SUCCESS_MARKUP}</template>
${inlineScript(nonce, FORM_SCRIPT)}`,
  });
}
