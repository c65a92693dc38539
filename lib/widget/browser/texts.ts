// The texts of the page's language, which the server has written into the page.
import type { AnswerTexts } from '../answers.js';
import type { AskedField } from '../fields.js';
import type { Texts } from '../locales/texts.js';
import { find } from './dom.js';

export const texts: Pick<Texts, 'problems' | 'script'> & {
  errorPrefix: string;
  steps: AnswerTexts['steps'];
  /** In pages without a form: the fields of the form. */
  asked?: readonly AskedField[];
  unavailable: Pick<
    Texts['unavailable'],
    'link_not_found' | 'link_expired' | 'link_revoked' | 'link_submitted'
  >;
} = JSON.parse(find(document, '#texts').textContent ?? '');
