// Offers the common domain that is near the domain of an email address.
import { commonDomainNear } from '../../email-domain.js';
import { addPart } from '../form-part.js';

addPart(({ form }) => {
  const suggest = (): void => {
    for (const input of form.querySelectorAll<HTMLInputElement>('[type="email"]')) {
      if (input === document.activeElement) continue;
      const [name, domain = ''] = input.value.trim().split('@');
      const near = commonDomainNear(domain);
      const meant = near && `${name}@${near}`;
      const shown = input.nextElementSibling as HTMLElement | null;
      if (shown?.dataset['meant'] === meant) continue;
      shown?.remove();
      if (!meant) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'button quiet';
      button.textContent = (form.dataset['suggestion'] ?? '').replace('{email}', () => meant);
      const note = document.createElement('p');
      note.dataset['meant'] = meant;
      note.setAttribute('role', 'status');
      input.after(note);
      note.append(button);
      button.addEventListener('click', () => {
        input.value = meant;
        input.focus();
        note.remove();
        input.dispatchEvent(new Event('input', { bubbles: true }));
      });
    }
  };
  for (const event of ['click', 'keyup']) document.addEventListener(event, suggest);
  return suggest;
});
