// The dashboard's script, put together once: it listens to the mock's events and brings the page up to date.
import { FORMS } from './dashboard-script-forms.js';
import { MORPH } from './dashboard-script-morph.js';
import { type Html, html } from './html.js';

const LIVE: Html = html`
var root = document.documentElement.dataset.root;
var live = document.getElementById('live');
var announcer = document.getElementById('announcer');

function setLive(state) {
  live.hidden = false;
  if (live.dataset.state === state) return;
  live.dataset.state = state;
  live.textContent = state;
}

function announce(text) {
  announcer.textContent = text;
}

/** Parses a page of the dashboard. Its own addresses start with its own way to the root: they get this page's. */
function read(text) {
  // Its style has a nonce of its own, which this page's policy refuses.
  var page = new DOMParser().parseFromString(text.replace(/<style[^]*?<.style>/, ''), 'text/html');
  var theirs = page.documentElement.dataset.root;
  if (theirs && theirs !== root) {
    for (const name of ['href', 'action']) {
      for (const element of page.querySelectorAll('[' + name + '^="' + theirs + '"]')) {
        element.setAttribute(name, root + element.getAttribute(name).slice(theirs.length));
      }
    }
  }
  return page;
}

/** Shows what only works with a script. */
function prepare(part) {
  for (const button of part.querySelectorAll('[data-copy]')) button.hidden = false;
}

function applyParts(page) {
  var focused = document.activeElement;
  var around = [];
  for (var element = focused; element; element = element.parentElement) around.push(element);
  for (const part of document.querySelectorAll('[data-live]')) {
    var next = page.querySelector('[data-live="' + part.dataset.live + '"]');
    if (next) morph(part, next);
  }
  if (focused && focused !== document.body && (!focused.isConnected || focused.disabled)) giveFocus(around);
  planExpiry();
  tick();
}

/** What had the focus is gone: what is around it, or the heading of that, gets it. */
function giveFocus(around) {
  var place = around.find(function (element) { return element.isConnected && element.hasAttribute('tabindex'); });
  var card = around.find(function (element) { return element.isConnected && element.matches('.card'); });
  var heading = card && card.querySelector('h2[tabindex]');
  if (place || heading) (place || heading).focus({ preventScroll: true });
}

var timer = 0;
var isRunning = false;
var isStale = false;

/** Brings the page up to date soon: once for events that come together, and one request at a time. */
function refresh() {
  if (isRunning) {
    isStale = true;
    return;
  }
  if (timer === 0) timer = setTimeout(run, 50);
}

function run() {
  timer = 0;
  isRunning = true;
  fetch(document.documentElement.dataset.page, { headers: { accept: 'text/html' } })
    .then(function (response) {
      return response.text().then(function (text) {
        var page = read(text);
        // This client was removed, or an error answered.
        if (page.documentElement.dataset.client !== document.documentElement.dataset.client) {
          if (response.status === 404) location.assign(root);
          return;
        }
        applyParts(page);
      });
    })
    .catch(function () { setLive('offline'); })
    .then(function () {
      isRunning = false;
      if (!isStale) return;
      isStale = false;
      refresh();
    });
}

var expiry = 0;

/** Time passes without an event: the next link that expires is looked at when it does. */
function planExpiry() {
  clearTimeout(expiry);
  var part = document.querySelector('[data-expiry]');
  if (!part) return;
  expiry = setTimeout(refresh, Math.min(Number(part.dataset.expiry) + 20, 2147483647));
}

var shownClock = '';
var clockBase = 0;

/** Lets the clock's face go on between two looks at the mock. */
function tick() {
  var face = document.querySelector('[data-clock]');
  if (!face) return;
  if (face.dataset.clock !== shownClock) {
    shownClock = face.dataset.clock;
    clockBase = performance.now();
  }
  if (face.hasAttribute('data-frozen')) return;
  var now = new Date(Number(shownClock) + performance.now() - clockBase);
  var text = now.toISOString().slice(0, 19).replace('T', ' ');
  if (face.textContent !== text) face.textContent = text;
}

function describe(event) {
  if (event.type === 'link' && event.link) return 'The link of ' + event.link.userId + ' is ' + event.link.state + '.';
  if (event.type === 'session') return 'Session ' + event.reference + ' of ' + event.userId + ' came in.';
  return '';
}

function receiveEvent(message) {
  refresh();
  try {
    var text = describe(Object.assign({ type: message.type }, JSON.parse(message.data)));
    if (text) announce(text);
  } catch (error) {
    // It says no more than that something changed.
  }
}

var source = null;
var again = 0;

function listen() {
  clearTimeout(again);
  if (source || document.hidden) return;
  source = new EventSource(document.documentElement.dataset.events);
  source.onopen = function () {
    setLive('live');
    refresh();
  };
  source.onmessage = receiveEvent;
  for (const type of ['request', 'link', 'session', 'sessions', 'clock', 'faults', 'journal', 'reset', 'clients']) {
    source.addEventListener(type, receiveEvent);
  }
  source.onerror = function () {
    setLive('offline');
    if (source.readyState !== EventSource.CLOSED) return;
    source = null;
    again = setTimeout(listen, 2000);
  };
}

/** A page in the background listens to nothing: browsers keep few connections to one server. */
document.addEventListener('visibilitychange', function () {
  if (!document.hidden) return listen();
  if (source) source.close();
  source = null;
});
addEventListener('pagehide', function () {
  if (source) source.close();
  source = null;
});
addEventListener('pageshow', function (event) {
  if (event.persisted) listen();
});
`;

/** The whole script. */
export const DASHBOARD_SCRIPT: Html = html`(function () {
'use strict';
${MORPH}${LIVE}${FORMS}
prepare(document);
planExpiry();
tick();
setInterval(tick, 1000);
listen();
})();`;
