// Reads XML strictly enough to tell whether it is well-formed: elements, attributes, text and the five entities.

/** An element of a document. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

const TOKEN = /<\?xml [^?]*\?>|<(\/?)([a-z]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;

/** The root element. @throws for whatever is not well-formed. */
export function parseXml(xml: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(xml);
    if (match === null) throw new Error(`not well-formed at ${xml.slice(at, at + 80)}`);
    const [, closing, name, attributes = '', selfClosing, text] = match;
    const parent = open.at(-1) ?? root;
    if (text !== undefined) parent.text += unescapeXml(text);
    else if (closing === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element`);
    } else if (name !== undefined) {
      const element = { name, attributes: readAttributes(attributes), children: [], text: '' };
      parent.children.push(element);
      if (selfClosing !== '/') open.push(element);
    }
  }
  const [document, ...others] = root.children;
  if (open.length !== 1 || document === undefined || others.length > 0) throw new Error('no single root');
  return document;
}

function readAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([a-z]+)="([^"]*)"/g)];
  if (new Set(pairs.map(([, name]) => name)).size !== pairs.length) throw new Error('an attribute twice');
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescapeXml(value)]));
}

const CHARACTERS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };

function unescapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML cannot carry
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text))
    throw new Error('a character that XML forbids');
  return text.replace(/&([^;]*;)?/g, (_, entity = '') => {
    const character = CHARACTERS[entity.slice(0, -1)];
    if (character === undefined) throw new Error(`an unknown entity: &${entity}`);
    return character;
  });
}
