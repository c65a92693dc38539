// Part of the dashboard's script: changes a part of the page into a newer one, node by node.
import { type Html, html } from './html.js';

/**
 * `morph(from, to)`. What stays the same is not touched, so that focus, selection, scrolling, opened details and what
 * is being typed survive. Children are told apart by their ids; what is new in a list lights up.
 */
export const MORPH: Html = html`
function morph(from, to) {
  if (from.isEqualNode(to)) return;
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) return from.replaceWith(adopt(to));
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  morphAttributes(from, to);
  morphChildren(from, to);
}

function adopt(node) {
  var copy = document.importNode(node, true);
  if (copy.nodeType === Node.ELEMENT_NODE) prepare(copy);
  return copy;
}

function morphAttributes(from, to) {
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    // What the reader opened stays open; what the script showed stays shown.
    if (to.hasAttribute(name) || (name === 'open' && from.nodeName === 'DETAILS')) continue;
    from.removeAttribute(name);
  }
  if (from.hasAttribute('data-copy')) from.hidden = false;
}

function idOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.id : '';
}

function morphChildren(from, to) {
  var wanted = new Set([...to.childNodes].map(idOf));
  var known = new Map([...from.childNodes].filter(idOf).map(function (node) { return [idOf(node), node]; }));
  var at = from.firstChild;
  // A node that is gone is taken out first, so that those after it need not be moved: moving one drops its focus.
  function skipGone() {
    while (at && idOf(at) && !wanted.has(idOf(at))) {
      var gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  }
  for (const child of [...to.childNodes]) {
    skipGone();
    var match = known.get(idOf(child));
    if (match) {
      if (match === at) at = at.nextSibling;
      else from.insertBefore(match, at);
      morph(match, child);
    } else if (at && !idOf(at) && !idOf(child)) {
      var old = at;
      at = at.nextSibling;
      morph(old, child);
    } else {
      var added = adopt(child);
      from.insertBefore(added, at);
      if (known.size > 0 && added.nodeName !== '#text') lightUp(added);
    }
  }
  while (at) {
    var rest = at;
    at = at.nextSibling;
    rest.remove();
  }
}

function lightUp(element) {
  if (!element.matches('li, tr') || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  element.animate([{ background: 'var(--tint)' }, { background: 'transparent' }], { duration: 1800, easing: 'ease-out' });
}
`;
