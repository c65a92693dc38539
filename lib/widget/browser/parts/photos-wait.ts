// Tells the form which photos there are, and lets a claim wait for those that are on their way.
import { addPart } from '../form-part.js';

const photos = self.claimlinkPhotos;
const { all, button, field, texts } = photos;

addPart(({ form, formFields, draft }) => {
  const [shown, ids] = field.querySelectorAll<HTMLInputElement>('[type=hidden]') as unknown as [
    HTMLInputElement,
    HTMLInputElement,
  ];
  const send = form.querySelector('#send') as HTMLButtonElement;
  const note = form.querySelector('#slow') as HTMLElement;
  let isWaiting = false;
  /** The names of missing photos that the person knows of. */
  let told = '';

  const isOnWay = (): boolean => all.some(({ isSent, problem }) => !isSent && !problem);

  photos.update = () => {
    // While the claim is sent, the form has no fields.
    if (!form.matches('body :not([aria-busy=true])')) return;
    const present = all.filter(({ problem }) => !problem);
    const sent = present.filter(({ isSent }) => isSent);
    shown.value = present.map(({ name }) => name).join(', ');
    // The form asks it as it asks an input.
    button.value = shown.value;
    const text = new URLSearchParams(sent.map(({ id, name }) => [id, name])).toString();
    if (ids.value !== text) {
      ids.value = text;
      draft.save(formFields());
    }
    if (!isWaiting || isOnWay()) return;
    isWaiting = false;
    note.textContent = '';
    if (send.closest('[data-current]')) send.click();
  };

  // Before the form sends it.
  document.addEventListener(
    'submit',
    (event) => {
      if (event.target !== form || !send.closest('[data-current]')) return;
      const names = all
        .filter(({ problem }) => problem)
        .map(({ name }) => name)
        .join(', ');
      isWaiting = isOnWay();
      if (!isWaiting && names === told) return;
      event.preventDefault();
      event.stopPropagation();
      if (!isWaiting) told = names;
      note.textContent = isWaiting ? texts.wait : texts.lost.replace('{names}', () => names);
    },
    true,
  );
  return undefined;
});
