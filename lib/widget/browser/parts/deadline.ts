// Tells near the end of a link when it ends, and what becomes of the text.
import { formatLocale } from '../../format-locale.js';
import { fillIn } from '../../locales/texts.js';
import { find } from '../dom.js';
import { addPart } from '../form-part.js';

const MINUTE_MS = 60_000;
const CHECK_MS = 5000;
/** Minutes before the end from which on the note shows. */
const NEAR = 120;
/** Minutes before the end from which on it says how many are left. */
const SOON = 10;
/** Minutes before the end when a screen reader says it. */
const SAID_AT = [SOON, 2];

addPart(() => {
  const note = find(document, '#until');
  const { left = '', clock = '', after = '' } = note.dataset;
  const locale = formatLocale(document.documentElement.lang);
  const end = new Date(find<HTMLTimeElement>(note, 'time').dateTime);
  const time = end.toLocaleTimeString(locale, { hour: 'numeric', minute: '2-digit' });
  // The clock of the browser may be wrong: only what it has moved since counts.
  const endOfBrowser = Date.now() + Number(left);
  let unsaid = SAID_AT;

  const write = (): number => {
    const minutes = (endOfBrowser - Date.now()) / MINUTE_MS;
    if (minutes > NEAR) return minutes;
    const isSoon = minutes <= SOON;
    const wait = new Intl.RelativeTimeFormat(locale).format(Math.ceil(minutes), 'minute');
    const sentence = fillIn(clock, { time: isSoon && minutes > 0 ? `${time} (${wait})` : time });
    const parts = isSoon ? [sentence, ' ', after] : [sentence];
    // What a screen reader reads would go with its node.
    if (note.textContent !== parts.join('')) note.replaceChildren(...parts);
    note.dataset['near'] = '';
    return minutes;
  };
  const check = (): void => {
    const minutes = write();
    const rest = unsaid.filter((said) => minutes > said);
    if (rest.length < unsaid.length && minutes > 0) find(document, '#status').textContent = note.textContent;
    unsaid = rest;
  };
  setInterval(check, CHECK_MS);
  document.addEventListener('visibilitychange', check);
  return write;
});
