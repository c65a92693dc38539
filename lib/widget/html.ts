// The html`` tag: it escapes every value but the one type that says it is markup already.

/** Markup that is safe to write out. Only `html`, `attributes` and `raw` make it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: text is escaped, arrays are joined, `undefined` and `false` vanish. */
export type Content = string | number | Markup | undefined | false | readonly Content[];

const SPECIAL = /[&<>"']/;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it must stand in element content or a quoted attribute. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '') : text;
}

/** Takes text for markup as it is: for constants of this package only. */
export function raw(constant: string): Markup {
  return new Markup(constant);
}

function write(content: Content): string {
  if (content instanceof Markup) return content.toString();
  if (content === undefined || content === false) return '';
  if (typeof content === 'object') return content.map(write).join('');
  return escapeHtml(String(content));
}

/** Attributes must be quoted in the template, since escaping makes nothing safe outside quotes. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let text = parts[0] ?? '';
  contents.forEach((content, index) => {
    text += write(content) + (parts[index + 1] ?? '');
  });
  return new Markup(text);
}

/** Attributes, each with a space before it; `undefined` and `false` leave one out, `true` writes its bare name. */
export function attributes(values: Readonly<Record<string, string | number | boolean | undefined>>): Markup {
  let text = '';
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === false) continue;
    text += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
  }
  return new Markup(text);
}
