// The scripts of the form page, put together once.
import { CHECK } from './script-check.js';
import { SEND } from './script-send.js';
import { STEPS_SCRIPT } from './script-steps.js';
import { COUNTDOWN, pack } from './script-success.js';

/**
 * Runs before the first paint, so that the page does not jump from one long form to its first step. Where the form's
 * script then does not get through, the long form comes back: it works without any script.
 */
export const HEAD_SCRIPT = pack(`
  var root = document.documentElement;
  root.classList.add('js');
  document.addEventListener('DOMContentLoaded', function () {
    if (!root.hasAttribute('data-ready')) root.classList.remove('js');
  });
`);

export const FORM_SCRIPT = pack(COUNTDOWN + CHECK + STEPS_SCRIPT + SEND);
