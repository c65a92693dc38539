// The form of a recipient who does not report the claim. It needs no script.
import type { CheckView, FormView } from '../core/widget.js';
import { type Content, html } from './html.js';
import type { Texts } from './locales/texts.js';

/** Returns the form below the one of the page, if the client asks for it. Its style is not in the stylesheet of all pages. */
export function declineForm({ declineReasons, nonce }: FormView | CheckView, { decline }: Texts): Content {
  return (
    declineReasons &&
    html`<style nonce="${nonce}">.decline,.decline .buttons{margin-top:1.5rem}</style>
<details class="decline"><summary class="button quiet">${decline.summary}</summary>
<form class="card" method="post">
<input type="hidden" name="action" value="decline">
<div class="field">
<label for="why">${decline.question}</label>
<select id="why" name="why" required autocomplete="off">
<option value="">${decline.choose}</option>
${declineReasons.map((reason) => html`<option value="${reason}">${decline.reasons[reason]}</option>\n`)}</select>
</div>
<div class="buttons">
<button type="submit" class="button">${decline.send}</button>
</div>
</form>
</details>
`
  );
}
