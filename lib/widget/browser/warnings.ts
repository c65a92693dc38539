// Notes beside fields whose value the service accepts, but that the user may want to check.
import { warningId } from '../fields.js';
import { form, type Input, inputsIn, labelOf, status } from './claim-form.js';
import { create } from './dom.js';
import { describe } from './problem-display.js';
import { warningAbout } from './rules.js';

/** Marks an input without a text: WebKit shows a date there. */
function markEmpty(input: Input): void {
  input.toggleAttribute('data-empty', !input.value && !input.validity.badInput);
}

/** Writes the notes anew, but for the field that the user is in. A screen reader says new ones. */
function writeWarnings(): void {
  for (const input of inputsIn(form)) {
    markEmpty(input);
    if (input === document.activeElement) continue;
    const text = warningAbout(input);
    const shown = input.parentElement?.querySelector('.warning');
    if (shown?.textContent === text) continue;
    shown?.remove();
    if (text !== undefined) {
      const note = create('p', 'warning', text);
      note.id = warningId(input.id);
      input.before(note);
    }
    status.textContent = text === undefined ? '' : `${labelOf(input)}: ${text}`;
    describe(input);
  }
}

/**
 * Writes the notes now and after each click and key. Not when a field loses the focus: a note that appears between press
 * and release of a button moves the button away from the pointer.
 */
export function startWarnings(): void {
  writeWarnings();
  form.addEventListener('input', ({ target }) => markEmpty(target as Input));
  for (const event of ['click', 'keyup']) document.addEventListener(event, writeWarnings);
}
