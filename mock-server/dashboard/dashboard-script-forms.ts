// Part of the dashboard's script: forms are sent without leaving the page, and texts are copied.
import { type Html, html } from './html.js';

/** Needs `root`, `read`, `applyParts`, `announce`, `setLive` and `morph`. */
export const FORMS: Html = html`
function submit(form, button) {
  if (form.hasAttribute('data-busy')) return;
  form.setAttribute('data-busy', '');
  var headers = { 'content-type': 'application/x-www-form-urlencoded' };
  fetch(form.action, { method: 'POST', headers: headers, body: new URLSearchParams(new FormData(form, button)) })
    .then(function (response) {
      return response.text().then(function (text) { receive(form, response, read(text)); });
    })
    .catch(function () {
      setLive('offline');
      announce('The mock could not be reached.');
    })
    .then(function () { form.removeAttribute('data-busy'); });
}

function receive(form, response, page) {
  var data = page.documentElement.dataset;
  // An answer that is not the dashboard, or another page of it.
  if (!data.page) return location.reload();
  if (response.redirected && !isHere(data.page)) return location.assign(response.url);
  var name = form.dataset.form;
  var next = [...page.forms].find(function (other) { return other.dataset.form === name; });
  if (response.redirected && !form.hasAttribute('data-keep')) form.reset();
  // Many forms of one button have the same name; those stand in live parts.
  if (next && !form.closest('[data-live]')) {
    morph(form, next);
    for (const details of form.querySelectorAll('details')) {
      if (details.querySelector('[aria-invalid]')) details.open = true;
    }
  }
  applyParts(page);
  morph(document.querySelector('[data-part=notice]'), page.querySelector('[data-part=notice]'));
  if (!response.ok) {
    var wrong = form.isConnected && form.querySelector('[aria-invalid]');
    (wrong || document.querySelector('[data-part=notice] .notice') || document.body).focus();
  } else {
    var notice = document.querySelector('[data-part=notice] .notice');
    if (notice) {
      announce(notice.textContent);
      notice.scrollIntoView({ block: 'nearest' });
    } else announce('Done.');
  }
}

/** Whether an address of the dashboard shows the same client, user and scope as this page; the page of a list aside. */
function isHere(address) {
  function keyOf(text) {
    var query = new URLSearchParams(text.slice(text.indexOf('?')));
    return JSON.stringify([query.get('client'), query.get('user'), query.get('scope')]);
  }
  return keyOf(address) === keyOf(document.documentElement.dataset.page);
}

function copy(button) {
  var text = button.dataset.copy;
  var label = button.firstChild;
  function say(what) {
    label.nodeValue = what;
    announce(what + '.');
    setTimeout(function () { label.nodeValue = 'Copy'; }, 1500);
  }
  // The clipboard is there for secure contexts only: loopback and https.
  if (!navigator.clipboard) return say('Not possible here');
  navigator.clipboard.writeText(text).then(function () { say('Copied'); }, function () { say('Not allowed'); });
}

document.addEventListener('submit', function (event) {
  var form = event.target;
  if (!form.dataset.form) return;
  event.preventDefault();
  submit(form, event.submitter);
});

document.addEventListener('click', function (event) {
  var button = event.target.closest('[data-copy]');
  if (button) copy(button);
});
`;
