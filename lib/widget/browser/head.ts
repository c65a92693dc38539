// Script in the head of the form page: prepares the page for the script of the form.

// It runs before the first paint, so that the page does not jump from one long form to its first step.
const page = document.documentElement;
page.classList.add('js');

// If the script of the form has failed, the long form comes back. It works without any script.
document.addEventListener('DOMContentLoaded', () => {
  if (!page.hasAttribute('data-ready')) page.classList.remove('js');
});
