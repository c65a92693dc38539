// Script of the pages that may be framed: tells the page around it what happens here, and nothing of the claim. It
// listens to no messages.
import type { FrameData, FrameMessage } from '../frame-message.js';
import { ANNOUNCEMENT, type Announcement } from './announce.js';

const { origins, message }: FrameData = JSON.parse(document.currentScript?.dataset['frame'] ?? '');
const page = document.documentElement;
let postedHeight = 0;

// Each message goes to every origin of the list, and the browser delivers the one of the right origin. Where the browser
// tells the origin of the parent, the console has no errors about the others.
// Firefox has no `ancestorOrigins`.
const parentOrigin = location.ancestorOrigins?.[0];
const targets = origins.filter((origin) => origin === parentOrigin);
if (targets.length === 0) targets.push(...origins);

function post(message: FrameMessage): void {
  for (const origin of targets) parent.postMessage(message, origin);
}

function postIfAny(message: FrameMessage | undefined): void {
  if (message) post(message);
}

function postHeight(): void {
  const height = Math.ceil(page.getBoundingClientRect().height);
  // A frame that is not displayed has no height.
  if (height === 0 || height === postedHeight) return;
  postedHeight = height;
  post({ type: 'claimlink:resize', height });
}

/** Tells where the focus is: Firefox does not scroll a page of another origin to it. */
function postFocus({ target }: FocusEvent): void {
  const top = Math.round((target as Element).getBoundingClientRect().top + scrollY);
  post({ type: 'claimlink:focus', top });
}

/** Returns the message of an announcement. The user can repeat other attempts; a link that has ended gets a page that tells it. */
function messageOf(announcement: Announcement): FrameMessage | undefined {
  const { kind } = announcement;
  if (kind === 'started') return { type: 'claimlink:started' };
  if (kind === 'sent') return { type: 'claimlink:submitted', reference: announcement.submitted.reference };
  if (kind === 'changed') return { type: 'claimlink:unavailable', code: 'link_submitted' };
  return undefined;
}

if (parent !== window) {
  post({ type: 'claimlink:ready' });
  // Chromium calls no observer in a frame that is outside of the window.
  postHeight();
  new ResizeObserver(postHeight).observe(page);
  postIfAny(message);
  document.addEventListener('focusin', postFocus);
  document.addEventListener(ANNOUNCEMENT, (event) => postIfAny(messageOf((event as CustomEvent).detail)));
}
