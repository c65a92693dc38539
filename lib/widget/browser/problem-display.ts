// Shows problems in the same places as the server does: in the summary and beside each field.
import { CONTACTS_POINTER, countId, errorId, hintId, warningId } from '../fields.js';
import { type FieldProblem, locatedMessages } from '../messages.js';
import { askedFields, contacts, form, inputNamed, nameOfRow, rowAround, stepAround } from './claim-form.js';
import { create, find, findAll, findInPage, setAttribute } from './dom.js';
import { locale, texts } from './texts.js';

export const problemSummary = findInPage('#problems');
export const problemList = find(problemSummary, '#problem-list');

/** Shows the first problem of each field, in the order of the form. Returns the step with the first of these fields. */
export function showProblems(problems: readonly FieldProblem[]): HTMLElement | null | undefined {
  clearProblems();
  const messages = locatedMessages(texts, locale, askedFields(), problems);
  let firstStep: HTMLElement | null | undefined;
  for (const [pointer, message] of messages) {
    const target = targetOf(pointer);
    const item = create('li');
    item.append(target ? markField(target, message) : message);
    problemList.append(item);
    firstStep ??= target && stepAround(target);
  }
  problemSummary.hidden = false;
  return firstStep;
}

export function clearProblems(): void {
  for (const message of findAll(form, '.error')) message.remove();
  for (const input of findAll(form, '[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    describe(input);
  }
  if (contacts) describe(contacts);
  problemList.textContent = '';
  problemSummary.hidden = true;
}

/** Returns the element that stands for a pointer: an input, or the list of contacts. */
function targetOf(pointer: string): HTMLElement | undefined {
  return (pointer === CONTACTS_POINTER && contacts) || inputNamed(pointer);
}

/** Puts the message beside the field, and returns a link to the field for the summary. */
function markField(target: HTMLElement, message: string): HTMLAnchorElement {
  const paragraph = create('p', 'error');
  paragraph.id = errorId(target.id);
  paragraph.append(create('span', 'vh', `${texts.errorPrefix} `), message);
  if (target === contacts) find(target, '.hint').after(paragraph);
  else {
    (target.querySelector('.options') ?? target).before(paragraph);
    target.setAttribute('aria-invalid', 'true');
  }
  describe(target);

  target.closest('details')?.setAttribute('open', '');
  const row = rowAround(target);
  const link = create('a', '', row ? `${nameOfRow(row)} – ${message}` : message);
  link.href = `#${target.id}`;
  return link;
}

/** Names the hint, the message and the note of a field for screen readers. */
export function describe(target: HTMLElement): void {
  const ids = [hintId, errorId, warningId, countId]
    .map((idOf) => idOf(target.id))
    .filter((id) => document.getElementById(id));
  setAttribute(target, 'aria-describedby', ids.join(' '));
}
