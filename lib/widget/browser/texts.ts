// The texts of the page's language, which the server has written into the page.
import type { AnswerTexts } from '../answers.js';
import type { AskedField } from '../fields.js';
import type { Texts } from '../locales/texts.js';
import { find } from './dom.js';

/** Language of the page. */
export const locale = document.documentElement.lang;

export const texts: Pick<Texts, 'problems' | 'script'> & {
  /** In the form: what it says of a stored claim if no page comes with the response. */
  stored: { sent: string; changed: string; text: string };
  errorPrefix: string;
  steps?: AnswerTexts['steps'];
  /** In pages without a form: the fields of the form. */
  asked?: readonly AskedField[];
} = JSON.parse(find(document, '#texts').textContent ?? '');
