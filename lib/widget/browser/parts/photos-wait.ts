// Tells the form which photos there are, and lets a claim wait for those that are on their way.
import { addPart } from '../form-part.js';
import type { Photo } from '../photo.js';

const photos = self.photos;
const { all, button, field, texts } = photos;

const namesOf = (some: readonly Photo[]): string => some.map(({ name }) => name).join(', ');

addPart(({ form, formFields, draft }) => {
  const [shown, ids] = field.querySelectorAll<HTMLInputElement>('[type=hidden]') as unknown as [
    HTMLInputElement,
    HTMLInputElement,
  ];
  const send = form.querySelector('#send') as HTMLButtonElement;
  const note = form.querySelector('#slow') as HTMLElement;
  const isReview = (): boolean => send.matches('[data-current] *');
  let isWaiting = false;
  /** The names of missing photos that the person knows of. */
  let told = '';

  const isOnWay = (): boolean => all.some(({ isSent, problem }) => !isSent && !problem);

  photos.update = () => {
    // While the claim is sent, the form has no fields.
    if (!form.matches('body :not([aria-busy=true])')) return;
    shown.value = namesOf(all.filter(({ problem }) => !problem));
    // The form asks it as it asks an input.
    button.value = shown.value;
    // After a reload, one that was not sent has its name only.
    const text = new URLSearchParams(
      all.map(({ id, isSent, name }) => [isSent ? id : `-${id}`, name]),
    ).toString();
    if (ids.value !== text) {
      ids.value = text;
      draft.save(formFields());
    }
    if (!isWaiting || isOnWay()) return;
    isWaiting = false;
    note.textContent = '';
    if (isReview()) send.click();
  };

  // Before the form sends it.
  document.addEventListener(
    'submit',
    (event) => {
      if (event.target !== form || !isReview()) return;
      const names = namesOf(all.filter(({ problem }) => problem));
      isWaiting = isOnWay();
      if (!isWaiting && names === told) return;
      event.preventDefault();
      event.stopPropagation();
      if (!isWaiting) told = names;
      note.textContent = isWaiting ? texts.wait : texts.lost.replace('{names}', () => names);
    },
    true,
  );
  ids.value ||= draft.read()?.get('photoNames') ?? '';
  photos.names = [...new URLSearchParams(ids.value)];
  for (const [id, name] of photos.names)
    if (id[0] === '-') {
      const photo = { id: id.slice(1), name, size: 0, problem: texts.unsent };
      all.push(photo);
      photos.draw(photo);
    }
  return photos.load;
});
