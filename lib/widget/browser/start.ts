// Script of the form, where the host wants to know that a person fills it in: tells the service the first answer. Restored
// answers and events of scripts are none of a person.
const form = document.querySelector<HTMLFormElement>('#claim');

function report({ isTrusted }: Event): void {
  if (!isTrusted) return;
  form?.removeEventListener('input', report);
  const body = new URLSearchParams({ action: 'start' });
  // The form does not need the response.
  fetch(location.href, { method: 'POST', body, keepalive: true }).catch(() => {});
}

form?.addEventListener('input', report);
