// The claim form: one document with all steps. The script shows one step at a time.
import type { WidgetContact } from '../core/types.js';
import type { FormView, WidgetPage } from '../core/widget.js';
import { FORM_SCRIPT, HEAD_SCRIPT } from '../generated/page-assets.js';
import { answerGroups } from './answers.js';
import { prefillValues } from './claim-values.js';
import { declineForm } from './decline-form.js';
import { deviceNotes } from './device-notes.js';
import { emergencyAfter, emergencyFirst } from './emergency.js';
import {
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  contactPointer,
  EMAIL,
  hasPhoneDigits,
  type StepKey,
} from './fields.js';
import { confirmation, contacts, type FieldState, field, hiddenInput } from './form-fields.js';
import { COVER, type FormField, type FormModel, formModel, stepsOf } from './form-model.js';
import { DAY_MS, formParts, suggestsEmail, timeLeft } from './form-parts.js';
import { attributes, type Content, html, type Markup, raw } from './html.js';
import type { Language } from './locales/languages.js';
import { fillIn, type Texts } from './locales/texts.js';
import {
  inlineScript,
  localTime,
  newTabLink,
  ownText,
  page,
  pageTitle,
  scriptTexts,
  titleEnd,
} from './page.js';
import { photosField, photosTexts, withPhotoMessages } from './photos-field.js';
import { type FormProblems, formProblems } from './problems.js';
import { answerSection } from './success-page.js';
import { webHref } from './urls.js';
import { type FormValues, postedValues } from './values.js';

/** The steps of a form. */
interface Steps {
  keys: readonly StepKey[];
  current: StepKey;
}

function step(texts: Texts, key: StepKey, { keys, current }: Steps, content: Content): Markup {
  return html`<section class="step"${attributes({ 'data-step': key, 'data-current': key === current })}>
<h2 id="step-${key}" tabindex="-1">${texts.steps[key].title}</h2>
${content}<div class="buttons">
${buttons(texts, key, keys)}</div>
</section>
`;
}

/** Returns the buttons of a step: back, and to the next step or to send the claim. */
function buttons({ form, steps }: Texts, key: StepKey, keys: readonly StepKey[]): Content {
  const index = keys.indexOf(key);
  const next = keys[index + 1];
  const back =
    index > 0 && html`<button type="button" class="button js-only" data-back>${form.back}</button>\n`;
  if (next === undefined) {
    // With autocomplete, Firefox would restore the button as disabled after a reload.
    return html`${back}<button type="submit" class="button primary" id="send" autocomplete="off">${form.send}</button>\n`;
  }
  const label = fillIn(form.next, { step: steps[next].short });
  return html`${back}<button type="button" class="button primary js-only" data-next>${label}</button>\n`;
}

/** Returns the fields of a step that the form asks, and those of them that are no questions of the client. */
function askedIn({ fields }: FormModel, step: StepKey): { asked: FormField[]; standard: FormField[] } {
  const asked = fields.filter((field) => field.step === step && !field.isHidden);
  return { asked, standard: asked.filter(({ isQuestion }) => !isQuestion) };
}

/** Returns fields that belong together under a heading, if there are some. */
function group(legend: string, fields: readonly FormField[], state: FieldState): Content {
  return (
    fields.length > 0 &&
    html`<fieldset class="plain">
<legend>${legend}</legend>
<div class="pair">
${fields.map((asked) => field(asked, state))}</div>
</fieldset>
`
  );
}

function policyStep(state: FieldState, isKnown: boolean): Content {
  const { model, texts } = state;
  const { asked: all, standard } = askedIn(model, 'policy');
  const isCover = ({ pointer }: FormField) => COVER.includes(pointer);
  const cover = standard.filter(isCover);
  const shown = (asked: FormField): Content => {
    if (!isCover(asked)) return field(asked, state);
    return asked === cover[0] && group(texts.form.coverPeriod, cover, state);
  };
  if (!isKnown) return all.map(shown);
  const card = knownAnswers(standard, standard.map(shown), state);
  return all.map((asked) => (asked.isQuestion ? field(asked, state) : asked === standard[0] && card));
}

/** Returns the answers that the link has prefilled as one card, and the fields to change them. */
function knownAnswers(
  standard: readonly FormField[],
  fields: Content,
  { texts, values, locale }: FieldState,
): Markup {
  const [answers] = answerGroups({ ...values, contacts: [] }, standard, texts, locale);
  const step = texts.steps.policy.title;
  const named = (classes: string, shown: string, name: string) =>
    html`<span class="${classes}"><span aria-hidden="true">${shown}</span><span class="vh">${fillIn(name, { step })}</span></span>`;
  return html`<section class="summary" data-known>${answers && answerSection(answers.answers)}</section>
<details><summary class="button quiet">${named('change', texts.script.change, texts.script.changeStep)}${named('done', texts.form.done, texts.form.doneStep)}</summary>
<div class="fields">
${fields}</div>
</details>
`;
}

/** Returns whether the link has prefilled every field of the policy that the form asks, with valid values. */
function isPolicyKnown(model: FormModel, { fields }: FormValues): boolean {
  const { standard } = askedIn(model, 'policy');
  const [from = '', to = ''] = COVER.map((pointer) => fields[pointer]);
  const isInOrder = from === '' || to === '' || from <= to;
  return (
    standard.length > 0 && isInOrder && standard.every(({ pointer }) => (fields[pointer] ?? '').trim() !== '')
  );
}

function incidentStep(state: FieldState, view: FormView): Content {
  const { photos } = state.model;
  const fields = askedIn(state.model, 'incident').asked.map((asked) => [
    field(asked, state),
    emergencyAfter(asked, state.model, state.texts),
  ]);
  return html`<p class="hint">${state.texts.form.incidentHint}</p>
${fields}${photos && photosField(photos, state, view)}`;
}

function contactStep(state: FieldState): Content {
  const { model, texts } = state;
  const { asked: all, standard } = askedIn(model, 'contact');
  return model.order.map((pointer) => {
    if (pointer === CONTACTS_POINTER) return model.contacts && contacts(state, model.contacts);
    const asked = all.find((other) => other.pointer === pointer);
    if (asked?.isQuestion) return field(asked, state);
    return asked && asked === standard[0] && group(texts.form.policyHolder, standard, state);
  });
}

/** Returns the prefilled values that the form does not ask for. A value that the user could not correct is left out. */
function hiddenInputs(model: FormModel, { fields, contacts: people }: FormValues): Content {
  const hidden = model.fields
    .filter(({ isHidden }) => isHidden)
    .map(({ pointer, preset = '' }) => ({
      pointer,
      value: fields[pointer]?.trim() ? fields[pointer] : preset,
    }))
    .filter(({ pointer, value }) => isValid(pointer, value));
  const rows = model.contacts ? [] : people.filter(isCompletePerson);
  return [
    hidden.map(({ pointer, value }) => hiddenInput(pointer, value)),
    rows.map((person, index) =>
      CONTACT_MEMBERS.map((member) => hiddenInput(contactPointer(index, member), person[member])),
    ),
  ];
}

function isValid(pointer: string, value: string): boolean {
  if (value.trim() === '') return false;
  if (pointer.endsWith('/phone')) return hasPhoneDigits(value);
  return !pointer.endsWith('/email') || EMAIL.test(value);
}

function isCompletePerson({ firstName, lastName, email, phone }: FormValues['contacts'][number]): boolean {
  return (
    Boolean(firstName.trim() && lastName.trim()) &&
    isValid('/email', email) &&
    (phone === '' || isValid('/phone', phone))
  );
}

function privacyNote(texts: Texts, url: string): Content {
  const { privacy, privacyPolicy } = texts.form;
  const [before, after] = privacy.split('{policy}');
  return [before, newTabLink(url, privacyPolicy, texts), after];
}

/** Returns what the form begins with. Without JavaScript, it is at the top of the first step, and beside a confirmation. */
function opening(
  texts: Texts,
  { clientTexts: { introduction }, clientLang }: FormModel,
  note: Content,
  isAlways: boolean,
): Content {
  const classes = isAlways ? 'hint' : 'hint js-only';
  return [
    ownText(introduction, clientLang, `${classes} own`),
    html`<p class="${classes}">${texts.form.lead} ${note}</p>\n`,
  ];
}

/** Returns the confirmation in a step before the review. */
function firstConfirmation(state: FieldState, key: StepKey): Content {
  const { confirmation: asked, noticeStep } = state.model;
  return asked && key === noticeStep && key !== 'review' && confirmation(asked, state);
}

function reviewStep(state: FieldState, privacyPolicyUrl: string | undefined): Markup {
  const { texts, model } = state;
  const isHere = model.noticeStep === 'review';
  const privacy = isHere && webHref(privacyPolicyUrl);
  // Without JavaScript, the first step has a note as well. The confirmation needs one beside it.
  const note =
    privacy &&
    html`<p${attributes({ class: !model.confirmation && 'js-only' })}>${privacyNote(texts, privacy)}</p>\n`;
  return html`<div class="js-only" id="review"></div>
<p>${texts.form.reviewText}</p>
${note}${isHere && model.confirmation && confirmation(model.confirmation, state)}<p class="failure" id="failure" role="alert" hidden></p>
<p class="hint" id="slow" role="status"></p>
`;
}

/** Returns the texts of problems that the form can have, without those that the fields have. */
function problemTexts(
  { problems: { answer: _answer, contact: _contact, time, ...texts } }: Texts,
  { fields }: FormModel,
): object {
  return fields.some(({ kind, isHidden }) => kind === 'time' && !isHidden) ? { time, ...texts } : texts;
}

/** Returns what the script says of a stored claim if no page comes with the response: a title, the reference and the contact. */
function storedTexts({ success, changed, help }: Texts, { phone, email }: WidgetContact): object {
  return {
    sent: success.title,
    changed: changed.title,
    text: `${success.reference}: {reference}\n${help.title} ${phone}, ${email}`,
  };
}

/** Returns when the link ends, if that is soon. */
function endNote({ link, now }: FormView, { texts, locale }: Language): Markup | undefined {
  const left = timeLeft(link, now);
  if (left > DAY_MS) return undefined;
  const { until, untilClock, untilAfter } = texts.form;
  const [before, after] = until.split('{time}');
  const data = attributes({ 'data-left': String(left), 'data-clock': untilClock, 'data-after': untilAfter });
  return html`<p class="lead" id="until"${data}>${before}${localTime(link.expiresAt, locale)}${after}</p>\n`;
}

function summary(texts: Texts, lines: FormProblems['summary']): Markup {
  const shown = lines.length > 0;
  // Problems take the focus, so that a screen reader starts there. An alert would be said as well.
  const state = attributes({ hidden: !shown, autofocus: shown });
  return html`<div class="problems" id="problems" role="group" tabindex="-1" aria-labelledby="problems-title" aria-describedby="problem-list"${state}>
<h2 id="problems-title">${texts.form.problemsTitle}</h2>
<ul id="problem-list">${lines.map(
    ({ target, text }) => html`<li>${target ? html`<a href="#${target}">${text}</a>` : text}</li>`,
  )}</ul>
</div>
`;
}

function progress(texts: Texts, { keys, current }: Steps): Markup {
  const items = keys.map(
    (key) =>
      html`<li${attributes({ 'aria-current': key === current && 'step' })}>${texts.steps[key].short}</li>`,
  );
  // Safari takes a list without markers for no list, unless it has the role.
  return html`<ol class="progress js-only" role="list" aria-label="${texts.form.progress}">${items}</ol>\n`;
}

/** Returns the way to another device. Its size is that of the code in CSS pixels, whatever the text size is. */
function continueOnPhone(qrCode: string, { form }: Texts): Markup {
  return html`<details class="phone"><summary class="button quiet" id="phone">${form.phone}</summary>
<div role="img" aria-labelledby="phone">${raw(qrCode)}</div>
<p class="hint">${form.phoneHint}</p>
</details>
`;
}

export function renderForm(view: FormView, language: Language, theme?: Markup): WidgetPage {
  const { link, nonce, fields } = view;
  const { texts, locale } = language;
  const { config, clientName } = link;
  const model = formModel(link.settings?.form, language, {
    privacyPolicyUrl: config.privacyPolicyUrl,
    clientName: view.branding?.displayName ?? clientName,
    initialStepKey: config.initialStepKey,
  });
  const values = fields
    ? postedValues(
        fields,
        model.fields.map(({ pointer }) => pointer),
      )
    : prefillValues(config.policy ?? {}, model.fields);
  const problems = formProblems(
    withPhotoMessages(view.problems ?? [], view.photoProblems, language),
    model,
    values,
    language,
  );
  const hasProblems = problems.summary.length > 0;
  const keys = stepsOf(model);
  const [firstStep = 'review'] = keys;
  const initialStep = keys.find((key) => key === config.initialStepKey);
  const steps = { keys, current: problems.step ?? initialStep ?? firstStep };
  const state: FieldState = {
    texts,
    locale,
    model,
    values,
    messages: problems.byPointer,
    latestIncidentDate: view.latestIncidentDate,
  };
  const contents: Readonly<Record<StepKey, Content>> = {
    policy: policyStep(state, fields === undefined && isPolicyKnown(model, values)),
    incident: incidentStep(state, view),
    contact: contactStep(state),
    review: reviewStep(state, config.privacyPolicyUrl),
  };
  const privacy = webHref(config.privacyPolicyUrl);
  const clientView = { ...view, clientName, contact: config.contact };
  const title = pageTitle(texts.form.title, clientView);
  const parts = formParts(view, model);
  return page({
    view: clientView,
    language,
    theme,
    title: hasProblems || view.declineProblem ? `${texts.page.errorPrefix} ${title}` : title,
    token: view.token,
    isForm: true,
    languagesLast: steps.current !== firstStep,
    head: [parts.style, inlineScript(nonce, HEAD_SCRIPT)],
    main: html`<h1>${texts.form.title}</h1>
${endNote(view, language)}${view.qrCode && continueOnPhone(view.qrCode, texts)}${progress(texts, steps)}${summary(texts, problems.summary)}<form${attributes(
      {
        id: 'claim',
        class: 'card',
        method: 'post',
        novalidate: true,
        enctype: model.photos && 'multipart/form-data',
        // Of each field that says nothing else. Browsers do not know its value, or know another one.
        autocomplete: 'off',
        'data-link': view.link.linkId,
        'data-suggestion': suggestsEmail(view) && texts.form.suggestion,
        'data-title-end': titleEnd(clientView),
        'data-callback-on-submit': link.callbackOnSubmit,
        'data-reports-start': view.reportsStart,
      },
    )}>
${hiddenInputs(model, values)}${view.recipientProof && hiddenInput('proof', view.recipientProof)}
${keys.map((key) =>
  step(texts, key, steps, [
    key === firstStep && emergencyFirst(model, texts),
    (key === firstStep || key === initialStep) &&
      // The review has a note of its own.
      opening(
        texts,
        model,
        privacy && (key === firstStep || key !== 'review') && privacyNote(texts, privacy),
        key === firstStep || Boolean(firstConfirmation(state, key)),
      ),
    firstConfirmation(state, key),
    contents[key],
  ]),
)}</form>
<p class="vh" id="status" role="status"></p>
${deviceNotes(view, texts, () => prefillValues(config.policy ?? {}, model.fields))}${declineForm(view, texts)}`,
    end: [
      scriptTexts(texts, {
        // The headings have them.
        steps: undefined,
        problems: problemTexts(texts, model),
        stored: storedTexts(texts, config.contact),
        photos: model.photos && photosTexts(texts),
      }),
      parts.scripts,
      inlineScript(nonce, FORM_SCRIPT),
    ],
  });
}
