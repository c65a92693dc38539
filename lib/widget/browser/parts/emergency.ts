// Shows the text of the client about emergencies after the answer that a person was injured.
import { addPart } from '../form-part.js';

addPart(({ form, inputNamed }) => {
  const emergency = form.querySelector<HTMLElement>('#emergency');
  const show = (): void => {
    if (emergency) emergency.hidden = inputNamed('/incident/injured')?.value !== 'true';
  };
  form.addEventListener('input', show);
  return show;
});
