// The last step: shows the values that the claim will contain.
import { formatDay } from '../dates.js';
import { isCalendarDate } from '../fields.js';
import { fillIn } from '../locales/texts.js';
import {
  headingOf,
  type Input,
  inputsIn,
  isBlankRow,
  isDateInput,
  isRequired,
  labelOf,
  nameOfRow,
  rowAround,
  stepAround,
  steps,
} from './claim-form.js';
import { create, find, findAll } from './dom.js';
import { warningAbout } from './rules.js';
import { texts } from './texts.js';

const review = find(document, '#review');

export const reviewStep = stepAround(review);

/** Writes the review anew. `openStep` is called when the user wants to change a step. */
export function writeReview(openStep: (step: HTMLElement) => void): void {
  const summaries = steps
    .filter((step) => step !== reviewStep)
    .map((step) => summaryOf(step, () => openStep(step)));
  review.replaceChildren(...summaries);
}

function summaryOf(step: HTMLElement, onChange: () => void): HTMLElement {
  const title = headingOf(step).textContent ?? '';
  const change = create('button', 'button quiet', texts.script.change);
  change.type = 'button';
  change.setAttribute('aria-label', fillIn(texts.script.changeStep, { step: title }));
  change.addEventListener('click', onChange);
  const head = create('div', 'summary-head');
  head.append(create('h3', '', title), change);

  const lines = create('dl');
  for (const input of inputsIn(step)) {
    if (!rowAround(input)) lines.append(createLine(labelOf(input), [input], isRequired(input)));
  }
  for (const row of findAll(step, '[data-row]')) {
    if (!isBlankRow(row)) lines.append(createLine(nameOfRow(row), inputsIn(row), true));
  }
  const summary = create('section', 'summary');
  summary.append(head, lines);
  return summary;
}

function createLine(label: string, inputs: readonly Input[], required: boolean): HTMLElement {
  const line = create('div');
  const filled = inputs.filter(({ value }) => value.trim());
  const description = create('dd');
  if (filled.length === 0) {
    description.className = required ? 'missing' : 'muted';
    description.textContent = required ? texts.script.missing : texts.script.notGiven;
  }
  for (const input of filled) {
    const previous = description.lastElementChild;
    // First and last name are one text with one direction.
    if (previous && input.name.endsWith('/lastName')) previous.textContent += ` ${textOf(input)}`;
    else description.append(previous ? ', ' : '', createValue(input));
  }
  for (const input of filled) {
    const warning = warningAbout(input);
    if (warning !== undefined) description.append(create('p', 'warning', warning));
  }
  line.append(create('dt', '', label), description);
  return line;
}

/** Returns the value in its own direction: in a right-to-left page, a phone number would be turned round. */
function createValue(input: Input): HTMLElement {
  const value = create('bdi', '', textOf(input));
  value.dir = input.dir || 'auto';
  return value;
}

function textOf(input: Input): string {
  const value = input.value.trim();
  const isDate = isDateInput(input) && isCalendarDate(value);
  return isDate ? formatDay(value, document.documentElement.lang) : value;
}
