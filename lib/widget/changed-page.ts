// The page after a claim that differs from the one that was sent before, and the text that no claim contains.
import type { ChangedView, WidgetPage } from '../core/widget.js';
import { answerGroups, answersText } from './answers.js';
import { type FormModel, formModel } from './form-model.js';
import { type Content, html, type Markup, UNTRANSLATED } from './html.js';
import type { Language } from './locales/languages.js';
import type { Texts } from './locales/texts.js';
import { localTime, page, pageTitle, SIGN } from './page.js';
import { onward, RESULT_STATUS } from './success-page.js';
import { redirectHref } from './urls.js';
import { postedValues } from './values.js';

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

/** Returns the text that the user can copy. The scripts fill in an empty one. `more` goes when the user deletes the text. */
export function enteredSection(
  { entered, script }: Texts,
  text: string,
  { note, more }: { note?: string; more?: Content } = {},
): Markup {
  return html`<section class="entered" data-entered aria-labelledby="entered-title">
<h2 id="entered-title">${entered.title}</h2>
${note !== undefined && html`<p>${note}</p>\n`}<pre${UNTRANSLATED} data-entered-text>${text}</pre>
<div class="actions js-only">
<button type="button" class="button" data-copy="[data-entered-text]" data-copied="${script.copied}">${entered.copy}</button>
<button type="button" class="button quiet" data-delete data-deleted="${script.deleted}">${entered.delete}</button>
</div>
${RESULT_STATUS}${more}</section>
`;
}

export function renderChanged(view: ChangedView, language: Language, theme?: Markup): WidgetPage {
  const { texts, locale } = language;
  const { submittedAt, fields, redirectUrl } = view;
  const { title, happened, advice } = texts.changed;
  const [before, after] = happened.split('{time}');
  const text = enteredText(fields, formModel(view.form, language), language);
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
<p>${advice}</p>
${enteredSection(texts, text)}${href !== undefined && onward(texts, href, 'never')}</div>`,
    result: { hasScript: true },
    message: { type: 'claimlink:unavailable', code: 'link_submitted' },
  });
}
