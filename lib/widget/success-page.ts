// The success page and the page of a submitted link: a receipt with the reference, the answers and the link back.
import type { WidgetContact } from '../core/types.js';
import type { Receipt, SentClaim, SuccessView, WidgetPage } from '../core/widget.js';
import { type Answer, type AnswerGroup, answerGroups, givenAnswers } from './answers.js';
import { valuesOf } from './claim-values.js';
import { contactButtons } from './contact-buttons.js';
import { STEP_KEYS } from './fields.js';
import { type FormModel, formModel } from './form-model.js';
import { formatLocale } from './format-locale.js';
import { html, inLanguage, type Markup, raw, UNTRANSLATED } from './html.js';
import type { Language } from './locales/languages.js';
import { fillIn, type Texts } from './locales/texts.js';
import { localTime, ownText, page, pageTitle } from './page.js';
import { referenceGroups } from './reference.js';
import { redirectHref, webHost } from './urls.js';

// The user must have at least 20 seconds to stop a time limit (WCAG 2.2, 2.2.1), and any activity stops it. Without a
// script, the user could not stop the redirect, so there is only the link.
const COUNTDOWN_SECONDS = 60;

export const TICK = raw(
  '<svg class="sent" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true">' +
    '<circle cx="24" cy="24" r="22"/><path d="m14.5 24.5 6.5 6.5 12.5-13"/></svg>',
);

/** Says what the buttons of a page have done. */
export const RESULT_STATUS = html`<p class="vh" role="status" data-result-status></p>\n`;

/** Returns the link back, with its countdown. */
export function onward(
  { success, script }: Texts,
  href: string,
  seconds: number | 'never' = COUNTDOWN_SECONDS,
): Markup {
  const host = webHost(href);
  const label = host === undefined ? success.continue : fillIn(script.continueTo, { host });
  const target = host === undefined ? success.takenBack : fillIn(script.takenTo, { host });
  const countdown = html`<div class="countdown" data-countdown hidden data-stayed="${script.stayed}" data-redirecting="${script.redirecting}">
<p>${target} ${success.secondsLeft} <span class="seconds" data-seconds>${seconds}</span></p>
<button type="button" class="button quiet" data-stay>${success.stay}</button>
</div>
<p class="muted vh" role="status" data-onward-status></p>
`;
  return html`<div class="onward" data-onward>
<a class="button primary" data-continue href="${href}" rel="noreferrer">${label}</a>
${seconds !== 'never' && countdown}</div>
`;
}

/** Returns answers as a list. */
export function answerSection(answers: readonly Answer[]): Markup {
  return html`<dl>${answers.map(
    ({ label, lang, values }) =>
      html`<div><dt${inLanguage(lang)}>${label}</dt><dd>${values.map((value, index) => html`${index > 0 && ', '}<bdi${UNTRANSLATED}>${value}</bdi>`)}</dd></div>`,
  )}</dl>`;
}

function answers(groups: readonly AnswerGroup[], { success }: Texts): Markup {
  return html`<h2>${success.answers}</h2>
<div data-answers>${groups.map(
    ({ title, answers }) => html`<section class="summary"><div class="summary-head"><h3>${title}</h3></div>
${answerSection(answers)}</section>
`,
  )}</div>
`;
}

/** Returns the answers of a stored claim, with its photos: their names if each has one, or their number. */
function sentAnswers(claim: SentClaim, { fields }: FormModel, { locale, texts }: Language): AnswerGroup[] {
  const groups = givenAnswers(answerGroups(valuesOf(claim, fields), fields, texts, locale));
  const { photos } = claim.incident ?? {};
  if (photos === undefined || photos.length === 0) return groups;
  const names = photos.flatMap(({ name }) => name ?? []);
  const number = new Intl.NumberFormat(formatLocale(locale)).format(photos.length);
  const answer: Answer = {
    label: texts.success.photos,
    values: names.length === photos.length ? names : [number],
    pointers: [],
    isRequired: false,
  };
  return STEP_KEYS.flatMap((step) => {
    const group = groups.find((other) => other.step === step);
    if (step !== 'incident') return group ?? [];
    const { title } = texts.steps.incident;
    return { step, title, answers: [...(group?.answers ?? []), answer] };
  });
}

/** Returns the thanks for a claim, and what it lacks of what the form asks: a claim needs neither date nor description. */
function thanks(
  { success, fields: names, steps }: Texts,
  { fields }: FormModel,
  claim: SentClaim | undefined,
): string {
  const { date, description } = claim?.incident ?? {};
  const isOpen = (pointer: string, answer: string | undefined) =>
    claim !== undefined && !answer && fields.some((field) => field.pointer === pointer && !field.isHidden);
  const topics = [
    isOpen('/incident/date', date) && names.incidentDate.label,
    isOpen('/incident/description', description) && steps.incident.title,
  ].filter(Boolean);
  return topics.length > 0 ? fillIn(success.askAbout, { topics: topics.join(', ') }) : success.thanks;
}

/** Returns a reference with its label. */
export function referenceLine({ success }: Texts, reference: string): Markup {
  return html`<p class="reference"><span class="reference-label">${success.reference}</span> <strong dir="ltr"${UNTRANSLATED} data-reference>${referenceGroups(reference).map((group) => html`<span>${group}</span>`)}</strong></p>
`;
}

/** Returns the ways to add something to a claim. */
function additions(texts: Texts, contact: WidgetContact | undefined, reference: string): Markup | undefined {
  const buttons = contact && contactButtons(texts, { contact, reference });
  return buttons && html`<section class="additions"><h2>${texts.success.add}</h2>\n${buttons}</section>\n`;
}

/** Returns the button that shares a receipt. The script shows it where it works. */
function shareButton({ help, success }: Texts, contact: WidgetContact | undefined): Markup {
  const text = contact && `${help.phone}: ${contact.phone}\n${help.email}: ${contact.email}`;
  return html`<button type="button" class="button" hidden data-share="${text}" data-failed="${success.shareFailed}">${success.share}</button>\n`;
}

/** The receipt of a submission. */
interface ReceiptContent extends Receipt {
  contact?: WidgetContact | undefined;
  href: string | undefined;
  redirectAfterSeconds?: number | 'never' | undefined;
  /** Title and first text. Default: those of the success page. */
  heading?: { title: string; text: string };
}

/** Returns the content of a receipt. Answers are there if the view has a claim. */
export function receiptContent(
  language: Language,
  model: FormModel,
  { reference, submittedAt, claim, contact, href, redirectAfterSeconds, heading }: ReceiptContent,
): Markup {
  const { locale, texts } = language;
  const { success, script } = texts;
  const { clientTexts, clientLang } = model;
  const { title = success.title, text = thanks(texts, model, claim) } = heading ?? {};
  const groups = claim ? sentAnswers(claim, model, language) : [];
  return html`<div class="card success">
${TICK}
<h1 id="success-title" tabindex="-1">${title}</h1>
<p>${text}</p>
${ownText(clientTexts.nextSteps, clientLang)}${referenceLine(texts, reference)}<div class="actions js-only">
<button type="button" class="button" data-copy="[data-reference]" data-copied="${script.copied}">${success.copy}</button>
<button type="button" class="button" data-print>${success.print}</button>
${shareButton(texts, contact)}</div>
${RESULT_STATUS}<p><span class="muted">${success.sentOn}</span> ${localTime(submittedAt, locale)}</p>
<p class="muted">${success.note}</p>
${href !== undefined && onward(texts, href, redirectAfterSeconds)}${additions(texts, contact, reference)}${claim && answers(groups, texts)}</div>`;
}

export function renderSuccess(view: SuccessView, language: Language, theme?: Markup): WidgetPage {
  const { texts } = language;
  const href = redirectHref(view.redirectUrl);
  return page({
    view,
    language,
    theme,
    title: pageTitle(texts.success.title, view),
    main: receiptContent(language, formModel(view.form, language), { ...view, href }),
    result: { hasScript: true },
    message: { type: 'claimlink:submitted', reference: view.reference },
  });
}
