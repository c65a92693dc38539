// The form of a recipient who does not report the claim. It is no part of the claim form, and needs no script.
import type { DeclineView } from '../core/widget.js';
import { errorId } from './fields.js';
import { hiddenInput } from './form-fields.js';
import { attributes, html, type Markup } from './html.js';
import type { Texts } from './locales/texts.js';

/**
 * Returns the form if the client offers it: closed, unless it was sent without a reason.
 * @param isAlone Nothing else on the page is lost when the form is sent. Otherwise the browser asks for the reason, until the
 * script of the page keeps what was typed.
 */
export function declineForm(
  { declineReasons, declineProblem }: DeclineView,
  { decline, page }: Texts,
  { isAlone = false } = {},
): Markup | undefined {
  if (declineReasons === undefined) return undefined;
  const message = declineProblem && errorId('why');
  const choices = declineReasons.map((why, index) => {
    const id = `why-${why}`;
    const radio = attributes({
      id,
      type: 'radio',
      name: 'why',
      value: why,
      required: true,
      autofocus: message && index === 0,
    });
    return html`<div class="choice"><input${radio}><label for="${id}">${decline[why]}</label></div>\n`;
  });
  return html`<details${attributes({ class: 'decline', open: message !== undefined })}><summary class="button quiet">${decline.summary}</summary>
<form${attributes({ class: 'card', method: 'post', autocomplete: 'off', novalidate: isAlone })}>${hiddenInput('action', 'decline')}
<fieldset${attributes({ 'aria-describedby': message })}>
<legend>${decline.question}</legend>
${message && html`<p class="error" id="${message}"><span class="vh">${page.errorPrefix} </span>${decline.missing}</p>\n`}${choices}</fieldset>
<p class="hint">${decline.hint}</p>
<button class="button">${decline.send}</button>
</form>
</details>
`;
}
