// Finds the text on the device for a page without a form.
import { KEY_START } from '../../device-key.js';
import { fieldsOf, remove } from '../device-copy.js';

const template = document.getElementById('entered-template') as HTMLTemplateElement | null;
const { key = '', link, hides } = template?.dataset ?? {};
try {
  const text = localStorage[key];
  // Who opens the page may be another person than the recipient of the link.
  const isShown = hides === undefined && !sessionStorage[key];
  self.onDevice = {
    save() {},
    read: () => (isShown && text ? fieldsOf(text) : undefined),
    clear: () => remove(localStorage, key),
  };
  if (template && text && !isShown && !sessionStorage[KEY_START + link]) {
    const { content } = template;
    for (const part of content.querySelectorAll('pre,[data-copy]')) part.remove();
    document.querySelector('#main .card')?.append(content);
  }
} catch {
  // The browser blocks the storage: it has no text.
}
