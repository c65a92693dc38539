// The html`` tag of the mock's pages: it escapes whatever it did not make itself.

const MARKUP = Symbol('markup');

/** Markup that is safe to send; only `html` makes it. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What may stand in a template: text is escaped, lists are joined, `undefined` and `false` vanish. */
export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[];

/** Makes markup. Attributes must be quoted in the template. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += write(value) + (parts[index + 1] ?? '');
  return { [MARKUP]: text };
}

/** The markup as text, to send. */
export function toText(markup: Html): string {
  return markup[MARKUP];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function write(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  }
  return MARKUP in value ? value[MARKUP] : value.map(write).join('');
}
