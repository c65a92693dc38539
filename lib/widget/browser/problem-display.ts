// Shows problems in the same places as the server does: in the summary and beside each field.
import { CONTACTS_POINTER, compareByForm, errorId, hintId } from '../fields.js';
import { problemMessage } from '../messages.js';
import { contacts, form, inputNamed, nameOfRow, rowAround, stepAround, steps } from './claim-form.js';
import { create, find, findAll } from './dom.js';
import type { Problem } from './rules.js';
import { texts } from './texts.js';

export const problemSummary = find(document, '#problems');
export const problemList = find(problemSummary, '#problem-list');

/** Shows the first problem of each field, in the order of the form. Returns the first step with a problem, if a field of a step has one. */
export function showProblems(problems: readonly Problem[]): HTMLElement | undefined {
  const targets = new Set<HTMLElement | undefined>();
  clearProblems();
  const sorted = [...problems].sort((a, b) => compareByForm(a.pointer ?? '', b.pointer ?? ''));
  for (const { pointer = '', rule } of sorted) {
    const target = targetOf(pointer);
    if (targets.has(target)) continue;
    targets.add(target);
    const item = create('li');
    const message = problemMessage(texts, target ? pointer : '', rule);
    item.append(target ? markField(target, message) : message);
    problemList.append(item);
  }
  problemSummary.hidden = false;
  const stepsWithProblems = new Set([...targets].map((target) => target && stepAround(target)));
  return steps.find((step) => stepsWithProblems.has(step));
}

export function clearProblems(): void {
  for (const message of findAll(form, '.error')) message.remove();
  for (const input of findAll(form, '[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    describe(input, false);
  }
  describe(contacts, false);
  problemList.textContent = '';
  problemSummary.hidden = true;
}

/** Returns the element that stands for a pointer: an input, or the list of contacts. */
function targetOf(pointer: string): HTMLElement | undefined {
  return inputNamed(pointer) ?? (pointer.startsWith(CONTACTS_POINTER) ? contacts : undefined);
}

/** Puts the message beside the field, and returns a link to the field for the summary. */
function markField(target: HTMLElement, message: string): HTMLAnchorElement {
  const isInput = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  const paragraph = create('p', 'error');
  paragraph.id = errorId(target.id);
  paragraph.append(create('span', 'vh', `${texts.page.errorPrefix} `), message);
  if (isInput) {
    target.before(paragraph);
    target.setAttribute('aria-invalid', 'true');
  } else find(target, '.hint').after(paragraph);
  describe(target, true);

  const row = rowAround(target);
  const link = create('a', '', row ? `${nameOfRow(row)} – ${message}` : message);
  link.href = `#${target.id}`;
  return link;
}

/** Names the hint and the message of a field for screen readers. */
function describe(target: HTMLElement, hasMessage: boolean): void {
  const ids = [];
  if (document.getElementById(hintId(target.id))) ids.push(hintId(target.id));
  if (hasMessage) ids.push(errorId(target.id));
  if (ids.length > 0) target.setAttribute('aria-describedby', ids.join(' '));
  else target.removeAttribute('aria-describedby');
}
