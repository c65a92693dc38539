// The html`` template tag. It escapes every value except Markup.

/** Markup that needs no escaping. Only `html`, `attributes` and `raw` create it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Values in a template: text is escaped, arrays are joined, `undefined` and `false` write nothing. */
export type Content = string | number | Markup | undefined | false | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Returns text as markup without escaping it. Use it for constants of this package only. */
export function raw(constant: string): Markup {
  return new Markup(constant);
}

function write(content: Content): string {
  if (content instanceof Markup) return content.toString();
  if (content === undefined || content === false) return '';
  if (typeof content === 'object') return content.map(write).join('');
  return escapeHtml(String(content));
}

/** Attribute of a value of a person or a client: a browser that translates the page would change names and addresses. */
export const UNTRANSLATED = raw(' translate="no"');

/** Builds markup from a template. Quote its attributes: escaping protects only inside quotes. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + write(contents[index - 1]) + part));
}

/** Returns the attributes of a text in another language than the page. */
export function inLanguage(lang: string | undefined): Markup {
  return attributes({ lang, dir: lang !== undefined && 'auto' });
}

/**
 * Writes attributes, each after a space. `undefined` and `false` leave an attribute out; `true` writes its name only.
 */
export function attributes(values: Readonly<Record<string, string | number | boolean | undefined>>): Markup {
  let text = '';
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === false) continue;
    text += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
  }
  return new Markup(text);
}

/**
 * Returns a value as JSON for the content of a `<script>` element. Without `<`, nothing in it can end the element.
 * U+2028 and U+2029 end a line in old scripts.
 */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
