// Offers the common domain that is near the domain of an email address.
import { commonDomainNear } from '../email-domain.js';
import { addPart } from '../form-part.js';

addPart(({ form }) => {
  const status = document.getElementById('status');
  const question = form.dataset['suggestion'] ?? '';
  const suggest = (): void => {
    for (const input of form.querySelectorAll<HTMLInputElement>('[type=email]')) {
      if (input === document.activeElement) continue;
      const address = input.value.trim();
      const start = address.indexOf('@') + 1;
      const near = start > 0 && commonDomainNear(address.slice(start));
      const meant = address.slice(0, start) + near;
      const text = near ? question.replace('{email}', () => meant) : '';
      const shown = input.parentElement?.querySelector('button');
      if (shown?.textContent === text) continue;
      shown?.remove();
      if (!text) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'button quiet';
      button.textContent = text;
      button.onclick = () => {
        input.value = meant;
        input.focus();
        button.remove();
        input.dispatchEvent(new Event('input', { bubbles: true }));
      };
      input.after(button);
      if (status) status.textContent = text;
    }
  };
  for (const event of ['click', 'keyup']) document.addEventListener(event, suggest);
  return suggest;
});
