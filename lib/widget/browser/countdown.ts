// The countdown to the redirect on the success page. Whatever the user does ends it for good.
import { find } from './dom.js';

/** Seconds before the end when the countdown is said once more (WCAG 2.2, 2.2.1). */
const LAST_WARNING = 20;

/** Starts the countdown of the success page, if the page has one. */
export function countDown(root: ParentNode): void {
  const link = root.querySelector<HTMLAnchorElement>('[data-continue]');
  const countdown = root.querySelector<HTMLElement>('[data-countdown]');
  if (!link || !countdown) return;
  const counter = find(countdown, '[data-seconds]');
  const status = find(root, '[data-onward-status]');
  const heading = find(root, 'h1');
  const startedAt = scrollY;
  const end = new AbortController();
  let secondsLeft = Number(counter.textContent);

  const stop = (message = ''): void => {
    end.abort();
    clearInterval(timer);
    countdown.hidden = true;
    status.classList.remove('vh');
    status.textContent = message;
  };
  const stay = (): void => stop(countdown.dataset['stayed']);
  const on = (target: EventTarget, type: string, listener: () => void): void =>
    target.addEventListener(type, listener, { signal: end.signal });

  countdown.hidden = false;
  let isSaid = false;
  const timer = setInterval(() => {
    secondsLeft -= 1;
    counter.textContent = String(secondsLeft);
    if (!isSaid || secondsLeft === LAST_WARNING) status.textContent = find(countdown, 'p').textContent;
    isSaid = true;
    if (secondsLeft > 0) return;
    stop(countdown.dataset['redirecting']);
    location.assign(link.href);
  }, 1000);
  find(countdown, '[data-stay]').addEventListener('click', () => {
    stay();
    link.focus();
  });
  for (const type of ['pointerdown', 'touchstart', 'keydown', 'wheel']) on(document, type, stay);
  // The page itself has scrolled to its top.
  on(document, 'scroll', () => scrollY !== startedAt && stay());
  // The keys of a screen reader do not reach the page: it sees where they lead to, past the heading that has the focus.
  on(document, 'focusin', stay);
  on(document, 'selectionchange', () => {
    const place = getSelection()?.anchorNode;
    if (
      place &&
      !place.contains(heading) &&
      (!heading.contains(place) || getSelection()?.isCollapsed === false)
    )
      stay();
  });
  on(document, 'visibilitychange', () => document.hidden && stay());
}
