// The page after a claim that differs from the one that was sent before, and the text that no claim contains.
import type { ChangedView, SentClaim, WidgetPage } from '../core/widget.js';
import { type Answer, type AnswerGroup, answerGroups, answersText, givenAnswers } from './answers.js';
import { valuesOf } from './claim-values.js';
import { contactButtons } from './contact-buttons.js';
import { keptText } from './device-notes.js';
import { visibleText } from './fields.js';
import { type FormModel, formModel } from './form-model.js';
import { type Content, html, type Markup, UNTRANSLATED } from './html.js';
import { fitsMail } from './links.js';
import type { Language } from './locales/languages.js';
import type { Texts } from './locales/texts.js';
import { localTime, page, pageTitle, SIGN } from './page.js';
import { onward, RESULT_STATUS, referenceLine } from './success-page.js';
import { redirectHref } from './urls.js';
import { type FormValues, postedValues } from './values.js';

/** Returns the fields of a form as a text to copy. A form of the host may have fields of its own: they have no labels. */
export function enteredText(
  fields: URLSearchParams,
  { fields: asked }: FormModel,
  { locale, texts }: Language,
): string {
  const pointers = asked.map(({ pointer }) => pointer);
  const lines = [...fields].filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`);
  return answersText(answerGroups(postedValues(fields, pointers), asked, texts, locale)) || lines.join('\n');
}

/** Returns the answers of a form that differ from those of a stored claim, as text. */
function differencesText(
  fields: URLSearchParams,
  stored: SentClaim,
  { fields: asked }: FormModel,
  { locale, texts }: Language,
): string {
  const pointers = asked.map(({ pointer }) => pointer);
  const groupsOf = (values: FormValues) => answerGroups(values, asked, texts, locale);
  const entered = groupsOf(postedValues(fields, pointers));
  // A form of the host has fields of its own.
  if (givenAnswers(entered).length === 0) return '';
  const key = ({ pointers, values }: Answer) => JSON.stringify([pointers, values.map(visibleText)]);
  const answersOf = (groups: readonly AnswerGroup[]) => groups.flatMap(({ answers }) => answers);
  const storedGroups = groupsOf(valuesOf(stored, asked));
  const storedKeys = new Set(answersOf(storedGroups).map(key));
  const enteredPointers = new Set(answersOf(entered).map(({ pointers: [pointer] }) => pointer));
  const differing = entered.map((group) => {
    const changed = group.answers.filter((answer) => !storedKeys.has(key(answer)));
    const removed = answersOf(storedGroups.filter(({ step }) => step === group.step)).filter(
      ({ pointers: [pointer] }) => !enteredPointers.has(pointer),
    );
    const nothing = [texts.script.notGiven];
    return {
      ...group,
      answers: [...changed, ...removed.map((answer) => ({ ...answer, values: [] }))].map((answer) =>
        answer.values.length > 0 ? answer : { ...answer, values: nothing },
      ),
    };
  });
  return answersText(differing);
}

/** Returns the text that the user can copy. The scripts fill in an empty one. `before` and `more` go when the user deletes the text. */
export function enteredSection(
  { device, entered, script }: Texts,
  text: string,
  {
    note,
    before,
    more,
    isOnDevice,
  }: { note?: Content; before?: Content; more?: Content; isOnDevice?: boolean } = {},
): Markup {
  return html`<section class="entered" data-entered aria-labelledby="entered-title">
${before}<h2 id="entered-title">${entered.title}</h2>
${isOnDevice && html`<p class="js-only">${device.note}</p>\n`}${note && html`<p>${note}</p>\n`}<pre${UNTRANSLATED} data-entered-text>${text}</pre>
<div class="actions js-only">
<button type="button" class="button" data-copy="[data-entered-text]" data-copied="${script.copied}">${entered.copy}</button>
<button type="button" class="button quiet" data-delete data-deleted="${script.deleted}">${isOnDevice ? device.remove : entered.delete}</button>
</div>
${RESULT_STATUS}${more}</section>
`;
}

export function renderChanged(view: ChangedView, language: Language, theme?: Markup): WidgetPage {
  const { texts, locale } = language;
  const { reference, submittedAt, fields, claim, contact, linkId, redirectUrl } = view;
  const { title, happened, advice, differences } = texts.changed;
  const [before, after] = happened.split('{time}');
  const model = formModel(view.form, language);
  const text = enteredText(fields, model, language);
  const differing = claim ? differencesText(fields, claim, model, language) : '';
  const isShort = fitsMail(differing);
  const copy =
    !isShort &&
    html`<button type="button" class="button js-only" data-copy="[data-differences]" data-copied="${texts.script.copied}">${texts.success.copy}</button>\n`;
  const body = isShort && differing ? differing : undefined;
  const href = redirectHref(redirectUrl);
  return page({
    view,
    language,
    theme,
    title: pageTitle(title, view),
    main: html`<div class="card unavailable">
${SIGN}
<h1 tabindex="-1">${title}</h1>
<p>${before}${localTime(submittedAt, locale)}${after}</p>
${referenceLine(texts, reference)}<p>${advice}</p>
${enteredSection(texts, text, {
  isOnDevice: view.deviceDraft !== undefined,
  before: [
    differing && html`<h2>${differences}</h2>\n<pre${UNTRANSLATED} data-differences>${differing}</pre>\n`,
    contactButtons(texts, { contact, reference, body, more: copy }),
  ],
})}${href !== undefined && onward(texts, href, 'never')}</div>`,
    end: linkId !== undefined && keptText(view, linkId),
    result: { hasScript: true },
    message: { type: 'claimlink:unavailable', code: 'link_submitted' },
  });
}
