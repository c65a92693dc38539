// Removes photos, and takes over the list of the service: what was sent before a reload, in another tab, or by a phone.
import type { Photo } from '../photo.js';

/** How often a form that a phone may continue asks for the list. */
const POLL_MS = 5000;
/** State of a request that has ended. */
const DONE = 4;

const photos = self.photos;
const { all, button, field, headers, list, texts } = photos;
/** Ids that this page has removed: a list may still have them. */
const removed = new Set<string>();

photos.drop = (photo) => {
  photo.isRemoved = true;
  // What has left is stored.
  if (photo.progress !== 1) photo.request?.abort();
  photo.row?.remove();
  all.splice(all.indexOf(photo), 1);
  photos.update();
};

photos.remove = async (photo) => {
  const { id, name, request } = photo;
  photos.drop(photo);
  photos.say(texts.personRemoved.replace('{person}', () => name));
  button.focus();
  if (!id) return;
  removed.add(id);
  if (request && request.readyState % DONE)
    await new Promise((resolve) => request.addEventListener('loadend', resolve));
  const response = await fetch(`${photos.url(id)}&action=remove`, { method: 'POST', headers }).catch(
    () => undefined,
  );
  if (response?.ok || response?.status === 404) return;
  // The service has it still.
  removed.delete(id);
  void load();
  photos.say(`${name}: ${navigator.onLine ? texts.rejected : texts.offline}`);
};

/** Says that there is no list. */
const note = document.createElement('li');
let isLoaded = false;

const load = async (): Promise<void> => {
  const before = all.filter(({ isSent }) => isSent);
  const response = await fetch(photos.url(), { headers });
  if (response.status >= 500) throw 0;
  isLoaded = true;
  note.remove();
  if (!response.ok) return;
  const { data } = await response.json();
  const order = photos.names.map(([id]) => id);
  data.sort((a: Photo, b: Photo) => order.indexOf(a.id) - order.indexOf(b.id));
  for (const { id, size } of data) {
    const same = all.find((photo) => photo.id === id);
    if (removed.has(id) || (same && !same.problem)) continue;
    const name = photos.names[order.indexOf(id)]?.[1] ?? texts.photo.replace('{number}', `${all.length + 1}`);
    // It has arrived, but not the response.
    const photo = Object.assign(same ?? { name }, { id, size, isSent: true, problem: undefined });
    if (!same) all.push(photo);
    photos.draw(photo);
  }
  for (const photo of before)
    if (!data.some(({ id }: Photo) => id === photo.id) && all.includes(photo)) photos.drop(photo);
  photos.update();
};

photos.load = () => {
  if (document.hidden || !field.isConnected) return;
  load().catch(() => {
    if (isLoaded || note.isConnected) return;
    note.textContent = texts.unshown;
    list.append(note);
    photos.say(texts.unshown);
  });
};
addEventListener('visibilitychange', photos.load);
setInterval(() => {
  if (!isLoaded || 'poll' in field.dataset) photos.load();
}, POLL_MS);
