// Shows the text of the client about emergencies after the answer that a person was injured.
import { find } from '../dom.js';
import { addPart } from '../form-part.js';

addPart(({ form, inputNamed }) => {
  const emergency = find(form, '#emergency');
  const show = (): void => {
    emergency.hidden = inputNamed('/incident/injured')?.value !== 'true';
  };
  form.addEventListener('input', show);
  return show;
});
