// The texts of the page's language, which the server has written into the page.
import type { Texts } from '../locales/texts.js';
import { find } from './dom.js';

export type ScriptTexts = Pick<Texts, 'fields' | 'problems' | 'page' | 'script'>;

export const texts: ScriptTexts = JSON.parse(find(document, '#texts').textContent ?? '');
