// Finds and creates elements. If an element is missing, the script fails, and the form works without the script.

export function find<E extends Element = HTMLElement>(parent: ParentNode, selector: string): E {
  const element = parent.querySelector<E>(selector);
  if (!element) throw new Error(selector);
  return element;
}

/** Finds an element of the page. */
export function findInPage<E extends Element = HTMLElement>(selector: string): E {
  return find<E>(document, selector);
}

export function findAll<E extends Element = HTMLElement>(parent: ParentNode, selector: string): E[] {
  return [...parent.querySelectorAll<E>(selector)];
}

export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

/** Sets an attribute, or removes it if there is no value. */
export function setAttribute(element: Element, name: string, value: string | false): void {
  if (value) element.setAttribute(name, value);
  else element.removeAttribute(name);
}
