// Counts the characters of a text near the limit of its field: nothing that is longer is cut.
import { countId } from '../fields.js';
import { fillIn } from '../locales/texts.js';
import { type Input, labelOf, lengthOf, maxLengthOf, status } from './claim-form.js';
import { create } from './dom.js';
import { describe } from './problem-display.js';
import { texts } from './texts.js';

/** Share of the limit from which on the count is shown. */
const NEAR = 0.9;

/** Writes the count of a field. A screen reader says it when it appears, and when the text becomes too long. */
export function writeCount(input: Input): void {
  const max = maxLengthOf(input);
  const count = lengthOf(input);
  const shown = document.getElementById(countId(input.id));
  const className = count > max ? 'hint missing' : 'hint';
  if (count > max * NEAR) {
    const note = shown ?? create('p');
    note.textContent = fillIn(texts.script.count, { count, max });
    if (note.className !== className) status.textContent = `${labelOf(input)}: ${note.textContent}`;
    note.className = className;
    note.id = countId(input.id);
    if (!shown) input.before(note);
  } else shown?.remove();
  describe(input);
}
