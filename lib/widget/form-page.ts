// The claim form: one document with all steps. The script shows one step at a time.
import type { FormView, WidgetPage } from '../core/widget.js';
import { FORM_SCRIPT, HEAD_SCRIPT } from '../generated/page-assets.js';
import { changedContent } from './changed-page.js';
import { type FieldPointer, STEP_KEYS, type StepKey } from './fields.js';
import { contacts, type FieldState, field, rowTemplate } from './form-fields.js';
import { attributes, type Content, html, type Markup } from './html.js';
import type { Language } from './locales/languages.js';
import { fillIn, type Texts } from './locales/texts.js';
import { inlineScript, localTime, newTabLink, page, pageTitle, scriptTexts } from './page.js';
import { type FormProblems, formProblems } from './problems.js';
import { receiptContent } from './success-page.js';
import { webHref } from './urls.js';
import { postedValues, valuesOf } from './values.js';

/** The field that gets the focus if the form starts at its step. The first step starts at the top of the page. */
const FIRST_FIELDS: Readonly<Partial<Record<StepKey, FieldPointer>>> = {
  incident: '/incident/date',
  contact: '/policy/holder/firstName',
};

function step(texts: Texts, key: StepKey, current: StepKey, content: Content): Markup {
  return html`<section class="step"${attributes({ 'data-step': key, 'data-current': key === current })} aria-labelledby="step-${key}">
<h2 id="step-${key}" tabindex="-1">${texts.steps[key].title}</h2>
${content}<div class="buttons">
${buttons(texts, key)}</div>
</section>
`;
}

/** Returns the buttons of a step: back, and to the next step or to send the claim. */
function buttons({ form, steps }: Texts, key: StepKey): Content {
  const index = STEP_KEYS.indexOf(key);
  const next = STEP_KEYS[index + 1];
  const back = html`<button type="button" class="button js-only" data-back>${form.back}</button>\n`;
  if (next === undefined) {
    // With autocomplete, Firefox would restore the button as disabled after a reload.
    return html`${back}<button type="submit" class="button primary" id="send" autocomplete="off">${form.send}</button>\n`;
  }
  const label = fillIn(form.next, { step: steps[next].short });
  return html`${index > 0 && back}<button type="button" class="button primary js-only" data-next>${label}</button>\n`;
}

function policyStep(state: FieldState): Markup {
  return html`${field('/policy/provider', state)}${field('/policy/number', state)}<fieldset class="plain">
<legend>${state.texts.form.coverPeriod}</legend>
<div class="pair">
${field('/policy/validFrom', state)}${field('/policy/validTo', state)}</div>
</fieldset>
${field('/policy/vehicle/licensePlate', state)}`;
}

function incidentStep(state: FieldState): Markup {
  return html`<p class="hint">${state.texts.form.incidentHint}</p>
${field('/incident/date', state)}${field('/incident/description', state)}`;
}

function contactStep(state: FieldState): Markup {
  return html`<fieldset class="plain">
<legend>${state.texts.form.policyHolder}</legend>
<div class="pair">
${field('/policy/holder/firstName', state)}${field('/policy/holder/lastName', state)}${field('/policy/holder/phone', state)}${field('/policy/holder/email', state)}</div>
</fieldset>
${contacts(state)}`;
}

function privacyNote(texts: Texts, url: string, classes: string): Markup {
  const { privacy, privacyPolicy } = texts.form;
  const [before, after] = privacy.split('{policy}');
  return html`<p class="${classes}">${before}${newTabLink(url, privacyPolicy, texts)}${after}</p>\n`;
}

/** Returns the note where the form begins. Without JavaScript, that is the top of the first step. */
function firstPrivacyNote(
  texts: Texts,
  url: string,
  key: StepKey,
  initialStep: StepKey | undefined,
): Content {
  if (key === STEP_KEYS[0]) return privacyNote(texts, url, 'hint');
  // The review has a note of its own.
  return key === initialStep && key !== 'review' && privacyNote(texts, url, 'hint js-only');
}

function reviewStep(texts: Texts, privacyPolicyUrl: string | undefined): Markup {
  const privacy = webHref(privacyPolicyUrl);
  return html`<div class="js-only" id="review"></div>
<p>${texts.form.reviewText}</p>
${privacy && privacyNote(texts, privacy, 'js-only')}<p class="failure" id="failure" role="alert" hidden></p>
<p class="hint" id="slow" role="status"></p>
`;
}

/** Returns the texts of a link that takes no claim. */
function endTexts({ unavailable }: Texts): object {
  const { link_not_found, link_expired, link_revoked, link_submitted } = unavailable;
  return { link_not_found, link_expired, link_revoked, link_submitted };
}

const DAY_MS = 86_400_000;

/** Returns when the link ends, if that is soon. */
function endNote({ link, now }: FormView, { texts, locale }: Language): Markup | undefined {
  if (link.expiresAt.getTime() - now.getTime() > DAY_MS) return undefined;
  const [before, after] = texts.form.until.split('{time}');
  return html`<p class="lead">${before}${localTime(link.expiresAt, locale)}${after}</p>\n`;
}

function summary(texts: Texts, lines: FormProblems['summary']): Markup {
  const shown = lines.length > 0;
  // Problems take the focus, so that a screen reader starts there.
  const state = attributes({ hidden: !shown, autofocus: shown });
  return html`<div class="problems" id="problems" role="alert" tabindex="-1" aria-labelledby="problems-title"${state}>
<h2 id="problems-title">${texts.form.problemsTitle}</h2>
<ul id="problem-list">${lines.map(
    ({ target, text }) => html`<li>${target ? html`<a href="#${target}">${text}</a>` : text}</li>`,
  )}</ul>
</div>
`;
}

function progress(texts: Texts, current: StepKey): Markup {
  const items = STEP_KEYS.map(
    (key, index) =>
      html`<li${attributes({ 'aria-current': key === current && 'step' })}><span class="dot">${index + 1}</span><span>${texts.steps[key].short}</span></li>`,
  );
  // Safari takes a list without markers for no list, unless it has the role.
  return html`<ol class="progress js-only" role="list" aria-label="${texts.form.progress}">${items}</ol>\n`;
}

export function renderForm(view: FormView, language: Language, theme?: Markup): WidgetPage {
  const { link, nonce, fields } = view;
  const { texts } = language;
  const { config, clientName } = link;
  const values = fields ? postedValues(fields) : valuesOf({ policy: config.policy ?? {} });
  const problems = formProblems(view.problems ?? [], values, texts);
  const hasProblems = problems.summary.length > 0;
  const initialStep = STEP_KEYS.find((key) => key === config.initialStepKey);
  const current = problems.step ?? initialStep ?? STEP_KEYS[0];
  const state: FieldState = {
    texts,
    values,
    messages: problems.byPointer,
    latestIncidentDate: view.latestIncidentDate,
    autofocus: hasProblems ? undefined : FIRST_FIELDS[current],
  };
  const contents: Readonly<Record<StepKey, Markup>> = {
    policy: policyStep(state),
    incident: incidentStep(state),
    contact: contactStep(state),
    review: reviewStep(texts, config.privacyPolicyUrl),
  };
  const privacy = webHref(config.privacyPolicyUrl);
  const clientView = { ...view, clientName, contact: config.contact };
  const title = pageTitle(texts.form.title, clientView);
  return page({
    view: clientView,
    language,
    theme,
    title: hasProblems ? `${texts.page.errorPrefix} ${title}` : title,
    head: inlineScript(nonce, HEAD_SCRIPT),
    main: html`<h1>${texts.form.title}</h1>
<p class="lead">${texts.form.lead}</p>
${endNote(view, language)}${progress(texts, current)}${summary(texts, problems.summary)}<form${attributes({
      id: 'claim',
      class: 'card',
      method: 'post',
      novalidate: true,
      'data-link': view.link.linkId,
      'data-title': title,
      'data-success-title': pageTitle(texts.success.title, clientView),
      'data-changed-title': pageTitle(texts.changed.title, clientView),
      'data-callback-on-submit': link.callbackOnSubmit,
    })}>
${STEP_KEYS.map((key) =>
  step(texts, key, current, [privacy && firstPrivacyNote(texts, privacy, key, initialStep), contents[key]]),
)}</form>
<p class="vh" id="status" role="status"></p>`,
    end: html`${rowTemplate(texts)}<template id="success-template">${receiptContent(language, { href: '', redirectAfterSeconds: link.settings?.redirectAfterSeconds })}</template>
<template id="changed-template">${changedContent(language, { text: '', href: '' })}</template>
${scriptTexts(texts, { unavailable: endTexts(texts) })}${inlineScript(nonce, FORM_SCRIPT)}`,
  });
}
