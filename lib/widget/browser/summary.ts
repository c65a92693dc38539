// The answers of a form, as the review and the receipt show them.
import { type Answer, type AnswerGroup, answerGroups, answersText } from '../answers.js';
import { type AskedField, CONTACTS_POINTER, NOTICE_POINTER } from '../fields.js';
import { postedValues } from '../values.js';
import { create } from './dom.js';
import { locale, texts } from './texts.js';

/** Returns the answers of a form by its steps. The rows of contacts are no fields of their own, the confirmation is no answer. */
export function answersOf(fields: URLSearchParams, asked: readonly AskedField[]): AnswerGroup[] {
  const single = asked.filter(
    ({ pointer }) => !pointer.startsWith(CONTACTS_POINTER) && pointer !== NOTICE_POINTER,
  );
  const values = postedValues(
    fields,
    single.map(({ pointer }) => pointer),
  );
  return answerGroups(values, single, texts, locale);
}

/** Returns the fields of a form as a text to copy. */
export function enteredText(fields: URLSearchParams, asked: readonly AskedField[]): string {
  return answersText(answersOf(fields, asked));
}

/** What the review adds to the answers. */
interface ReviewParts {
  /** The button to change the answers. */
  change: HTMLButtonElement;
  /** Returns what stands below an answer: what the user may want to check, and a button for an answer that is missing. */
  notes(answer: Answer): readonly (Node | string)[];
}

/** Returns the answers of one step. It names what has no answer. */
export function createSummary({ title, answers }: AnswerGroup, review?: ReviewParts): HTMLElement {
  const head = create('div', 'summary-head');
  head.append(create('h3', '', title), review?.change ?? '');
  const lines = create('dl');
  for (const answer of answers) {
    const { label, lang, values, isRequired } = answer;
    const description = create('dd');
    for (const [index, value] of values.entries()) {
      const text = create('bdi', '', value);
      // A browser that translates the page would change names.
      text.setAttribute('translate', 'no');
      description.append(index > 0 ? ', ' : '', text);
    }
    if (values.length === 0) {
      description.className = isRequired ? 'missing' : 'muted';
      description.textContent = isRequired ? texts.script.missing : texts.script.notGiven;
    }
    if (review) description.append(...review.notes(answer));
    const line = create('div');
    const term = create('dt', '', label);
    if (lang) Object.assign(term, { lang, dir: 'auto' });
    line.append(term, description);
    lines.append(line);
  }
  const summary = create('section', 'summary');
  summary.append(head, lines);
  return summary;
}
