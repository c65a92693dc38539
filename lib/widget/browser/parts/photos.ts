// The photos of the form: the elements and texts that the other scripts of photos use. It comes before them.
import type { Photos } from '../photo.js';

/** Photos that finish together are said together: a text that another one replaces at once is not said. */
const SAY_MS = 700;

const find = <E extends HTMLElement>(selector: string) => document.querySelector(selector) as E;
const field = find('.photos');
const file = find<HTMLInputElement>('.photos [type=file]');
const button = find('.photos button');
const list = find('.photos ul');
const texts = JSON.parse(find('#texts').textContent as string);
const status = find('#status');
let unsaid: HTMLElement[] = [];
const { pathname, search } = location;
const proof = document.querySelector<HTMLInputElement>('#claim [name=proof]');

// Without the script, it has the names of photos.
list.textContent = '';
// The script sends the photos. The form sends neither a file nor a body in parts.
button.id = file.id;
file.id = '';
file.name = '';
file.accept = 'image/*';
find<HTMLFormElement>('#claim').enctype = '';

self.photos = {
  all: [],
  field,
  file,
  button,
  list,
  texts: { ...texts.script, ...texts.photos },
  headers: { Accept: 'application/json', ...(proof && { 'Claimlink-Proof': proof.value }) },
  url: (id?: string) => `${pathname}/photos${id ? `/${id}` : ''}${search}`,
  say(text: string) {
    const line = document.createElement('p');
    line.textContent = text;
    if (unsaid.push(line) > 1) return;
    setTimeout(() => {
      status.replaceChildren(...unsaid);
      unsaid = [];
    }, SAY_MS);
  },
} as unknown as Photos;
