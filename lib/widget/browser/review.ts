// The last step: shows the values that the claim will contain.
import type { Answer } from '../answers.js';
import { fillIn } from '../locales/texts.js';
import { askedFields, form, formFields, headingOf, inputNamed, stepAround } from './claim-form.js';
import { create, find, findInPage } from './dom.js';
import { warningAbout } from './rules.js';
import { answersOf, createSummary } from './summary.js';
import { texts } from './texts.js';

/** Begins the pointers of what a claim can lack: the date and the description. */
const ASKED_LATER = '/incident/d';

const review = findInPage('#review');

export const reviewStep = stepAround(review);

/** Writes the review anew. `openStep` is called when the user wants to change a step. */
export function writeReview(openStep: (step: HTMLElement) => void): void {
  review.replaceChildren(
    ...answersOf(formFields(), askedFields()).map((group) => {
      const step = find(form, `[data-step=${group.step}]`);
      const title = headingOf(step).textContent ?? '';
      /** Creates a button that opens the step, and a field of it if there is one. */
      const changeButton = (name: string, pointer = '') => {
        const change = create('button', 'button quiet', texts.script.change);
        change.type = 'button';
        change.setAttribute('aria-label', fillIn(texts.script.changeStep, { step: name }));
        change.addEventListener('click', () => {
          openStep(step);
          inputNamed(pointer)?.focus();
        });
        return change;
      };
      const notes = ({ label, pointers, values, isRequired }: Answer) =>
        pointers.flatMap((pointer) => {
          const input = inputNamed(pointer);
          const isOpen = !values[0] && !isRequired && pointer.startsWith(ASKED_LATER);
          const note = isOpen ? texts.script.askLater : input && warningAbout(input);
          return [note ? create('p', 'warning', note) : '', isOpen ? changeButton(label, pointer) : ''];
        });
      return createSummary({ ...group, title }, { change: changeButton(title), notes });
    }),
  );
}
