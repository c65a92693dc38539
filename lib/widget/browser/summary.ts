// The answers of a form, as the review and the receipt show them.
import { type AnswerGroup, answerGroups, answersText } from '../answers.js';
import { postedValues } from '../values.js';
import { create } from './dom.js';
import { texts } from './texts.js';

/** Returns the answers of a form by its steps. */
export function answersOf(fields: URLSearchParams): AnswerGroup[] {
  return answerGroups(postedValues(fields), texts, document.documentElement.lang);
}

/** Returns the fields of a form as a text to copy. */
export function enteredText(fields: URLSearchParams): string {
  return answersText(answersOf(fields));
}

/** Returns the answers of one step, with a button to change them. It names what has no answer. */
export function createSummary({ title, answers }: AnswerGroup, change?: HTMLButtonElement): HTMLElement {
  const head = create('div', 'summary-head');
  head.append(create('h3', '', title), change ?? '');
  const lines = create('dl');
  for (const { label, values, isRequired } of answers) {
    const description = create('dd');
    for (const [index, value] of values.entries())
      description.append(index > 0 ? ', ' : '', create('bdi', '', value));
    if (values.length === 0) {
      description.className = isRequired ? 'missing' : 'muted';
      description.textContent = isRequired ? texts.script.missing : texts.script.notGiven;
    }
    const line = create('div');
    line.append(create('dt', '', label), description);
    lines.append(line);
  }
  const summary = create('section', 'summary');
  summary.append(head, lines);
  return summary;
}
