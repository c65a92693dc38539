// Adds photos that a person chooses, drops or pastes.
import type { Photo } from '../photo.js';

const photos = self.photos;
const { all, button, field, file, texts } = photos;
const most = Number(field.dataset['most'] ?? Infinity);
let last = Promise.resolve();

/** Returns the SHA-256 of the bytes in hex. A page that is not secure has no function for it: its id is random. */
const idOf = async (body: Blob): Promise<string> => {
  const bytes = crypto.subtle
    ? new Uint8Array(await crypto.subtle.digest('SHA-256', await body.arrayBuffer()))
    : crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
};

const prepare = async (photo: Photo, chosen: File): Promise<void> => {
  try {
    Object.assign(photo, await photos.scale(chosen));
    const id = await idOf(photo.body as Blob);
    if (photo.isRemoved) return;
    const same = all.find((other) => other.id === id);
    if (same && !same.problem) return photos.drop(photo);
    if (same) photos.drop(same);
    photo.id = id;
    photos.send(photo);
  } catch {
    photo.problem = texts.unreadable;
    photos.draw(photo);
    photos.say(`${photo.name}: ${texts.unreadable}`);
    photos.update();
  }
};

const add = (files: Iterable<File>): void => {
  for (const chosen of files) {
    const again = all.find(({ name, problem }) => name === chosen.name && problem === texts.unsent);
    if (again) photos.drop(again);
    const count = all.filter(({ name }) => name.startsWith(chosen.name)).length;
    const name = count > 0 ? `${chosen.name} (${count + 1})` : chosen.name;
    const photo: Photo = { name, id: '', size: chosen.size };
    if (all.filter(({ problem }) => !problem).length >= most) photo.problem = texts.full;
    all.push(photo);
    photos.draw(photo);
    photos.say(`${name}: ${photo.problem ?? texts.sending}`);
    // One after another: a phone has little memory.
    if (!photo.problem) last = last.then(() => prepare(photo, chosen));
  }
  photos.update();
};

button.onclick = () => file.click();
file.onchange = () => {
  add([...(file.files ?? [])]);
  // The same file can be chosen again.
  file.value = '';
};
const take = (event: Event): void => {
  const { clipboardData, dataTransfer } = event as Partial<ClipboardEvent & DragEvent>;
  const data = clipboardData ?? dataTransfer;
  const files = [...(data?.files ?? [])];
  if (!data?.types.includes('Files')) return;
  event.preventDefault();
  if (field.matches('form:not([aria-busy=true]) [data-current] *')) add(files);
};
for (const type of ['paste', 'drop', 'dragover']) addEventListener(type, take);
