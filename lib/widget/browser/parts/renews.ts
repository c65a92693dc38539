// Offers the text of the link that this one replaces. The text moves to this link when a person takes it.
import { fieldsOf } from '../device-copy.js';
import { findInPage } from '../dom.js';
import { useStorage } from '../draft.js';
import { addPart } from '../form-part.js';

addPart(({ formFields, draft, show }) => {
  const button = findInPage('#earlier');
  const { key } = button.dataset as { key: string };
  useStorage(() => {
    const text = localStorage[key];
    button.hidden = !text;
    button.onclick = () => {
      button.hidden = true;
      show(new URLSearchParams(Object.fromEntries([...formFields(), ...fieldsOf(text)])));
      draft.save(formFields());
      useStorage(() => delete localStorage[key]);
      findInPage('[data-current] h2').focus();
    };
  });
  return undefined;
});
