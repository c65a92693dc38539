// The shape of the texts of one language.
import type { en } from './en.js';

type Translated<T> = { readonly [Name in keyof T]: T[Name] extends string ? string : Translated<T[Name]> };

/** All texts of the pages in one language. */
export type Texts = Translated<typeof en>;

/** Replaces the placeholders of a text: `{label}` by the value of `label`. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name) => String(values[name] ?? placeholder));
}
