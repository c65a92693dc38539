// Script of the pages without a form: the receipt, and what became of a link. The form gets it with the response to a claim.
import { find } from './dom.js';
import { createDraft } from './draft.js';
import { activateResult } from './result-page.js';
import { enteredText } from './summary.js';
import { texts } from './texts.js';

const template = document.querySelector<HTMLTemplateElement>('#entered-template');
const draft = createDraft(document.querySelector<HTMLElement>('[data-link]')?.dataset['link']);
// The recipient has declined the link.
if (template?.hasAttribute('data-clear')) draft.clear();
const fields = draft.read();
if (template?.content.firstElementChild && fields) {
  const text = enteredText(fields, texts.asked ?? []);
  const section = template.content.cloneNode(true) as DocumentFragment;
  find(section, '[data-entered-text]').textContent = text;
  if (text) find(document, '#main .card').append(section);
}
document.documentElement.classList.add('js');
activateResult(document, draft);
