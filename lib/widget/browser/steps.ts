// Shows one step of the form at a time.
import { fillIn } from '../locales/texts.js';
import type { FieldProblem } from '../messages.js';
import { form, headingOf, status, steps } from './claim-form.js';
import { create, find, findAll, findInPage, setAttribute } from './dom.js';
import { clearProblems, problemSummary, showProblems } from './problem-display.js';
import { reviewStep, writeReview } from './review.js';
import { limitIncidentDate } from './rules.js';
import { texts } from './texts.js';

/** What every title of the page ends with: the name of the client. */
export const titleEnd = form.dataset['titleEnd'] ?? '';
const pageHeading = findInPage('h1').textContent ?? '';
const progressMarks = findAll(document, '.progress li');
const main = find(document, '#main');
const languages = main.querySelector('.lang');
/** Height of the two borders of a text box, in pixels. */
const BORDERS = 2;
let current = find(form, '[data-step][data-current]');

// A screen reader says the number with the heading, which gets the focus.
steps.forEach((step, index) => {
  const heading = headingOf(step);
  const number = create(
    'p',
    'step-number',
    fillIn(texts.script.stepOf, { number: index + 1, count: steps.length }),
  );
  number.id = `${heading.id}-number`;
  heading.before(number);
  heading.setAttribute('aria-describedby', number.id);
});

/** Makes the text boxes of the step as high as their texts. The user can make them higher. */
export function growTexts(): void {
  for (const { style, scrollHeight } of findAll(current, 'textarea')) {
    style.minHeight = `${scrollHeight + BORDERS}px`;
  }
}

export function currentStep(): HTMLElement {
  return current;
}

/** Returns the step that is this many steps after the current one. */
export function stepAfter(count: number): HTMLElement | undefined {
  return steps[steps.indexOf(current) + count];
}

export function showStep(step: HTMLElement): void {
  current = step;
  // It may have been left a moment ago: without `vh`.
  step.className = 'step';
  const index = steps.indexOf(step);
  for (const other of steps) other.toggleAttribute('data-current', other === step);
  progressMarks.forEach((mark, position) => {
    mark.toggleAttribute('data-done', position < index);
    setAttribute(mark, 'aria-current', position === index && 'step');
  });
  // A person who has begun no longer looks for another language.
  if (languages) main.insertBefore(languages, index > 0 ? null : main.firstChild);
  growTexts();
  limitIncidentDate();
  if (step === reviewStep) writeReview(openStep);
  status.textContent = '';
  writeTitle();
}

/** Shows a step as a new entry in the history, so that the browser's Back button keeps what was typed. */
export function goToStep(step: HTMLElement): void {
  if (step !== current) history.pushState({ step: steps.indexOf(step) }, '');
  showStep(step);
}

/** Shows a step from its top and without problems. */
export function openStep(step: HTMLElement): void {
  clearProblems();
  goToStep(step);
  scrollTo(0, 0);
  headingOf(step).focus({ preventScroll: true });
}

/** Shows problems, and the first step that has one. */
export function reportProblems(problems: readonly FieldProblem[]): void {
  goToStep(showProblems(problems) ?? current);
  problemSummary.focus({ preventScroll: true });
  problemSummary.scrollIntoView({ block: 'start' });
}

export function writeTitle(): void {
  const prefix = problemSummary.hidden ? '' : `${texts.errorPrefix} `;
  const progress = fillIn(texts.script.documentTitle, {
    step: headingOf(current).textContent ?? '',
    number: steps.indexOf(current) + 1,
    count: steps.length,
  });
  document.title = `${prefix}${progress} – ${pageHeading}${titleEnd}`;
}
