// Shows each photo in a row: what this page holds as a picture, else a button for it.
import type { Photo } from '../photo.js';

type Row = [HTMLImageElement, HTMLElement, HTMLElement, HTMLElement];

const photos = self.photos;
const { headers, list, texts } = photos;
const locale = document.documentElement.lang;
const BYTES_PER_MB = 1e6;

const createRow = (photo: Photo): HTMLLIElement => {
  const row = document.createElement('li');
  const add = <K extends keyof HTMLElementTagNameMap>(tag: K, parent: HTMLElement = row) =>
    parent.appendChild(document.createElement(tag));
  const image = add('img');
  image.alt = '';
  image.hidden = true;
  const box = add('div');
  const name = add('bdi', box);
  name.translate = false;
  name.textContent = photo.name;
  add('p', box);
  add('progress', box).setAttribute('aria-label', photo.name);
  const button = (label: string, run: () => void): void => {
    const element = add('button');
    element.type = 'button';
    element.className = 'button quiet';
    element.textContent = label;
    element.setAttribute('aria-label', `${label}: ${photo.name}`);
    element.onclick = () => {
      // The button may go.
      row.focus();
      run();
    };
  };
  row.tabIndex = -1;
  button(texts.retry, () => photos.send(photo));
  button(texts.show, async () => {
    const response = await fetch(photos.url(photo.id), { headers });
    if (!response.ok) return;
    photo.picture = await response.blob();
    photos.draw(photo);
  });
  button(texts.remove, () => photos.remove(photo));
  return list.appendChild(row);
};

photos.draw = (photo) => {
  const { body, picture = body, isScaled, isSent, problem, progress = 0, size } = photo;
  photo.row ??= createRow(photo);
  const [image, box, retry, show] = photo.row.children as unknown as Row;
  if (picture && !image.src) {
    image.src = URL.createObjectURL(picture);
    // An image that the browser cannot read stays hidden.
    image.onload = () => {
      URL.revokeObjectURL(image.src);
      image.hidden = false;
    };
  }
  const [, text, bar] = box.children as unknown as [HTMLElement, HTMLElement, HTMLProgressElement];
  const state = isSent
    ? texts.sent
    : `${texts.sending} ${progress.toLocaleString(locale, { style: 'percent' })}`;
  const megabytes = Math.max(0.1, size / BYTES_PER_MB).toLocaleString(locale, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: 1,
  });
  text.className = problem ? 'missing' : 'hint';
  text.textContent =
    problem || [megabytes, state, isSent && isScaled && texts.noPlace].filter(Boolean).join(' · ');
  bar.hidden = isSent || !!problem;
  bar.value = progress;
  retry.hidden = !problem || !body;
  show.hidden = !isSent || !!image.src;
};
