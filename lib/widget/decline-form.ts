// The form of a recipient who does not report the claim. It is no part of the claim form, and needs no script.
import type { DeclineView } from '../core/widget.js';
import { hiddenInput } from './form-fields.js';
import { attributes, html, type Markup } from './html.js';
import type { Texts } from './locales/texts.js';

/** Returns the form, closed, if the client offers it. */
export function declineForm({ declineReasons }: DeclineView, { decline }: Texts): Markup | undefined {
  if (declineReasons === undefined) return undefined;
  const choices = declineReasons.map((why) => {
    const id = `why-${why}`;
    const radio = attributes({ id, type: 'radio', name: 'why', value: why, required: true });
    return html`<div class="choice"><input${radio}><label for="${id}">${decline[why]}</label></div>\n`;
  });
  return html`<details class="decline"><summary class="button quiet">${decline.summary}</summary>
<form class="card" method="post" autocomplete="off">${hiddenInput('action', 'decline')}
<fieldset>
<legend>${decline.question}</legend>
${choices}</fieldset>
<p class="hint">${decline.hint}</p>
<button class="button">${decline.send}</button>
</form>
</details>
`;
}
