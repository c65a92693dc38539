// The texts of the page's language, which the server has written into the page.
import type { Texts } from '../locales/texts.js';
import { find } from './dom.js';

export const texts: Pick<Texts, 'fields' | 'problems' | 'page' | 'script'> = JSON.parse(
  find(document, '#texts').textContent ?? '',
);
