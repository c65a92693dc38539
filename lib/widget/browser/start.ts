// Tells that a person fills in the form: neither a page that loads, nor a restored text, nor a script starts it.
import { announce } from './announce.js';
import { form, proof } from './claim-form.js';

let hasStarted = false;

/** Tells it the page around this one and, if the host wants to know it, the service: with the first event of a person. */
export function reportStart({ isTrusted }: Event): void {
  if (!isTrusted || hasStarted) return;
  hasStarted = true;
  announce({ kind: 'started' });
  if (!form.hasAttribute('data-reports-start')) return;
  const body = new URLSearchParams([['action', 'start'], ...proof]);
  // The claim does not depend on it.
  fetch(location.href, { method: 'POST', body, keepalive: true }).catch(() => {});
}
