// The last step: shows the values that the claim will contain.
import { fillIn } from '../locales/texts.js';
import { askedFields, formFields, inputNamed, stepAround, steps } from './claim-form.js';
import { create, find } from './dom.js';
import { warningAbout } from './rules.js';
import { answersOf, createSummary } from './summary.js';
import { texts } from './texts.js';

const review = find(document, '#review');

export const reviewStep = stepAround(review);

/** Writes the review anew. `openStep` is called when the user wants to change a step. */
export function writeReview(openStep: (step: HTMLElement) => void): void {
  review.replaceChildren(
    ...answersOf(formFields(), askedFields()).map((group) => {
      const step = steps.find(({ dataset }) => dataset['step'] === group.step);
      const change = createChangeButton(group.title, () => step && openStep(step));
      return createSummary(group, { change, warningAt });
    }),
  );
}

function warningAt(pointer: string): string | undefined {
  const input = inputNamed(pointer);
  return input && warningAbout(input);
}

function createChangeButton(title: string, onChange: () => void): HTMLButtonElement {
  const change = create('button', 'button quiet', texts.script.change);
  change.type = 'button';
  change.setAttribute('aria-label', fillIn(texts.script.changeStep, { step: title }));
  change.addEventListener('click', onChange);
  return change;
}
