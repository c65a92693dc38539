// Removes photos, and takes over the list of the service: what was sent before a reload, in another tab, or by a phone.
import { addPart } from '../form-part.js';
import type { Photo } from '../photo.js';

/** How often a form that a phone may continue asks for the list. */
const POLL_MS = 5000;

const photos = self.claimlinkPhotos;
const { all, button, field, headers, texts } = photos;
/** Ids that this page has removed: a list may still have them. */
const removed = new Set<string>();

photos.drop = (photo) => {
  photo.isRemoved = true;
  photo.request?.abort();
  photo.row?.remove();
  all.splice(all.indexOf(photo), 1);
  photos.update();
};

photos.remove = async (photo) => {
  const { id, name } = photo;
  photos.drop(photo);
  photos.say(texts.personRemoved.replace('{person}', () => name));
  button.focus();
  if (!id) return;
  removed.add(id);
  const response = await fetch(`${photos.url(id)}&action=remove`, { method: 'POST', headers }).catch(
    () => undefined,
  );
  if (response?.ok || response?.status === 404) return;
  // The service has it still.
  removed.delete(id);
  void load();
  photos.say(`${name}: ${navigator.onLine ? texts.rejected : texts.offline}`);
};

/** The names of photos by their ids, from the text of the form. */
let names = new URLSearchParams();

const load = async (): Promise<void> => {
  const before = all.filter(({ isSent }) => isSent);
  const response = await fetch(photos.url(), { headers, cache: 'no-store' });
  if (!response.ok) return;
  const { data } = await response.json();
  const ids: string[] = [];
  const order = [...names.keys()];
  data.sort((a: Photo, b: Photo) => order.indexOf(a.id) - order.indexOf(b.id));
  for (const { id, size } of data) {
    ids.push(id);
    if (removed.has(id) || all.some((photo) => photo.id === id)) continue;
    const name = names.get(id) ?? texts.photo.replace('{number}', `${all.length + 1}`);
    const photo = { id, name, size, isSent: true };
    all.push(photo);
    photos.draw(photo);
  }
  for (const photo of before) if (!ids.includes(photo.id) && all.includes(photo)) photos.drop(photo);
  photos.update();
};

const update = (): void => {
  if (!document.hidden && field.isConnected) load().catch(() => {});
};

addPart(({ draft }) => {
  names = new URLSearchParams(draft.read()?.get('photoNames') ?? '');
  addEventListener('visibilitychange', update);
  addEventListener('online', update);
  if ('poll' in field.dataset) setInterval(update, POLL_MS);
  return update;
});
