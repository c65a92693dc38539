// Script of the form page: reacts to the user, and starts the form.
import {
  askedFields,
  draft,
  form,
  formFields,
  headingOf,
  type Input,
  inputNamed,
  inputsIn,
  maxLengthOf,
  rowAround,
  stepAround,
  steps,
} from './claim-form.js';
import { addRow, markRequired, removeBlankRows, removeRow, restoreRows } from './contact-rows.js';
import { writeCount } from './count.js';
import { removeEnded } from './device-copy.js';
import { find, findInPage } from './dom.js';
import { useStorage } from './draft.js';
import './form-part.js';
import { leave } from './leave.js';
import { clearProblems, problemList, problemSummary } from './problem-display.js';
import { showLocalTimes } from './result-page.js';
import { problemsIn } from './rules.js';
import { reportStart } from './start.js';
import { currentStep, goToStep, growTexts, openStep, reportProblems, showStep, stepAfter } from './steps.js';
import { isOver, sendClaim } from './submission.js';
import { answersOf, createSummary } from './summary.js';
import { startWarnings } from './warnings.js';

function saveDraft(): void {
  draft.save(formFields());
}

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
  else if (row && button.hasAttribute('data-remove')) {
    removeRow(row);
    saveDraft();
  }
});

form.addEventListener('input', (event) => {
  reportStart(event);
  if (maxLengthOf(event.target as Input) > 0) writeCount(event.target as Input);
  growTexts();
  markRequired();
  saveDraft();
});

/** The fields that change the answers which the link has prefilled. */
const change = form.querySelector('details');
change?.addEventListener('toggle', () => {
  const card = find(form, '[data-known]');
  card.hidden = change.open;
  if (change.open) return;
  const shown = askedFields().filter(({ pointer }) => change.contains(inputNamed(pointer) ?? null));
  const [answers] = answersOf(formFields(), shown);
  if (answers) card.replaceChildren(find(createSummary(answers), 'dl'));
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
  const target = findInPage(link.hash);
  const step = stepAround(target);
  if (step) goToStep(step);
  (target.querySelector<HTMLElement>('[type=radio]') ?? target).focus();
});

addEventListener('popstate', ({ state }) => {
  if (isOver()) return location.reload();
  const step = steps[state?.step];
  if (!step) return;
  clearProblems();
  leave([currentStep()], (element) => {
    element.className = 'step';
  });
  showStep(step);
  headingOf(step).focus();
});

/** Shows what was typed earlier. */
function showFields(saved: URLSearchParams | undefined): void {
  if (saved) {
    restoreRows(saved);
    for (const input of inputsIn(form)) {
      // Without a choice, a group of radio buttons sends nothing.
      const text = saved.get(input.name);
      if (text === null) continue;
      const before = input.value;
      input.value = text;
      if (change?.contains(input) && input.value !== before) change.open = true;
    }
  }
  removeBlankRows();
  for (const start of partStarts) start?.();
  for (const input of inputsIn(form)) if (maxLengthOf(input) > 0) writeCount(input);
}

const partStarts = (self.claimlinkParts ?? []).map((part) =>
  part({
    form,
    formFields,
    draft,
    show(fields) {
      showFields(fields);
      showStep(currentStep());
    },
  }),
);
useStorage(() => removeEnded(localStorage, Date.now()));
// A page with problems has the fields that were sent last.
const isReopened = problemSummary.hidden;
showFields(isReopened ? draft.read() : undefined);
const restoredStep = isReopened ? steps[history.state?.step] : undefined;
showLocalTimes(document);
const firstStep = restoredStep ?? currentStep();
history.replaceState({ step: steps.indexOf(firstStep) }, '');
showStep(firstStep);
startWarnings();
document.documentElement.setAttribute('data-ready', '');
