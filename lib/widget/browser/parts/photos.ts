// The photos of the form: the elements and texts that the other scripts of photos use. It comes before them.
import type { Photos } from '../photo.js';

const find = <E extends HTMLElement>(selector: string) => document.querySelector(selector) as E;
const field = find('.photos');
const file = find<HTMLInputElement>('.photos [type=file]');
const list = find('.photos ul');
const { pathname, search } = location;
const proof = document.querySelector<HTMLInputElement>('#claim [name=proof]');

// Without the script, it has the names of photos.
list.textContent = '';
// The script sends the photos. The form sends neither a file nor a body in parts.
file.name = '';
file.accept = 'image/*';
find<HTMLFormElement>('#claim').enctype = '';

self.claimlinkPhotos = {
  all: [],
  field,
  file,
  button: find('#incident-photos'),
  list,
  texts: {
    ...JSON.parse(find('#texts').textContent ?? '').script,
    ...JSON.parse(find('.photos script').textContent ?? ''),
  },
  headers: { Accept: 'application/json', ...(proof && { 'Claimlink-Proof': proof.value }) },
  url: (id?: string) => `${pathname}/photos${id ? `/${id}` : ''}${search}`,
  say(text: string) {
    find('#status').textContent = text;
  },
} as unknown as Photos;
