// The texts of the page's language, which the server has written into the page.
import type { Texts } from '../locales/texts.js';
import { find } from './dom.js';

export const texts: Pick<Texts, 'fields' | 'problems' | 'page' | 'script' | 'steps'> & {
  unavailable: Pick<
    Texts['unavailable'],
    'link_not_found' | 'link_expired' | 'link_revoked' | 'link_submitted'
  >;
} = JSON.parse(find(document, '#texts').textContent ?? '');
