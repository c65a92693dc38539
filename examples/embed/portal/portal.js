// The script of the portal's page: shows the form, and says what happens in it.
import { embedClaim } from '/embed.js';

/** A link that the service does not know, and a service that does not respond, send no message. */
const LIMIT_MS = 15_000;

const status = document.querySelector('#status');
const show = (text) => {
  status.textContent = text;
};

const late = setTimeout(() => show('The form does not load. Call us: +49 30 5678.'), LIMIT_MS);
const response = await fetch('/links', { method: 'POST' });
const { url } = await response.json();
embedClaim(document.querySelector('#claim'), url, {
  title: 'Report a claim',
  onReady() {
    clearTimeout(late);
    show('');
  },
  onStarted: () => show('You have begun a claim.'),
  onSubmitted: ({ reference }) => show(`We have your claim ${reference}.`),
  onUnavailable: ({ code }) => show(`No claim can be sent: ${code}.`),
});
