// The script of the success page: the countdown to going on, which the user can stop.

/** `countDown(root)`: starts the countdown in `root`. The form's script uses it too. */
export const COUNTDOWN = `
function countDown(root) {
  var link = root.querySelector('[data-continue]');
  var box = root.querySelector('[data-countdown]');
  if (!link || !box) return;
  var seconds = box.querySelector('[data-seconds]');
  var status = root.querySelector('[data-onward-status]');
  var left = 8;
  box.hidden = false;
  var timer = setInterval(function () {
    left -= 1;
    seconds.textContent = String(left);
    if (left > 0) return;
    clearInterval(timer);
    box.hidden = true;
    status.textContent = 'If nothing happens, press Continue.';
    location.assign(link.href);
  }, 1000);
  box.querySelector('[data-stay]').addEventListener('click', function () {
    clearInterval(timer);
    box.hidden = true;
    status.textContent = 'You stay on this page. Press Continue when you are ready.';
    link.focus();
  });
}
`;

/** A script as it goes into the page: on its own, without indentation and one-line comments. */
export function pack(script: string): string {
  return `(function () {\n'use strict';\n${script.replace(/^\s+/gm, '').replace(/^\/\*\*.*\*\/\n/gm, '')}})();`;
}

export const SUCCESS_SCRIPT = pack(`${COUNTDOWN}countDown(document);\n`);
