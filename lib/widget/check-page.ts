// The page that asks the recipient of a link, before it shows anything personal. It needs no script.
import type { RecipientMember, RecipientQuestion } from '../core/types.js';
import type { CheckView, WidgetPage } from '../core/widget.js';
import { CHOICE_STYLE, DECLINE_STYLE } from '../generated/page-assets.js';
import { enteredSection, enteredText } from './changed-page.js';
import { declineForm } from './decline-form.js';
import { errorId, hintId, withoutMark } from './fields.js';
import { hiddenInput, MAX_PASTED } from './form-fields.js';
import { formModel, textIn } from './form-model.js';
import { attributes, type Content, html, inLanguage, type Markup } from './html.js';
import type { Language } from './locales/languages.js';
import { fillIn, type Texts } from './locales/texts.js';
import { inlineStyle, page, pageTitle } from './page.js';
import { renderUnavailable } from './unavailable-page.js';

const ID = 'answer';

/** What the page asks. */
interface AskedField {
  label: string;
  /** What to do without an answer. */
  missing: string;
  hint?: string | undefined;
  /** Language of label and hint, if it is not that of the page. */
  lang?: string | undefined;
  /** The attributes of the input that depend on the question. */
  input: Parameters<typeof attributes>[0];
}

/** Returns the label of a member of the prefill, and what to do without an answer. */
function labelOf({ fields, form }: Texts, member: RecipientMember): { label: string; missing: string } {
  const ofHolder = ({ label, missing }: Texts['fields']['phone']) => ({
    label: `${form.policyHolder} – ${label}`,
    missing,
  });
  switch (member) {
    case '/policy/vehicle/licensePlate':
      return fields.licensePlate;
    case '/policy/number':
      return fields.policyNumber;
    case '/policy/holder/lastName':
      return ofHolder(fields.lastName);
    case '/policy/holder/email':
      return ofHolder(fields.email);
    case '/policy/holder/phone':
      return ofHolder(fields.phone);
  }
}

/** Returns the attributes of the input that depend on the question. Its type is text: the answer may have another form. */
function inputOf(member: RecipientMember): Parameters<typeof attributes>[0] {
  switch (member) {
    case '/policy/holder/lastName':
      return {};
    case '/policy/holder/email':
      return { inputmode: 'email', dir: 'ltr', autocapitalize: 'none' };
    case '/policy/holder/phone':
      return { inputmode: 'tel', dir: 'ltr' };
    default:
      return { dir: 'ltr', autocapitalize: 'characters' };
  }
}

function memberField(texts: Texts, member: RecipientMember): AskedField {
  const hint = member === '/policy/holder/phone' ? texts.check.phoneHint : undefined;
  return { ...labelOf(texts, member), hint, input: inputOf(member) };
}

/** Returns the question of a client in the language of the page. */
function questionField({ texts, locale }: Language, question: RecipientQuestion): AskedField {
  const { text: { label, hint } = { label: question.id }, lang } = textIn(question.texts, locale);
  const { date, answer } = texts.problems;
  const isDate = question.kind === 'date';
  return {
    label,
    missing: fillIn(isDate ? date : answer, { label: withoutMark(label) }),
    hint,
    lang,
    input: isDate ? { type: 'date', min: '1900-01-01', maxlength: undefined } : {},
  };
}

/** Returns the problem of the answer. It takes the focus, so that a screen reader starts there. */
function summary({ form: { problemsTitle } }: Texts, text: string): Content {
  return html`<div class="problems" id="problems" role="group" tabindex="-1" autofocus aria-labelledby="problems-title" aria-describedby="problem-list">
<h2 id="problems-title">${problemsTitle}</h2>
<ul id="problem-list"><li><a href="#${ID}">${text}</a></li></ul>
</div>
`;
}

export function renderCheck(view: CheckView, language: Language, theme?: Markup): WidgetPage {
  const { member, question, problem, attemptsLeft = 0, answer, fields } = view;
  // The link takes no further answer.
  if (problem === 'wrong' && attemptsLeft === 0)
    return renderUnavailable({ ...view, code: 'link_locked', status: 403 }, language, theme);
  const { texts } = language;
  const { check, page: pageTexts, script } = texts;
  const asked = question ? questionField(language, question) : member && memberField(texts, member);
  if (asked === undefined) throw new TypeError('The page of a question has no question.');
  const { label, missing, hint, lang } = asked;
  const needsCookies = problem === 'cookies';
  const error =
    problem === undefined || needsCookies
      ? undefined
      : problem === 'wrong'
        ? fillIn(check.wrong, { label: withoutMark(label), count: attemptsLeft })
        : missing;
  const input = attributes({
    id: ID,
    name: ID,
    type: 'text',
    value: answer,
    maxlength: MAX_PASTED,
    autocomplete: 'off',
    spellcheck: 'false',
    ...asked.input,
    'aria-required': 'true',
    'aria-invalid': error !== undefined && 'true',
    'aria-describedby':
      [hint !== undefined && hintId(ID), error !== undefined && errorId(ID)].filter(Boolean).join(' ') ||
      undefined,
  });
  const title = pageTitle(check.title, view);
  const entered = fields && enteredText(fields, formModel(view.form, language), language);
  return page({
    view,
    language,
    theme,
    title: problem === undefined && !view.declineProblem ? title : `${pageTexts.errorPrefix} ${title}`,
    token: view.token,
    head: view.declineReasons && inlineStyle(view.nonce, CHOICE_STYLE + DECLINE_STYLE),
    main: html`<h1>${check.title}</h1>
<p class="lead">${check.lead}</p>
${needsCookies && html`<p class="failure" role="alert">${check.cookies}</p>\n`}${error !== undefined && summary(texts, error)}${fields && html`<p class="failure" role="alert">${script.notSent} ${check.again}</p>\n`}<form class="card" method="post" novalidate autocomplete="off">
<input type="hidden" name="action" value="check">
${fields && Array.from(fields, ([name, value]) => name !== ID && hiddenInput(name, value))}<div class="step" data-current>
<div class="${asked.input['type'] === 'date' ? 'field date' : 'field'}">
<label for="${ID}"${inLanguage(lang)}>${label}</label>
${hint !== undefined && html`<p class="hint" id="${hintId(ID)}"${inLanguage(lang)}>${hint}</p>\n`}${
  error !== undefined &&
  html`<p class="error" id="${errorId(ID)}"><span class="vh">${pageTexts.errorPrefix} </span>${error}</p>\n`
}<input${input}>
</div>
<div class="buttons">
<button type="submit" class="button primary">${check.send}</button>
</div>
</div>
</form>
${entered && html`<div class="card">${enteredSection(texts, entered)}</div>\n`}${declineForm(view, texts, { isAlone: fields === undefined })}`,
    // The script of the text that was sent copies it.
    result: entered !== undefined && { hasScript: true },
  });
}
