// Script of the form page: reacts to the user, and starts the form.
import { form, headingOf, rowAround, stepAround, steps } from './claim-form.js';
import { addRow, removeBlankRows, removeRow } from './contact-rows.js';
import { find } from './dom.js';
import { clearProblems, problemList } from './problem-display.js';
import { problemsIn } from './rules.js';
import { currentStep, goToStep, openStep, reportProblems, showStep, stepAfter } from './steps.js';
import { isSent, sendClaim } from './submission.js';

function openNextStep(): void {
  removeBlankRows();
  const problems = problemsIn(currentStep());
  const next = stepAfter(1);
  if (problems.length > 0) reportProblems(problems);
  else if (next) openStep(next);
}

function openPreviousStep(): void {
  const previous = stepAfter(-1);
  if (previous) openStep(previous);
}

/** Returns the nearest element around the place of a click. */
function closest<K extends keyof HTMLElementTagNameMap>(
  event: Event,
  tag: K,
): HTMLElementTagNameMap[K] | null {
  return event.target instanceof Element ? event.target.closest(tag) : null;
}

form.addEventListener('click', (event) => {
  const button = closest(event, 'button');
  const row = button && rowAround(button);
  if (!button) return;
  if (button.hasAttribute('data-next')) openNextStep();
  else if (button.hasAttribute('data-back')) openPreviousStep();
  else if (button.hasAttribute('data-add')) addRow();
  else if (row && button.hasAttribute('data-remove')) removeRow(row);
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (stepAfter(1)) openNextStep();
  else void sendClaim();
});

problemList.addEventListener('click', (event) => {
  const link = closest(event, 'a');
  if (!link) return;
  event.preventDefault();
  const target = find(document, link.hash);
  const step = stepAround(target);
  if (step) goToStep(step);
  target.focus();
});

window.addEventListener('popstate', ({ state }) => {
  if (isSent()) return location.reload();
  const step = steps[state?.step];
  if (!step) return;
  clearProblems();
  showStep(step);
  headingOf(step).focus();
});

removeBlankRows();
history.replaceState({ step: steps.indexOf(currentStep()) }, '');
showStep(currentStep());
document.documentElement.setAttribute('data-ready', '');
