// The countdown to the redirect on the success page. The user can stop it.
import { find } from './dom.js';
import { texts } from './texts.js';

/** Starts the countdown of the success page, if the page has a link back. */
export function countDown(root: ParentNode): void {
  const link = root.querySelector<HTMLAnchorElement>('[data-continue]');
  const countdown = root.querySelector<HTMLElement>('[data-countdown]');
  if (!link || !countdown) return;
  const counter = find(countdown, '[data-seconds]');
  const status = find(root, '[data-onward-status]');
  let secondsLeft = Number(counter.textContent);
  const stop = (message: string): void => {
    clearInterval(timer);
    countdown.hidden = true;
    status.textContent = message;
  };
  countdown.hidden = false;
  const timer = setInterval(() => {
    secondsLeft -= 1;
    counter.textContent = String(secondsLeft);
    if (secondsLeft > 0) return;
    stop(texts.script.redirecting);
    location.assign(link.href);
  }, 1000);
  find(countdown, '[data-stay]').addEventListener('click', () => {
    stop(texts.script.stayed);
    link.focus();
  });
}
