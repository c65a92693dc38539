// Part of the form's script: sending the claim, and what becomes of each answer. Ends by starting the form.

/**
 * Needs the names of `CHECK` and `STEPS_SCRIPT`.
 *
 * The claim is sent by fetch, since Chromium holds every redirect that follows a native form POST against the
 * form-action of the page: a callback that redirects once more, to an origin nobody could list, would be blocked.
 */
export const SEND = `
var sendButton = byId('send');
var failure = byId('failure');
var sendLabel = sendButton.textContent;
var sending = false;

function setSending(on) {
  sending = on;
  sendButton.disabled = on;
  sendButton.textContent = on ? 'Sending…' : sendLabel;
  form.setAttribute('aria-busy', String(on));
  status.textContent = on ? 'Sending your claim.' : '';
}

function fail(why) {
  setSending(false);
  failure.textContent = 'Your claim was not sent' + why + ' Nothing you typed is lost. Try again: a claim is never taken twice.';
  failure.hidden = false;
  sendButton.focus();
}

function mayGoTo(url) {
  if (typeof url !== 'string') return false;
  try {
    return ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].indexOf(new URL(url).protocol) < 0;
  } catch (error) {
    return false;
  }
}

function succeed(data) {
  var onward = mayGoTo(data.redirectUrl);
  sent = true;
  if (onward && form.hasAttribute('data-callback-on-submit')) return location.replace(data.redirectUrl);
  var view = byId('success-template').content.cloneNode(true);
  var main = byId('main');
  view.querySelector('[data-reference]').textContent = data.reference;
  if (onward) {
    var link = view.querySelector('[data-continue]');
    link.href = data.redirectUrl;
    if (/^https?:$/.test(link.protocol)) view.querySelector('[data-host]').textContent = link.host;
  } else view.querySelector('[data-onward]').remove();
  document.title = form.dataset.successTitle;
  main.replaceChildren(view);
  window.scrollTo(0, 0);
  byId('success-title').focus({ preventScroll: true });
  countDown(main);
}

function receive(response) {
  if (response.status === 404 || response.status === 410) {
    sent = true;
    return location.reload();
  }
  if (response.status === 413) return fail(': it is longer than we can take. Shorten the description.');
  return response.json().then(function (body) {
    if (response.ok && body.data && typeof body.data.reference === 'string') return succeed(body.data);
    if (response.status === 400 && Array.isArray(body.errors) && body.errors.length) {
      setSending(false);
      return report(body.errors);
    }
    throw new Error('unexpected answer');
  }).catch(function () { fail(', because something went wrong on our side.'); });
}

function send() {
  if (sending || sent) return;
  tidyRows();
  var problems = sections.reduce(function (all, section) { return all.concat(problemsIn(section)); }, []);
  if (problems.length) return report(problems);
  clearProblems();
  writeTitle();
  failure.hidden = true;
  var body = new URLSearchParams(new FormData(form)).toString();
  setSending(true);
  fetch(location.href, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: body,
    cache: 'no-store',
  }).then(receive, function () { fail(': we could not be reached. Are you online?'); });
}

form.addEventListener('submit', function (event) {
  event.preventDefault();
  if (current < last) next();
  else send();
});

tidyRows();
history.replaceState({ step: current }, '');
show(current);
root.setAttribute('data-ready', '');
`;
